package projection

import "slices"

const (
	bucketPlaces = 8  // of a leaf of the tree
	codeBits     = 21 // of each coordinate in the code of a place
)

// point is a place of a layout; the last coordinate is 0 in the plane.
type point [3]float32

// cell is a cube of space and what is in it. Cells lie in the order in which a tree is
// walked: the first one inside a cell follows it.
type cell struct {
	middle   point   // of its places
	mass     float32 // how many they are
	size     float32 // the squared width, over the squared share at which it counts as one
	skip     int32   // the next cell outside it
	from, to int32   // its places, of a leaf
}

// placeTree finds what drives places apart: a cell that is far for its size counts as one
// place (Barnes and Hut, "A hierarchical O(N log N) force-calculation algorithm", 1986).
type placeTree struct {
	codes  []uint64
	order  []int32 // of the items, by their places
	places []point // in that order
	cells  []cell
}

func newPlaceTree(n int) *placeTree {
	t := &placeTree{codes: make([]uint64, n), order: make([]int32, n), places: make([]point, n)}
	for i := range t.order {
		t.order[i] = int32(i)
	}
	return t
}

// build makes the tree of places. A cell counts as one where its width is less than the
// share of its distance.
func (t *placeTree) build(places []point, share float32) {
	lowest, highest := places[0], places[0]
	for _, p := range places {
		for k := range p {
			lowest[k], highest[k] = min(lowest[k], p[k]), max(highest[k], p[k])
		}
	}
	width := float32(1e-9)
	for k := range lowest {
		width = max(width, 1.0001*(highest[k]-lowest[k]))
	}
	for i, p := range places {
		t.codes[i] = 0
		for k := range p {
			t.codes[i] |= spread(uint64((p[k]-lowest[k])/width*(1<<codeBits))) << k
		}
	}
	slices.SortFunc(t.order, func(a, b int32) int {
		switch {
		case t.codes[a] < t.codes[b]:
			return -1
		case t.codes[a] > t.codes[b]:
			return 1
		}
		return int(a - b)
	})
	for at, i := range t.order {
		t.places[at] = places[i]
	}
	t.cells = t.cells[:0]
	t.add(0, len(places), 3*(codeBits-1), width/share)
}

// spread puts two zeros between the bits of a coordinate: together with the others it is
// the code of a place, and places in a cube have the beginning of their codes in common.
func spread(v uint64) uint64 {
	v = (v | v<<32) & 0x1f00000000ffff
	v = (v | v<<16) & 0x1f0000ff0000ff
	v = (v | v<<8) & 0x100f00f00f00f00f
	v = (v | v<<4) & 0x10c30c30c30c30c3
	return (v | v<<2) & 0x1249249249249249
}

// add adds the cell of some places, and those inside it. shift leaves of a code what
// tells the cells inside it apart.
func (t *placeTree) add(from, to, shift int, width float32) {
	self := len(t.cells)
	var sum [3]float64
	for _, p := range t.places[from:to] {
		for k := range p {
			sum[k] += float64(p[k])
		}
	}
	c := cell{mass: float32(to - from), size: width * width, from: int32(from), to: int32(from)}
	for k := range sum {
		c.middle[k] = float32(sum[k] / float64(to-from))
	}
	leaf := to-from <= bucketPlaces || shift < 0
	if leaf {
		c.to = int32(to)
	}
	t.cells = append(t.cells, c)
	for !leaf && from < to {
		code := t.codes[t.order[from]] >> shift
		end, _ := slices.BinarySearchFunc(t.order[from:to], code+1, func(i int32, next uint64) int {
			if t.codes[i]>>shift < next {
				return -1
			}
			return 1
		})
		t.add(from, from+end, shift-3, width/2)
		from += end
	}
	t.cells[self].skip = int32(len(t.cells))
}

// force returns the sum of (p − q) / (1 + d²)² over all places q, and that of 1 / (1 + d²),
// in which p itself counts as 1.
func (t *placeTree) force(p point) (sum point, total float32) {
	for at := int32(0); at < int32(len(t.cells)); {
		c := &t.cells[at]
		x, y, z := p[0]-c.middle[0], p[1]-c.middle[1], p[2]-c.middle[2]
		if square := x*x + y*y + z*z; c.size < square {
			near := 1 / (1 + square)
			total += c.mass * near
			near *= near * c.mass
			sum[0], sum[1], sum[2] = sum[0]+near*x, sum[1]+near*y, sum[2]+near*z
			at = c.skip
			continue
		}
		for _, q := range t.places[c.from:c.to] {
			x, y, z := p[0]-q[0], p[1]-q[1], p[2]-q[2]
			near := 1 / (1 + x*x + y*y + z*z)
			total += near
			near *= near
			sum[0], sum[1], sum[2] = sum[0]+near*x, sum[1]+near*y, sum[2]+near*z
		}
		at++
	}
	return sum, total
}
