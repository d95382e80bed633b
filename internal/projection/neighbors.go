package projection

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// comparedAtOnce is how many rows are compared with all between two checks of the
// context.
const comparedAtOnce = 64

// neighbor is another item and its squared distance.
type neighbor struct {
	item     int
	distance float64
}

// compare gives each of the rows wanted to use, with its squared distances from all.
// The distances are only valid during the call.
func compare(ctx context.Context, x *mat.Dense, wanted []int, use func(row int, distances []float64)) error {
	rows, width := x.Dims()
	squares := make([]float64, rows)
	for i := range rows {
		squares[i] = floats.Dot(x.RawRowView(i), x.RawRowView(i))
	}
	for from := 0; from < len(wanted); from += comparedAtOnce {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		some := wanted[from:min(len(wanted), from+comparedAtOnce)]
		block := mat.NewDense(len(some), width, nil)
		for b, i := range some {
			block.SetRow(b, x.RawRowView(i))
		}
		var products mat.Dense
		products.Mul(block, x.T())
		for b, i := range some {
			distances := products.RawRowView(b)
			for j, product := range distances {
				distances[j] = max(0, squares[i]+squares[j]-2*product)
			}
			use(i, distances)
		}
	}
	return nil
}

// nearest returns the k nearest other items of each, the nearest first; of two at the
// same distance the one with the lower number.
func nearest(ctx context.Context, x *mat.Dense, k int, report func(done, all int) error) ([][]neighbor, error) {
	rows, _ := x.Dims()
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	found := make([][]neighbor, rows)
	for from := 0; from < rows; from += comparedAtOnce {
		if err := report(from, rows); err != nil {
			return nil, err
		}
		err := compare(ctx, x, all[from:min(rows, from+comparedAtOnce)], func(row int, distances []float64) {
			found[row] = least(distances, row, k)
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// least returns the k items at the least distances, apart from one itself.
func least(distances []float64, self, k int) []neighbor {
	list := make([]neighbor, 0, 2*k+1)
	limit := -1.0 // of what is kept; negative: anything
	for j, d := range distances {
		if j == self || limit >= 0 && d >= limit {
			continue
		}
		if list = append(list, neighbor{j, d}); len(list) == cap(list) {
			slices.SortFunc(list, nearer)
			list = list[:k]
			limit = list[k-1].distance
		}
	}
	slices.SortFunc(list, nearer)
	return list[:min(k, len(list))]
}

func nearer(a, b neighbor) int {
	switch {
	case a.distance < b.distance:
		return -1
	case a.distance > b.distance:
		return 1
	}
	return a.item - b.item
}
