package draw

import (
	"cmp"
	"math"
	"slices"
)

const (
	room   = 0.45      // around each part of the graph
	aspect = 4.0 / 3.0 // of a picture that is full
)

// box is the rectangle around a part of the graph.
type box struct {
	nodes  []int
	size   point
	corner point // where it is packed
}

// boxOf moves nodes to the origin, and returns the rectangle around them.
func (d drawing) boxOf(nodes []int) *box {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, i := range nodes {
		low = point{min(low.x, d.at[i].x), min(low.y, d.at[i].y)}
		high = point{max(high.x, d.at[i].x), max(high.y, d.at[i].y)}
	}
	for _, i := range nodes {
		d.at[i] = d.at[i].plus(point{room - low.x, room - low.y})
	}
	return &box{nodes: nodes, size: point{high.x - low.x + 2*room, high.y - low.y + 2*room}}
}

// pack places boxes beside and below each other, the largest first, so that the picture
// stays small and has about the shape of a page.
func pack(boxes []*box) {
	slices.SortStableFunc(boxes, func(a, b *box) int { return cmp.Compare(b.size.x*b.size.y, a.size.x*a.size.y) })
	corners := []point{{}}
	var extent point
	for i, b := range boxes {
		best := math.Inf(1)
		for _, c := range corners {
			end := c.plus(b.size)
			cost := max(extent.x, end.x, aspect*max(extent.y, end.y)) + 0.001*(c.x+c.y)
			if cost < best && !slices.ContainsFunc(boxes[:i], func(o *box) bool { return overlap(c, b.size, o.corner, o.size) }) {
				best, b.corner = cost, c
			}
		}
		end := b.corner.plus(b.size)
		extent = point{max(extent.x, end.x), max(extent.y, end.y)}
		corners = append(corners, point{end.x, b.corner.y}, point{b.corner.x, end.y}, point{end.x, 0}, point{0, end.y})
	}
}

// overlap reports whether two rectangles have something in common.
func overlap(corner, size, other, otherSize point) bool {
	return corner.x < other.x+otherSize.x-1e-9 && other.x < corner.x+size.x-1e-9 &&
		corner.y < other.y+otherSize.y-1e-9 && other.y < corner.y+size.y-1e-9
}
