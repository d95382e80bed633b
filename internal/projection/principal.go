package projection

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	moreDirections = 5    // than are wanted: the wanted ones converge faster
	maxTurns       = 1000 // of the orthogonal iteration
	sampledRows    = 2000 // from which the directions are taken where they are only a start
	// By how little the variances change when the iteration has converged, relative to
	// them: of a projection by principal components, and of a start.
	turnedExactly = 1e-13
	turnedRoughly = 1e-4
)

// components returns the coordinates of the items along the directions of their greatest
// variance, which are taken from up to sample items, evenly spaced; 0 is all. The
// decomposition of a library cannot be ended while it runs, so they are found by
// orthogonal iteration (Golub and Van Loan, "Matrix Computations", 7.3.2), of which each
// turn takes milliseconds.
func components(ctx context.Context, s *Space, wanted, sample int) (*mat.Dense, error) {
	rows, mean, turned := spaced(s.Len(), sample), make([]float64, s.width), turnedExactly
	if sample > 0 {
		turned = turnedRoughly
	}
	for _, i := range rows {
		for k, v := range s.at(i) {
			mean[k] += float64(v) / float64(len(rows))
		}
	}
	c := &centred{space: s, rows: rows, mean: mean, turned: turned}
	directions, err := c.directions(ctx, min(s.width, wanted+moreDirections))
	if err != nil {
		return nil, err
	}
	found, _ := directions.Dims()
	found = min(found, wanted)
	places, row := mat.NewDense(s.Len(), wanted, nil), make([]float64, s.width)
	for k := range found {
		if v := directions.RawRowView(k); v[largest(v)] < 0 { // a direction and its opposite are the same
			floats.Scale(-1, v)
		}
	}
	for i := range s.Len() {
		if i%checkedEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c.read(row, i)
		for k := range found {
			places.Set(i, k, floats.Dot(row, directions.RawRowView(k)))
		}
	}
	return places, nil
}

// centred are some items of a space, less their mean.
type centred struct {
	space  *Space
	rows   []int
	mean   []float64
	turned float64 // by how little the variances may change at the end
}

// read reads the vector of an item.
func (c *centred) read(row []float64, item int) {
	for k, v := range c.space.at(item) {
		row[k] = float64(v) - c.mean[k]
	}
}

// directions returns the directions of the greatest variance, as rows. Where there are
// fewer items than numbers in each they come from the products of the items, of which
// there are fewer: with A = XXᵀ and Au = λu, the direction is Xᵀu.
func (c *centred) directions(ctx context.Context, wanted int) (*mat.Dense, error) {
	if len(c.rows) >= c.space.width {
		covariance, err := c.covariances(ctx)
		if err != nil {
			return nil, err
		}
		return leading(ctx, covariance, wanted, c.turned)
	}
	x := mat.NewDense(len(c.rows), c.space.width, nil)
	for at, i := range c.rows {
		c.read(x.RawRowView(at), i)
	}
	products := mat.NewSymDense(len(c.rows), nil)
	products.SymOuterK(1/float64(len(c.rows)), x)
	combined, err := leading(ctx, products, min(len(c.rows), wanted), c.turned)
	if err != nil {
		return nil, err
	}
	var found mat.Dense
	found.Mul(combined, x)
	orthonormalize(&found)
	return &found, nil
}

// covariances returns the covariances of the numbers of the items.
func (c *centred) covariances(ctx context.Context) (*mat.SymDense, error) {
	sum := mat.NewSymDense(c.space.width, nil)
	part := mat.NewDense(checkedEvery, c.space.width, nil)
	for from := 0; from < len(c.rows); from += checkedEvery {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part.Zero()
		for at, i := range c.rows[from:min(len(c.rows), from+checkedEvery)] {
			c.read(part.RawRowView(at), i)
		}
		sum.SymRankK(sum, 1/float64(len(c.rows)), part.T())
	}
	return sum, nil
}

// leading returns the eigenvectors of the greatest eigenvalues, as rows, those of the
// greatest first.
func leading(ctx context.Context, a *mat.SymDense, wanted int, turned float64) (*mat.Dense, error) {
	width := a.SymmetricDim()
	random := rand.New(rand.NewPCG(1, uint64(width))) // any start will do, the same one each time
	q := mat.NewDense(wanted, width, nil)             // a direction is a row, which lies in one piece
	for k := range wanted {
		for i := range width {
			q.Set(k, i, random.NormFloat64())
		}
	}
	dense := mat.DenseCopyOf(a) // is multiplied faster
	before, variances := make([]float64, wanted), make([]float64, wanted)
	for range maxTurns {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var turn mat.Dense
		turn.Mul(q, dense)
		for k := range wanted {
			variances[k] = floats.Norm(turn.RawRowView(k), 2)
		}
		orthonormalize(&turn)
		q = &turn
		if floats.Distance(variances, before, math.Inf(1)) <= turned*floats.Max(variances) {
			break
		}
		copy(before, variances)
	}
	return q, nil
}

// orthonormalize makes the rows orthogonal and of length 1, from the first one on. A row
// that depends on those before it becomes zero.
func orthonormalize(q *mat.Dense) {
	rows, _ := q.Dims()
	for k := range rows {
		row := q.RawRowView(k)
		was := floats.Norm(row, 2)
		for range 2 { // the second time removes what rounding left
			for before := range k {
				other := q.RawRowView(before)
				floats.AddScaled(row, -floats.Dot(row, other), other)
			}
		}
		length := floats.Norm(row, 2)
		if length <= 1e-12*was || length == 0 {
			clear(row)
			continue
		}
		floats.Scale(1/length, row)
	}
}

// largest returns where the value is whose amount is the largest.
func largest(values []float64) int {
	best := 0
	for i, v := range values {
		if math.Abs(v) > math.Abs(values[best]) {
			best = i
		}
	}
	return best
}
