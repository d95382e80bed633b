package graph

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// approaching is the search for routes by number. It finds where two sides meet by
// number alone, and reads relationships only between the concepts on the way: what a
// level has around it is mostly far more than that.
type approaching struct {
	view
	levels   *levels
	from, to *reach
	// wide reports that more is around a level than a search reads. Which of it counts
	// depends on what the relationships are, so walks have to search.
	wide bool
}

// routesByNumber is routes between two different concepts. wide reports that it has no
// answer.
func (v view) routesByNumber(ctx context.Context, l *levels, from, to, maxHops, most int) (found []route, truncated, wide bool, err error) {
	a := &approaching{view: v, levels: l, from: newReach(from), to: newReach(to)}
	met := false
	for a.hops() < maxHops && !met && !truncated && !l.over() {
		last, other := a.smaller()
		if len(last.frontier()) == 0 {
			return nil, false, false, nil
		}
		if truncated, err = a.approach(ctx, last); err != nil || a.wide {
			return nil, false, a.wide, err
		}
		met = slices.ContainsFunc(last.frontier(), other.seen.has)
	}
	if !met {
		return nil, truncated, false, nil
	}
	if found, err = a.routes(ctx, 0, most); err != nil || truncated || len(found) == most || a.hops() == maxHops || l.over() {
		return found, truncated, false, err
	}
	detours, err := a.detours(ctx, most-len(found))
	return append(found, detours...), false, false, err
}

// hops is the length up to which every path is known.
func (a *approaching) hops() int { return a.from.depth() + a.to.depth() }

// smaller is meeting.smaller.
func (a *approaching) smaller() (s, other *reach) {
	if len(a.to.frontier()) < len(a.from.frontier()) {
		return a.to, a.from
	}
	return a.from, a.to
}

// approach lets one of the sides take a level. cut reports that it has more concepts
// than may be visited; they are all there.
func (a *approaching) approach(ctx context.Context, s *reach) (cut bool, err error) {
	room := max(0, a.limits.visited-a.from.found-a.to.found)
	var ends []int32
	a.view = a.heading(a.view.from(s == a.from))
	if len(s.frontier()) > 0 {
		q := questions.NeighborQuery{Concepts: s.frontier(), Types: a.only, Most: a.limits.edges + 1}
		if ends, err = a.ends(ctx, a.levels, a.hops()+1, q); err != nil {
			return false, err
		}
	}
	a.wide = len(ends) > a.limits.edges
	s.next(ends)
	return len(s.frontier()) > room, nil
}

// left is the time until the deadline.
func (v view) left(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(time.Millisecond, time.Until(deadline))
	}
	return v.tables.settings().Timeout()
}

// detours is view.detours.
func (a *approaching) detours(ctx context.Context, most int) ([]route, error) {
	s, _ := a.smaller()
	if len(s.frontier()) > a.limits.detour {
		return nil, nil
	}
	gaps := a.levels.gaps
	defer func() { a.levels.gaps = gaps }()
	if cut, err := a.approach(ctx, s); err != nil || cut || a.wide {
		return nil, err
	}
	return a.routes(ctx, 1, most)
}

// routes is meeting.routes.
func (a *approaching) routes(ctx context.Context, slack, most int) ([]route, error) {
	ends := common(a.from, a.to, slack)
	from, err := a.trace(ctx, a.from, ends, slack)
	if err != nil {
		return nil, err
	}
	to, err := a.trace(ctx, a.to, ends, slack)
	if err != nil {
		return nil, err
	}
	return (&meeting{from: from, to: to}).routes(slack, most), nil
}

// between reads relationships on the way. When the tables do not answer in time there are
// none, and the routes over them are missing.
func (a *approaching) between(ctx context.Context, q questions.BetweenQuery) (edges []knowledge.Edge, err error) {
	if a.memory.View != nil {
		return a.edgesBetween(ctx, q)
	}
	err = a.Bounded(ctx, time.Duration(float64(a.left(ctx))*(1-reserved)), func(ctx context.Context) error {
		edges, err = a.edgesBetween(ctx, q)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		a.levels.gaps.late, a.levels.gaps.ofChunks, a.levels.gaps.timedOut = a.levels.gaps.late+1, a.levels.gaps.ofChunks+1, max(1, a.hops())
		return nil, nil
	}
	return edges, err
}

// trace returns the part of s that leads to some concepts of its last levels, as a
// walk.
func (a *approaching) trace(ctx context.Context, s *reach, ends []int32, slack int) (*walk, error) {
	a.view = a.heading(a.view.from(s == a.from))
	w := newWalk(int(s.levels[0][0]))
	w.depth = s.depth()
	var all []knowledge.Edge
	for hop := s.depth(); hop > 0 && len(ends) > 0; hop-- {
		for _, c := range ends {
			w.nodes[int(c)] = &node{level: s.level(c, hop)}
		}
		edges, err := a.between(ctx, questions.BetweenQuery{
			From: s.upTo(hop-1, slack), To: ends, Types: a.only, Around: s.endsUpTo(hop-1, slack),
		})
		if err != nil {
			return nil, err
		}
		all = append(all, edges...)
		ends = sources(edges)
	}
	for _, e := range strongest(all) {
		n := w.nodes[e.To]
		n.into = append(n.into, e)
	}
	return w, nil
}

// sources returns where some edges come from, ascending.
func sources(edges []knowledge.Edge) []int32 {
	list := make([]int32, len(edges))
	for i, e := range edges {
		list[i] = int32(e.From)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
