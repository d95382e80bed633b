package postgres

import (
	"maps"
	"testing"
)

func TestConceptNumbers(t *testing.T) {
	t.Parallel()
	g := newRandomGraph(t, 10, 5)
	got, err := g.now.ConceptNumbers(t.Context(), []string{"c_3", "c_9", "c_3", "no_such", "'; --"})
	if want := map[string]int{"c_3": 3, "c_9": 9}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := g.now.ConceptNumbers(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of none: %v, %v", got, err)
	}
}

func TestConceptDegrees(t *testing.T) {
	t.Parallel()
	g := newRandomGraph(t, 30, 120)
	ids := []int{1, 2, 3, 30, 999}
	want := map[int]int{}
	for _, id := range ids {
		if len(g.vectors[id]) > 0 {
			want[id] = 0
		}
	}
	for _, e := range g.edges {
		for _, end := range []int{e.From, e.To} {
			if _, known := want[end]; known {
				want[end]++
			}
		}
	}
	got, err := g.now.ConceptDegrees(t.Context(), fixtureModel, ids)
	if err != nil || !maps.Equal(got, want) || len(want) == 0 {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := g.now.ConceptDegrees(t.Context(), "another model", ids); err != nil || len(got) != 0 {
		t.Errorf("of another model: %v, %v", got, err)
	}
}
