package graph

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
)

// walk is a breadth-first search from one concept or several, a level at a time. It reads
// nothing itself: whoever drives it loads the edges around the frontier and
// hands them to next.
type walk struct {
	start    int
	depth    int   // levels taken
	frontier []int // the concepts of the last level, ascending

	nodes map[int]*node // what was reached, by concept
}

// node is what a walk knows of a concept that it has reached.
type node struct {
	level int            // hops from the start
	cost  int            // of the cheapest shortest path
	via   knowledge.Edge // the last edge of that path
	// into is the strongest edge from each concept whose edges were loaded.
	into []knowledge.Edge
}

func newWalk(starts ...int) *walk {
	w := &walk{start: starts[0], frontier: distinct(starts), nodes: map[int]*node{}}
	for _, start := range starts {
		w.nodes[start] = &node{}
	}
	slices.Sort(w.frontier)
	return w
}

// reached reports whether the walk has reached a concept.
func (w *walk) reached(concept int) bool { return w.nodes[concept] != nil }

// next takes the level that the edges around the frontier lead to. Of more than
// room new concepts it keeps the ones with the cheapest paths, and reports that
// it left some out. keep, when not nil, exempts concepts from that.
func (w *walk) next(loaded []knowledge.Edge, room int, keep func(concept int) bool) (cut bool) {
	w.depth++
	w.frontier = nil
	for _, e := range strongest(loaded) {
		n, total := w.nodes[e.To], w.nodes[e.From].cost+cost(e)
		switch {
		case n == nil:
			n = &node{level: w.depth, cost: total, via: e}
			w.nodes[e.To] = n
			w.frontier = append(w.frontier, e.To)
		case n.level == w.depth && cmp.Or(cmp.Compare(total, n.cost), cmp.Compare(e.From, n.via.From)) < 0:
			n.cost, n.via = total, e
		}
		n.into = append(n.into, e)
	}
	if len(w.frontier) > room {
		w.drop(room, keep)
		cut = true
	}
	slices.Sort(w.frontier)
	return cut
}

// drop takes all but room concepts out of the frontier: the ones with the cheapest paths
// stay.
func (w *walk) drop(room int, keep func(concept int) bool) {
	stays := make(map[int]bool, room)
	for _, e := range cheapestEnds(w, room) {
		stays[e.concept] = true
	}
	kept := w.frontier[:0]
	for _, c := range w.frontier {
		if stays[c] || (keep != nil && keep(c)) {
			kept = append(kept, c)
			continue
		}
		delete(w.nodes, c)
	}
	w.frontier = kept
}

// end is a concept of the frontier with the cost of its cheapest path.
type end struct{ cost, concept int }

// cheapestEnds returns the most ends of the frontier of w with the cheapest paths. It
// keeps few of them at a time: a frontier may have a thousand times as many.
func cheapestEnds(w *walk, most int) []end {
	if most <= 0 {
		return nil
	}
	compare := func(a, b end) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.concept, b.concept)) }
	var list []end
	var last *end // of those that may stay; nil while all may
	for _, c := range w.frontier {
		e := end{w.nodes[c].cost, c}
		if last != nil && compare(*last, e) < 0 {
			continue
		}
		if list = append(list, e); len(list) == 2*most+64 {
			slices.SortFunc(list, compare)
			list = list[:most]
			last = new(list[most-1])
		}
	}
	slices.SortFunc(list, compare)
	return list[:min(most, len(list))]
}

// compare orders concepts: nearest first, then by the cheapest path.
func (w *walk) compare(a, b int) int {
	x, y := w.nodes[a], w.nodes[b]
	return cmp.Or(cmp.Compare(x.level, y.level), cmp.Compare(x.cost, y.cost), cmp.Compare(a, b))
}

// types returns the relationship types along the cheapest shortest path.
func (w *walk) types(concept int) []string {
	types := make([]string, 0, w.nodes[concept].level)
	for concept != w.start {
		e := w.nodes[concept].via
		types = append(types, e.Type)
		concept = e.From
	}
	slices.Reverse(types)
	return types
}

// strongest keeps one edge for each pair of ends, ordered by them.
func strongest(edges []knowledge.Edge) []knowledge.Edge {
	if !slices.IsSortedFunc(edges, compareEnds) { // in memory they are
		edges = slices.Clone(edges)
		slices.SortFunc(edges, compareEnds)
	}
	kept := make([]knowledge.Edge, 0, len(edges))
	for _, e := range edges {
		last := len(kept) - 1
		switch {
		case last < 0 || compareEnds(kept[last], e) != 0:
			kept = append(kept, e)
		case compareEdges(e, kept[last]) < 0:
			kept[last] = e
		}
	}
	return kept
}

// compareEnds orders edges by their ends.
func compareEnds(a, b knowledge.Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}
