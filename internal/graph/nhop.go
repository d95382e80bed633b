package graph

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
)

// nhopQuery asks for the concepts around some seeds.
type nhopQuery struct {
	seeds []int
	hops  int      // 1 to 5
	types []string // only these relationship types; empty = all
	most  int      // concepts returned, the nearest first; 0 = all
}

// ball is the answer to an nhopQuery: the concepts within some hops of the
// seeds, without the seeds, nearest first and then by number.
type ball struct {
	concepts []int
	distance map[int]int // concept → hops from the nearest seed
	kappa.Completeness
}

// nhop returns the concepts within q.hops relationships of the nearest of
// q.seeds, in either direction.
func (v view) nhop(ctx context.Context, q nhopQuery) (ball, error) {
	return v.nhopOnTables(ctx, q)
}

// nhopOnTables takes level by level from the tables, a query each.
func (v view) nhopOnTables(ctx context.Context, q nhopQuery) (ball, error) {
	b := ball{distance: map[int]int{}, Completeness: kappa.Completeness{Complete: true}}
	seen := make(map[int]bool, len(q.seeds))
	for _, s := range q.seeds {
		seen[s] = true
	}
	frontier := distinct(q.seeds)
	for hop := 1; hop <= q.hops && len(frontier) > 0; hop++ {
		edges, err := v.EdgesAround(ctx, frontier, typeNames(q.types), v.limits.edges+1)
		if err != nil {
			return ball{}, err
		}
		if len(edges) > v.limits.edges {
			edges = edges[:v.limits.edges]
			b.Complete, b.Truncated = false, true
			b.Missing = "more relationships are around these concepts than one question reads; ask for fewer hops or types"
		}
		frontier = nil
		for _, e := range edges {
			if !seen[e.To] {
				seen[e.To] = true
				frontier = append(frontier, e.To)
				b.distance[e.To] = hop
			}
		}
		slices.Sort(frontier)
		b.concepts = append(b.concepts, frontier...)
	}
	if q.most > 0 && len(b.concepts) > q.most {
		for _, c := range b.concepts[q.most:] {
			delete(b.distance, c)
		}
		b.concepts = b.concepts[:q.most]
		b.Complete, b.Truncated = false, true
		b.Missing = "more concepts are within reach than were asked for"
	}
	return b, nil
}
