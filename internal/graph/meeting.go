package graph

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
)

// meeting is a bidirectional search: two walks that grow towards each other. Both
// together see far fewer concepts than one that goes the whole way.
type meeting struct {
	from, to *walk
}

func newMeeting(from, to int) *meeting { return &meeting{from: newWalk(from), to: newWalk(to)} }

// hops is the length up to which every path is known.
func (m *meeting) hops() int { return m.from.depth + m.to.depth }

// visited counts the concepts that the walks have reached.
func (m *meeting) visited() int { return len(m.from.nodes) + len(m.to.nodes) }

// smaller returns the walk whose next level costs less, and the other one.
func (m *meeting) smaller() (w, other *walk) {
	if len(m.to.frontier) < len(m.from.frontier) {
		return m.to, m.from
	}
	return m.from, m.to
}

// met reports that there is a path of m.hops. A walk has just taken a level and
// there was no shorter path before, so such a path leads through its frontier.
func (m *meeting) met(last *walk) bool {
	other := m.from
	if last == m.from {
		other = m.to
	}
	return slices.ContainsFunc(last.frontier, other.reached)
}

// route is a path between the two starts.
type route struct {
	edges []knowledge.Edge
	cost  int
}

// concepts returns what r visits, both ends included.
func (r route) concepts(start int) []int {
	list := []int{start}
	for _, e := range r.edges {
		list = append(list, e.To)
	}
	return list
}

// compareRoutes orders routes of the same length: the one that says most first,
// then by the concepts that they visit.
func compareRoutes(a, b route) int {
	return cmp.Or(
		cmp.Compare(a.cost, b.cost),
		slices.CompareFunc(a.edges, b.edges, func(x, y knowledge.Edge) int { return cmp.Compare(x.To, y.To) }),
	)
}

// routes returns the best routes of exactly m.hops, up to most. slack is how many
// hops that is above the shortest: 0 or 1, so that no route visits a concept
// twice. Each route has one concept after m.from.depth hops, and both walks know
// the part up to there.
func (m *meeting) routes(slack, most int) []route {
	there, back := newTrails(m.from, slack, most), newTrails(m.to, slack, most)
	var found []route
	for concept := range m.from.nodes {
		if !m.to.reached(concept) {
			continue
		}
		for _, a := range there.to(concept, m.from.depth) {
			for _, b := range back.to(concept, m.to.depth) {
				found = append(found, join(a, b))
			}
		}
		found = cheapest(found, most, compareRoutes)
	}
	return found
}

// join makes a route of two trails that end at the same concept: the second is
// taken backwards.
func join(a, b *trail) route {
	edges := a.edges()
	for t := b; t.before != nil; t = t.before {
		edges = append(edges, reversed(t.edge))
	}
	return route{edges: edges, cost: a.cost + b.cost}
}
