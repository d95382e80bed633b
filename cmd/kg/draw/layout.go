// Package draw makes a picture of a graph.
package draw

import (
	"math"
	"math/rand/v2"
)

// A point's unit is the distance that two related concepts like to have.
type point struct{ x, y float64 }

func (p point) plus(q point) point { return point{p.x + q.x, p.y + q.y} }

// drawing is a graph by numbers, and where its nodes are placed.
type drawing struct {
	at    []point
	pairs [][2]int // the ends of each edge
}

// arrange places n nodes. Each connected part is placed by itself, and the parts are
// packed beside each other; nodes without an edge stand in a grid. The same seed gives
// the same places.
func arrange(n int, pairs [][2]int, seed uint64) drawing {
	d := drawing{make([]point, n), pairs}
	random := rand.New(rand.NewPCG(seed, seed)) // a picture is no secret
	var boxes []*box
	var alone []int
	for _, part := range parts(n, pairs) {
		if len(part) == 1 {
			alone = append(alone, part[0])
			continue
		}
		d.place(part, random)
		boxes = append(boxes, d.boxOf(part))
	}
	if len(alone) > 0 {
		d.placeInGrid(alone)
		boxes = append(boxes, d.boxOf(alone))
	}
	pack(boxes)
	for _, b := range boxes {
		for _, i := range b.nodes {
			d.at[i] = d.at[i].plus(b.corner)
		}
	}
	return d
}

// parts returns the connected parts of a graph, those with the smallest numbers first.
func parts(n int, pairs [][2]int) [][]int {
	near := make([][]int, n)
	for _, p := range pairs {
		if p[0] != p[1] {
			near[p[0]], near[p[1]] = append(near[p[0]], p[1]), append(near[p[1]], p[0])
		}
	}
	seen := make([]bool, n)
	var list [][]int
	for i := range n {
		if seen[i] {
			continue
		}
		seen[i] = true
		part := []int{i}
		for k := 0; k < len(part); k++ {
			for _, j := range near[part[k]] {
				if !seen[j] {
					seen[j], part = true, append(part, j)
				}
			}
		}
		list = append(list, part)
	}
	return list
}

// place places a connected part by forces: all nodes push each other away, edges pull
// (Fruchterman and Reingold). Large parts get fewer rounds.
func (d drawing) place(part []int, random *rand.Rand) {
	size := math.Sqrt(float64(len(part)))
	of := map[int]int{}
	at := make([]point, len(part))
	for i, node := range part {
		of[node], at[i] = i, point{size * random.Float64(), size * random.Float64()}
	}
	var pulls [][2]int
	for _, p := range d.pairs {
		if from, here := of[p[0]]; here && p[0] != p[1] {
			pulls = append(pulls, [2]int{from, of[p[1]]})
		}
	}
	rounds := min(400, max(30, 400_000_000/(len(part)*len(part))))
	for round := range rounds {
		move(at, pulls, size/8*(1-float64(round)/float64(rounds)))
	}
	const wide = 1.25 // labels need more room beside each other than above
	for i, node := range part {
		d.at[node] = point{at[i].x * wide, at[i].y}
	}
}

// move moves each node by the forces on it, by at most farthest.
func move(at []point, pulls [][2]int, farthest float64) {
	moves := make([]point, len(at))
	push := func(i, j int, force func(distance float64) float64) {
		dx, dy := at[i].x-at[j].x, at[i].y-at[j].y
		distance := max(1e-4, math.Hypot(dx, dy))
		f := force(distance) / distance
		moves[i].x, moves[i].y = moves[i].x+dx*f, moves[i].y+dy*f
		moves[j].x, moves[j].y = moves[j].x-dx*f, moves[j].y-dy*f
	}
	for i := range at {
		for j := range i {
			push(i, j, func(d float64) float64 { return 1 / d })
		}
	}
	for _, p := range pulls {
		push(p[0], p[1], func(d float64) float64 { return -d * d })
	}
	for i, m := range moves {
		length := max(1e-9, math.Hypot(m.x, m.y))
		step := min(length, farthest) / length
		at[i] = at[i].plus(point{m.x * step, m.y * step})
	}
}

// placeInGrid places nodes in rows.
func (d drawing) placeInGrid(nodes []int) {
	columns := int(math.Ceil(math.Sqrt(float64(len(nodes)))))
	for i, node := range nodes {
		d.at[node] = point{1.5 * float64(i%columns), 0.6 * float64(i/columns)}
	}
}
