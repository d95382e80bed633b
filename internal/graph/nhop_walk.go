package graph

import (
	"context"
	"math"
)

// nhopByWalk is nhop of which each hop takes only the concepts with the paths that say most.
func (v view) nhopByWalk(ctx context.Context, q nhopQuery) (ball, error) {
	v = v.knowing(q.seeds...)
	w, l := newWalk(q.seeds...), newLevels(ctx, q.hops, v.tables.settings())
	b := ball{concepts: []int{}}
	truncated := false
	for w.depth < q.hops && len(w.frontier) > 0 && !truncated && !l.over() {
		room := math.MaxInt
		if q.most > 0 {
			room = q.most + 1 - len(b.concepts)
		}
		var err error
		if truncated, err = v.step(ctx, l, w, typeNames(q.types), room, nil); err != nil {
			return ball{}, err
		}
		b.concepts = append(b.concepts, w.frontier...)
		b.ends = append(b.ends, len(b.concepts))
	}
	b.Completeness = l.completeness(truncated, moreAround)
	b.partial, b.asked, b.work = !b.Complete, l.asked, l.work
	b.cut(q.most)
	return b, nil
}
