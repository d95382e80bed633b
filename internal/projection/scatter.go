package projection

import "math/rand/v2"

const (
	draws       = 100   // of each neighbour
	drivers     = 5     // items that drive one apart, for each draw of all its neighbours
	mostMove    = 4     // of an item at once
	leastSquare = 0.001 // of a distance, lest a force be infinite
)

// scatter draws each item to its neighbours, one after the other, and drives it from
// items that are drawn by chance, as LargeVis and UMAP do (Tang and others, "Visualizing
// Large-scale and High-dimensional Data", 2016; McInnes and others, "UMAP", 2018). What
// belongs together comes together; within it the order is rough.
func (l *layout) scatter(found neighbors, report func(percent int) error) error {
	random := rand.New(rand.NewPCG(l.seed, 0x73636174))
	n := len(l.places)
	for turn := range draws {
		rate := 1 - float32(turn)/draws
		for i := range l.places {
			if i%checkedEvery == 0 {
				if err := report(100 * turn / draws); err != nil {
					return err
				}
			}
			p := &l.places[i]
			for _, other := range found[i] {
				q := &l.places[other.item]
				pull := -2 / (1 + squareOf(p, q))
				for k := range l.dimensions {
					move := rate * limited(pull*(p[k]-q[k]))
					p[k] += move
					q[k] -= move
				}
			}
			for range drivers {
				q := &l.places[random.Uint32N(uint32(n))]
				square := squareOf(p, q)
				push := 2 / ((leastSquare + square) * (1 + square))
				for k := range l.dimensions {
					p[k] += rate * limited(push*(p[k]-q[k]))
				}
			}
		}
	}
	return nil
}

func squareOf(p, q *point) float32 {
	x, y, z := p[0]-q[0], p[1]-q[1], p[2]-q[2]
	return x*x + y*y + z*z
}

func limited(v float32) float32 { return max(-mostMove, min(mostMove, v)) }
