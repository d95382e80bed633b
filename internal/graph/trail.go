package graph

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
)

// trail is a path from the start of a walk: its last edge, and the trail before
// that. The trail at the start has neither.
type trail struct {
	before *trail
	edge   knowledge.Edge
	at     int // the concept where it ends
	cost   int
}

// edges returns t's edges from the start on.
func (t *trail) edges() []knowledge.Edge {
	var list []knowledge.Edge
	for ; t.before != nil; t = t.before {
		list = append(list, t.edge)
	}
	slices.Reverse(list)
	return list
}

// compareTrails orders trails of the same length: the cheapest first, then by
// the concepts that they visit, from the end to the start.
func compareTrails(a, b *trail) int {
	if c := cmp.Compare(a.cost, b.cost); c != 0 {
		return c
	}
	for a != nil && b != nil {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		a, b = a.before, b.before
	}
	return 0
}

// trails finds the cheapest trails of a walk by going back from their ends, so
// that it visits only what lies on the way.
//
// A trail may be one hop longer than the shortest one to its end, not more. Then
// it cannot visit a concept twice: without the circle it would be two hops
// shorter at least, which is shorter than the shortest.
type trails struct {
	walk  *walk
	slack int // how many hops a trail may be longer than the shortest: 0 or 1
	most  int // how many are kept for each end
	known map[place][]*trail
}

// place is a concept and the number of hops to it.
type place struct{ concept, hops int }

func newTrails(w *walk, slack, most int) *trails {
	return &trails{walk: w, slack: slack, most: most, known: map[place][]*trail{}}
}

// to returns the cheapest trails of exactly the given number of hops that end at
// concept.
func (t *trails) to(concept, hops int) []*trail {
	n := t.walk.nodes[concept]
	if n == nil || hops < n.level || hops > n.level+t.slack {
		return nil
	}
	if hops == 0 {
		return []*trail{{at: concept}}
	}
	at := place{concept, hops}
	if found, ok := t.known[at]; ok {
		return found
	}
	var found []*trail
	for _, e := range n.into {
		for _, before := range t.to(e.From, hops-1) {
			found = append(found, &trail{before: before, edge: e, at: concept, cost: before.cost + cost(e)})
		}
	}
	found = cheapest(found, t.most, compareTrails)
	t.known[at] = found
	return found
}

// cheapest returns the first most of list in the order of compare.
func cheapest[T any](list []T, most int, compare func(a, b T) int) []T {
	slices.SortFunc(list, compare)
	return slices.Clip(list[:min(most, len(list))])
}
