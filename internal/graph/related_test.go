package graph

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

func TestRelatedAgreesWithEveryPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomMemory(t)
		start := rapid.IntRange(0, m.concepts-1).Draw(t, "start")
		depth := rapid.IntRange(1, questions.MaxRelatedDepth).Draw(t, "depth")
		types := rapid.SampledFrom([][]string{nil, {"CAUSES"}, {"CAUSES", "PART_OF"}}).Draw(t, "types")

		best := map[int]route{} // the cheapest shortest path to each concept
		for _, r := range m.simplePaths(start, types) {
			end := r.end(start)
			old, known := best[end]
			if end == start || len(r.edges) > depth || (known && len(old.edges) < len(r.edges)) {
				continue
			}
			if !known || len(r.edges) < len(old.edges) || r.cost < old.cost {
				best[end] = r
			}
		}

		result, err := New(Config{View: viewOf(m)}).Related(t.Context(), questions.RelatedQuery{
			EpistemicFilter: questions.EpistemicFilter{IncludeWeak: true},
			ConceptID:       conceptID(start), RelationshipFilter: questions.RelationshipFilter{Types: types}, MaxDepth: depth,
		})
		if err != nil {
			t.Fatal(err)
		}
		if result.Truncated || result.Count != len(result.Results) {
			t.Fatalf("truncated %v, count %d of %d", result.Truncated, result.Count, len(result.Results))
		}
		distances := map[string]int{}
		for _, r := range result.Results {
			distances[r.ConceptID] = r.Distance
			if len(r.PathTypes) != r.Distance {
				t.Fatalf("%d path types at distance %d", len(r.PathTypes), r.Distance)
			}
		}
		want := map[string]int{}
		for c, r := range best {
			want[conceptID(c)] = len(r.edges)
		}
		if !maps.Equal(distances, want) {
			t.Fatalf("distances %v, want %v", distances, want)
		}
		checkCosts(t, m, start, depth, types, best)
	})
}

// checkCosts checks that a walk's paths are the cheapest among the shortest.
func checkCosts(t *rapid.T, m *memory, start, depth int, types []string, best map[int]route) {
	w := newWalk(start)
	for w.depth < depth {
		edges, _ := m.EdgesAround(t.Context(), w.frontier, types, 1_000_000)
		w.next(edges, 1_000_000, nil)
	}
	for c, r := range best {
		if w.nodes[c].cost != r.cost {
			t.Fatalf("concept %d: cost %d, want %d", c, w.nodes[c].cost, r.cost)
		}
		var sum int
		for at := c; at != start; at = w.nodes[at].via.From {
			sum += cost(w.nodes[at].via)
		}
		if sum != r.cost {
			t.Fatalf("concept %d: the shown path costs %d, want %d", c, sum, r.cost)
		}
	}
}

func TestRelated(t *testing.T) {
	causes := func(from, to int, confidence float64) knowledge.Edge {
		return knowledge.Edge{From: from, To: to, Type: "CAUSES", Confidence: confidence, Forward: true}
	}

	t.Run("nearest first, then by label, with the types of the path that says most", func(t *testing.T) {
		m := &memory{concepts: 5, edges: []knowledge.Edge{
			causes(2, 0, 0.5), causes(0, 1, 0.4),
			{From: 1, To: 3, Type: "PART_OF", Confidence: 1, Forward: true},
			{From: 2, To: 3, Type: vocabulary.TypeRelatedTo, Confidence: 1, Forward: true},
			causes(3, 4, 1),
		}}
		result, err := New(Config{View: viewOf(m)}).Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 2})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range result.Results {
			got = append(got, fmt.Sprintf("%s %d %v", r.ConceptID, r.Distance, r.PathTypes))
		}
		want := []string{"c_1 1 [CAUSES]", "c_2 1 [CAUSES]", "c_3 2 [CAUSES PART_OF]"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})

	star := &memory{concepts: 12}
	for leaf := 1; leaf < 12; leaf++ {
		star.edges = append(star.edges, causes(0, leaf, float64(leaf)/20))
	}
	t.Run("a cut says so and keeps the strongest", func(t *testing.T) {
		g := New(Config{View: viewOf(star)})
		g.limits.related = 3
		checkCut(t, g, []string{"c_9", "c_10", "c_11"})
	})
	t.Run("a cut of relationships says so and keeps the strongest", func(t *testing.T) {
		g := New(Config{View: viewOf(star)})
		g.limits.edges = 2
		checkCut(t, g, []string{"c_10", "c_11"})
	})
	t.Run("what fits exactly is not called cut", func(t *testing.T) {
		g := New(Config{View: viewOf(star)})
		g.limits.related, g.limits.edges = 11, 11
		result, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 1})
		if err != nil || result.Truncated || result.Count != 11 {
			t.Errorf("%d found, truncated %v, err %v", result.Count, result.Truncated, err)
		}
	})
	t.Run("an unknown concept is not found", func(t *testing.T) {
		_, err := New(Config{View: viewOf(star)}).Related(t.Context(), questions.RelatedQuery{ConceptID: "c_99", MaxDepth: 1})
		if kappa.ErrorCode(err) != kappa.CodeNotFound || kappa.ErrorMessage(err) != "Concept 'c_99' not found" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a depth out of range is invalid", func(t *testing.T) {
		_, err := New(Config{View: viewOf(star)}).Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 6})
		if kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("got %v", err)
		}
	})
}

func checkCut(t *testing.T, g *Graph, want []string) {
	t.Helper()
	result, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range result.Results {
		got = append(got, r.ConceptID)
	}
	if !result.Truncated || !slices.Equal(got, want) {
		t.Errorf("got %v, truncated %v, want %v", got, result.Truncated, want)
	}
}
