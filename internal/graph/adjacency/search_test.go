package adjacency_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
)

func TestSearches(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := drawNaive(r)
		g := n.build(t, 1)
		if err := g.Apply(n.change(r)); err != nil {
			r.Fatal(err)
		}
		v := g.View()
		only := v.Types(rapid.SampledFrom([][]string{nil, {"CAUSES"}, {"CAUSES", "RELATED_TO"}, {"UNKNOWN"}}).Draw(r, "types"))
		seeds := rapid.SliceOfN(rapid.SampledFrom(numbers), 1, 3).Draw(r, "seeds")
		hops := rapid.IntRange(1, 5).Draw(r, "hops")

		b, err := v.Ball(r.Context(), adjacency.BallQuery{Seeds: seeds, Hops: hops, Types: only})
		if err != nil || b.Cut {
			r.Fatal(b, err)
		}
		want := n.distances(seeds, only)
		found := map[int32]int{}
		for i, c := range b.Concepts {
			for found[c] = 1; i >= b.Ends[found[c]-1]; {
				found[c]++
			}
			if found[c] != want[c] || i > 0 && found[b.Concepts[i-1]] == found[c] && b.Concepts[i-1] >= c {
				r.Fatalf("got %v in levels that end at %v, want %v", b.Concepts, b.Ends, want)
			}
		}
		for c, distance := range want {
			if distance > 0 && distance <= hops && found[c] == 0 {
				r.Fatalf("concept %d at %d hops is missing in %v", c, distance, b.Concepts)
			}
		}
		if most := rapid.IntRange(1, 5).Draw(r, "most"); len(b.Concepts) > 0 {
			cut, err := v.Ball(r.Context(), adjacency.BallQuery{Seeds: seeds, Hops: hops, Types: only, Most: most})
			kept := min(most, len(b.Concepts))
			if err != nil || len(cut.Concepts) != kept || cut.Concepts[kept-1] != b.Concepts[kept-1] || cut.Cut != (kept < len(b.Concepts)) {
				r.Fatalf("got %v, cut %t, of %v", cut.Concepts, cut.Cut, b.Concepts)
			}
		}
		n.comparePath(r, v, only, hops)
	})
}

func (n naive) comparePath(t *rapid.T, v *adjacency.View, only adjacency.TypeSet, hops int) {
	from, to := rapid.SampledFrom(numbers).Draw(t, "from"), rapid.SampledFrom(numbers).Draw(t, "to")
	path, err := v.Shortest(t.Context(), from, to, hops, only)
	if err != nil {
		t.Fatal(err)
	}
	distance, reached := n.distances([]int32{from}, only)[to]
	switch {
	case !reached || distance > hops:
		if path != nil {
			t.Fatalf("got %v, want no path", path)
		}
		return
	case len(path) != distance+1 || path[0] != from || path[distance] != to:
		t.Fatalf("from %d to %d: got %v, want %d hops", from, to, path, distance)
	}
	for i, c := range path[:distance] {
		joined := false
		for neighbour := range v.Around(c) {
			joined = joined || neighbour.Concept == path[i+1] && only.Has(neighbour.Type)
		}
		if !joined {
			t.Fatalf("%d and %d in %v are not neighbours", c, path[i+1], path)
		}
	}
}
