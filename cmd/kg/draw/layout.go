// Package draw makes a picture of a graph.
package draw

import (
	"math"
	"math/rand/v2"
)

type point struct{ x, y float64 }

// layout places n nodes by forces: all push each other away, edges pull (Fruchterman and
// Reingold). The same seed gives the same places, within 0 to 1.
func layout(n int, edges [][2]int, seed uint64) []point {
	const rounds = 300
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // a picture is no secret
	at := make([]point, n)
	for i := range at {
		at[i] = point{random.Float64(), random.Float64()}
	}
	ideal := math.Sqrt(1 / float64(max(1, n)))
	for round := range rounds {
		moves := make([]point, n)
		push := func(i, j int, force func(distance float64) float64) {
			dx, dy := at[i].x-at[j].x, at[i].y-at[j].y
			distance := max(1e-4, math.Hypot(dx, dy))
			f := force(distance) / distance
			moves[i].x, moves[i].y = moves[i].x+dx*f, moves[i].y+dy*f
			moves[j].x, moves[j].y = moves[j].x-dx*f, moves[j].y-dy*f
		}
		for i := range at {
			for j := range i {
				push(i, j, func(d float64) float64 { return ideal * ideal / d })
			}
			moves[i].x, moves[i].y = moves[i].x-(at[i].x-0.5)*ideal, moves[i].y-(at[i].y-0.5)*ideal
		}
		for _, e := range edges {
			push(e[0], e[1], func(d float64) float64 { return -d * d / ideal })
		}
		heat := 0.1 * (1 - float64(round)/rounds)
		for i, m := range moves {
			length := max(1e-9, math.Hypot(m.x, m.y))
			step := min(length, heat) / length
			at[i].x, at[i].y = at[i].x+m.x*step, at[i].y+m.y*step
		}
	}
	return spread(at)
}

// spread scales places to 0 to 1.
func spread(at []point) []point {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, p := range at {
		low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
	}
	for i, p := range at {
		at[i] = point{(p.x - low.x) / max(1e-9, high.x-low.x), (p.y - low.y) / max(1e-9, high.y-low.y)}
	}
	return at
}
