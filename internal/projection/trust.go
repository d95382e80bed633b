package projection

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kappagraph/kappa"
)

// Trustworthiness returns how far the k nearest neighbours of items in a layout are near
// in the space of their vectors too: 1 when all are, about 0.5 for a random layout (Venna
// and Kaski, "Neighborhood preservation in nonlinear projection methods", 2001). Up to
// sample items count, evenly spaced; 0 is all. It is 1 when there are too few items for
// the measure.
func Trustworthiness(ctx context.Context, vectors []kappa.Embedding, places [][]float64, o Options, k, sample int) (float64, error) {
	n := len(vectors)
	if 2*n-3*k-1 <= 0 {
		return 1, nil
	}
	x, y := prepare(vectors, o), mat.NewDense(n, len(places[0]), nil)
	for i, place := range places {
		y.SetRow(i, place)
	}
	rows := spaced(n, sample)
	shown := make(map[int][]neighbor, len(rows))
	if err := compare(ctx, y, rows, func(row int, distances []float64) { shown[row] = least(distances, row, k) }); err != nil {
		return 0, err
	}
	penalty := 0.0
	err := compare(ctx, x, rows, func(row int, distances []float64) {
		for _, o := range shown[row] {
			if rank := rankOf(distances, row, o.item); rank > k {
				penalty += float64(rank - k)
			}
		}
	})
	return 1 - penalty*2/(float64(len(rows))*float64(k)*float64(2*n-3*k-1)), err
}

// spaced returns up to sample of the numbers below n, all for 0.
func spaced(n, sample int) []int {
	if sample <= 0 || sample > n {
		sample = n
	}
	list := make([]int, sample)
	for i := range list {
		list[i] = i * n / sample
	}
	return list
}

// rankOf returns which nearest neighbour of row an item is: 1 is the nearest.
func rankOf(distances []float64, row, item int) int {
	rank := 1
	for j, d := range distances {
		if j != row && j != item && d < distances[item] {
			rank++
		}
	}
	return rank
}
