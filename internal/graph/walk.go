package graph

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa"
)

// walk is a breadth-first search from one concept, a level at a time. It reads
// nothing itself: whoever drives it loads the edges around the frontier and
// hands them to next.
type walk struct {
	start    int
	depth    int   // levels taken
	frontier []int // the concepts of the last level, ascending

	level map[int]int        // concept → hops from the start
	cost  map[int]int        // concept → cost of its cheapest shortest path
	via   map[int]kappa.Edge // concept → the last edge of that path
	// into holds, for each concept, the strongest edge from each concept whose
	// edges were loaded.
	into map[int][]kappa.Edge
}

func newWalk(start int) *walk {
	return &walk{
		start: start, frontier: []int{start},
		level: map[int]int{start: 0}, cost: map[int]int{start: 0},
		via: map[int]kappa.Edge{}, into: map[int][]kappa.Edge{},
	}
}

// next takes the level that the edges around the frontier lead to. Of more than
// room new concepts it keeps the ones with the cheapest paths, and reports that
// it left some out. keep, when not nil, exempts concepts from that.
func (w *walk) next(loaded []kappa.Edge, room int, keep func(concept int) bool) (cut bool) {
	w.depth++
	w.frontier = nil
	for _, e := range strongest(loaded) {
		w.into[e.To] = append(w.into[e.To], e)
		if _, known := w.level[e.To]; known && w.level[e.To] < w.depth {
			continue
		}
		if _, known := w.level[e.To]; !known {
			w.level[e.To] = w.depth
			w.frontier = append(w.frontier, e.To)
		}
		w.improve(e)
	}
	if len(w.frontier) > room {
		w.drop(room, keep)
		cut = true
	}
	slices.Sort(w.frontier)
	return cut
}

// improve takes e as the last edge of the path to its end when that is cheaper.
func (w *walk) improve(e kappa.Edge) {
	total := w.cost[e.From] + cost(e)
	if old, known := w.via[e.To]; known {
		if c := cmp.Or(cmp.Compare(total, w.cost[e.To]), cmp.Compare(e.From, old.From)); c >= 0 {
			return
		}
	}
	w.cost[e.To], w.via[e.To] = total, e
}

// drop takes all but room concepts out of the frontier.
func (w *walk) drop(room int, keep func(concept int) bool) {
	slices.SortFunc(w.frontier, w.compare)
	kept := w.frontier[:0]
	for i, c := range w.frontier {
		if i < room || (keep != nil && keep(c)) {
			kept = append(kept, c)
			continue
		}
		delete(w.level, c)
		delete(w.cost, c)
		delete(w.via, c)
		delete(w.into, c)
	}
	w.frontier = kept
}

// compare orders concepts: nearest first, then by the cheapest path.
func (w *walk) compare(a, b int) int {
	return cmp.Or(cmp.Compare(w.level[a], w.level[b]), cmp.Compare(w.cost[a], w.cost[b]), cmp.Compare(a, b))
}

// types returns the relationship types along the cheapest shortest path.
func (w *walk) types(concept int) []string {
	types := make([]string, 0, w.level[concept])
	for concept != w.start {
		e := w.via[concept]
		types = append(types, e.Type)
		concept = e.From
	}
	slices.Reverse(types)
	return types
}

// strongest keeps one edge for each pair of ends, ordered by them.
func strongest(edges []kappa.Edge) []kappa.Edge {
	edges = slices.Clone(edges)
	slices.SortFunc(edges, func(a, b kappa.Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), compareEdges(a, b))
	})
	return slices.CompactFunc(edges, func(a, b kappa.Edge) bool { return a.From == b.From && a.To == b.To })
}
