package projection

import "context"

// Trustworthiness returns how far the k nearest neighbours of items in a layout are near
// in space too: 1 when all are, about 0.5 for a random layout (Venna and Kaski,
// "Neighborhood preservation in nonlinear projection methods", 2001). Up to sample items
// count, evenly spaced; 0 is all. It is 1 when there are too few items for the measure.
func Trustworthiness(ctx context.Context, s *Space, places [][]float64, k, sample int) (float64, error) {
	n := s.Len()
	if 2*n-3*k-1 <= 0 {
		return 1, nil
	}
	rows, penalty := spaced(n, sample), 0.0
	distances := make([]float32, n)
	for _, row := range rows {
		for j := range distances {
			distances[j] = apart(places[row], places[j])
		}
		shown := least(distances, row, k)
		if err := s.distances(ctx, row, distances); err != nil {
			return 0, err
		}
		for _, o := range shown {
			if rank := rankOf(distances, row, int(o.item)); rank > k {
				penalty += float64(rank - k)
			}
		}
	}
	return 1 - penalty*2/(float64(len(rows))*float64(k)*float64(2*n-3*k-1)), nil
}

// apart returns the squared distance of two places.
func apart(a, b []float64) float32 {
	sum := 0.0
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	return float32(sum)
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
func rankOf(distances []float32, row, item int) int {
	rank := 1
	for j, d := range distances {
		if j != row && j != item && d < distances[item] {
			rank++
		}
	}
	return rank
}
