package adjacency

import "context"

// breath is how many edges a search follows before it asks its context again.
const breath = 1 << 16

// BallQuery asks for the concepts around some seeds.
type BallQuery struct {
	Seeds []int32 // those that are not known have no neighbours
	Hops  int
	Types TypeSet // only over edges of these types
	Most  int     // concepts returned, the nearest first; 0 = all
}

// Ball is what is within some hops of seeds, without the seeds.
type Ball struct {
	Concepts []int32 // nearest first, and then by number
	// Ends has an element for each hop that was taken: Concepts[:Ends[h]] is
	// what is within h + 1 hops.
	Ends []int
	Cut  bool // more than Most are within reach
}

// Ball returns the concepts within some hops of the nearest of some seeds, in
// either direction of the edges. When ctx ends first it returns its error, and
// the hops that it has taken.
func (v *View) Ball(ctx context.Context, q BallQuery) (Ball, error) {
	var b Ball
	s := v.borrow(q.Types)
	defer v.scratch.Put(s)
	bound := uint32(len(v.pages)) * rows
	var frontier []int32
	for _, seed := range q.Seeds {
		if uint32(seed) < bound && !s.seen.has(uint32(seed)) {
			s.seen.add(uint32(seed))
			frontier = append(frontier, seed)
		}
	}
	for range q.Hops {
		next := v.level
		if len(frontier) > int(bound)/16 && q.Types.way == anyWay { // backwards the edges would be seen from the other end
			next = v.levelBackwards
		}
		if err := next(ctx, s, frontier, q.Types); err != nil {
			return b, err
		}
		before := len(b.Concepts)
		b.Concepts = s.next.drain(b.Concepts)
		frontier = b.Concepts[before:]
		if q.Most > 0 && len(b.Concepts) > q.Most {
			b.Concepts, b.Cut = b.Concepts[:q.Most], true
		}
		b.Ends = append(b.Ends, len(b.Concepts))
		if len(frontier) == 0 || b.Cut {
			break
		}
	}
	return b, nil
}

// level puts the unseen neighbours of the frontier into s.next.
func (v *View) level(ctx context.Context, s *scratch, frontier []int32, types TypeSet) error {
	followed := uint32(breath)
	for _, c := range frontier {
		p, begin, end := v.row(uint32(c))
		if followed += end - begin; followed >= breath {
			followed = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		switch {
		case begin == end:
		case types.all():
			for _, far := range p.far[begin:end] {
				if !s.seen.has(far) {
					s.seen.add(far)
					s.next.add(far)
				}
			}
		default:
			for i := begin; i < end; i++ {
				far := p.far[i]
				if !s.seen.has(far) && s.allows(p, i, types) {
					s.seen.add(far)
					s.next.add(far)
				}
			}
		}
	}
	return nil
}

// levelBackwards is level for a frontier that is a great part of the graph: each
// unseen concept searches its neighbours for one of the frontier, and most find
// one soon.
func (v *View) levelBackwards(ctx context.Context, s *scratch, frontier []int32, types TypeSet) error {
	s.frontier = s.frontier.sized(len(v.pages) * rows)
	for _, c := range frontier {
		s.frontier.add(uint32(c))
	}
	followed := breath
	for at, p := range v.pages {
		if p == nil {
			continue
		}
		if followed += len(p.far); followed >= breath {
			followed = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		begin := uint32(0)
		for r, end := range &p.ends {
			if c := uint32(at*rows + r); begin < end && !s.seen.has(c) && s.touches(p, begin, end, types) {
				s.seen.add(c)
				s.next.add(c)
			}
			begin = end
		}
	}
	return nil
}

// touches reports whether an edge of a row leads to the frontier.
func (s *scratch) touches(p *page, begin, end uint32, types TypeSet) bool {
	for i := begin; i < end; i++ {
		if s.frontier.has(p.far[i]) && s.allows(p, i, types) {
			return true
		}
	}
	return false
}

// allows reports whether the edge at a place of p is of one of the types.
func (s *scratch) allows(p *page, i uint32, types TypeSet) bool {
	if types.all() {
		return true
	}
	if p.kinds != nil {
		return s.allowed[p.kinds[i]]
	}
	return types.holds(p.links[i].typ(), p.confidences[i], p.links[i].forward())
}
