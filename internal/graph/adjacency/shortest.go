package adjacency

import (
	"context"
	"slices"
)

// side is one of the two breadth-first searches that grow towards each other.
type side struct {
	seen    bitset
	order   []int32 // the concepts that were reached, level by level
	parents []int32 // the place in order from which each was reached
	last    int     // where the last level begins
	cost    int     // edges of the last level
}

// Shortest returns the concepts along one shortest path between two concepts,
// both included, over edges of some types in either direction: nil when there is
// none of at most maxHops. Of several it is always the same one. It returns the
// error of ctx when that ends first.
func (v *View) Shortest(ctx context.Context, from, to int32, maxHops int, types TypeSet) ([]int32, error) {
	if from == to {
		return []int32{from}, nil
	}
	s := v.borrow(types)
	defer v.scratch.Put(s)
	a, b := &s.there, &s.back
	if !v.start(a, from, s.seen) || !v.start(b, to, s.next) {
		return nil, nil
	}
	for range maxHops {
		near, other := a, b
		if b.cost < a.cost {
			near, other = b, a
		}
		at, met, err := v.grow(ctx, near, other, s, types)
		switch {
		case err != nil:
			return nil, err
		case met && near == a:
			return join(a, at, b), nil
		case met:
			path := join(b, at, a)
			slices.Reverse(path)
			return path, nil
		case near.last == len(near.order):
			return nil, nil // all that is connected with one end has been seen
		}
	}
	return nil, nil
}

// start lets a side begin at a concept. It reports whether that has edges.
func (v *View) start(d *side, concept int32, seen bitset) bool {
	d.cost = v.Degree(concept)
	if d.cost == 0 {
		return false
	}
	d.seen, d.last = seen, 0
	d.order = append(d.order[:0], concept)
	d.parents = append(d.parents[:0], -1)
	d.seen.add(uint32(concept))
	return true
}

// grow takes the next level of d. met is true when that reaches a concept of the
// last level of the other side, whose place in d.order is then at: since there was
// no shorter path before, the one over it is a shortest one.
func (v *View) grow(ctx context.Context, d, other *side, s *scratch, types TypeSet) (at int32, met bool, err error) {
	begin, end := d.last, len(d.order)
	d.last, d.cost = end, 0
	followed := uint32(breath)
	for place := begin; place < end; place++ {
		p, first, past := v.row(uint32(d.order[place]))
		if followed += past - first; followed >= breath {
			followed = 0
			if err := ctx.Err(); err != nil {
				return 0, false, err
			}
		}
		for i := first; i < past; i++ {
			far := p.far[i]
			if d.seen.has(far) || !s.allows(p, i, types) {
				continue
			}
			d.seen.add(far)
			d.order = append(d.order, int32(far))
			d.parents = append(d.parents, int32(place))
			d.cost += v.Degree(int32(far))
			if other.seen.has(far) {
				return int32(len(d.order) - 1), true, nil
			}
		}
	}
	return 0, false, nil
}

// join returns the path from the start of a to a place of its order, and on to
// the start of b.
func join(a *side, at int32, b *side) []int32 {
	var path []int32
	for i := at; i >= 0; i = a.parents[i] {
		path = append(path, a.order[i])
	}
	slices.Reverse(path)
	// The concept where they meet is in the last level of b.
	meeting := int32(b.last + slices.Index(b.order[b.last:], a.order[at]))
	for i := b.parents[meeting]; i >= 0; i = b.parents[i] {
		path = append(path, b.order[i])
	}
	return path
}
