package projection

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	moreDirections = 5     // than are wanted: the wanted ones converge faster
	maxTurns       = 1000  // of the orthogonal iteration
	turned         = 1e-13 // by how little the variances change when it has converged, relative to them
	covariedAtOnce = 64    // rows between two checks of the context
)

// components returns the coordinates of the rows along the directions of their greatest
// variance. The decomposition of a library cannot be ended while it runs, so they are
// found by orthogonal iteration (Golub and Van Loan, "Matrix Computations", 7.3.2), of
// which each turn takes milliseconds.
func components(ctx context.Context, x *mat.Dense, wanted int) (*mat.Dense, error) {
	rows, width := x.Dims()
	centered := mat.DenseCopyOf(x)
	center(centered)
	directions, err := directions(ctx, centered, min(width, wanted+moreDirections))
	if err != nil {
		return nil, err
	}
	found, _ := directions.Dims()
	found = min(found, wanted)
	places := mat.NewDense(rows, wanted, nil)
	for k := range found {
		v := directions.RawRowView(k)
		if at := largest(v); v[at] < 0 { // a direction and its opposite are the same
			floats.Scale(-1, v)
		}
		for i := range rows {
			places.Set(i, k, floats.Dot(centered.RawRowView(i), v))
		}
	}
	return places, nil
}

// directions returns the directions of the greatest variance of centered rows, as rows.
// Where there are fewer rows than columns they come from the products of the rows, of
// which there are fewer: with A = XXᵀ and Au = λu, the direction is Xᵀu.
func directions(ctx context.Context, x *mat.Dense, wanted int) (*mat.Dense, error) {
	rows, width := x.Dims()
	if rows >= width {
		covariance, err := covariances(ctx, x)
		if err != nil {
			return nil, err
		}
		return leading(ctx, covariance, wanted)
	}
	products, err := covariances(ctx, mat.DenseCopyOf(x.T()))
	if err != nil {
		return nil, err
	}
	combined, err := leading(ctx, products, min(rows, wanted))
	if err != nil {
		return nil, err
	}
	var found mat.Dense
	found.Mul(combined, x)
	orthonormalize(&found)
	return &found, nil
}

// covariances returns the covariances of the columns of centered rows.
func covariances(ctx context.Context, x *mat.Dense) (*mat.SymDense, error) {
	rows, width := x.Dims()
	sum := mat.NewSymDense(width, nil)
	for from := 0; from < rows; from += covariedAtOnce {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part := x.Slice(from, min(rows, from+covariedAtOnce), 0, width)
		sum.SymRankK(sum, 1/float64(rows), part.T())
	}
	return sum, nil
}

// leading returns the eigenvectors of the greatest eigenvalues, as rows, those of the
// greatest first.
func leading(ctx context.Context, a *mat.SymDense, wanted int) (*mat.Dense, error) {
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
