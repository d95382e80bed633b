package postgres

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestConceptsByEvidence compares the list with what was put into the graph.
func TestConceptsByEvidence(t *testing.T) {
	g := newRandomGraph(t, 60, 10)
	g.exec(t, "DELETE FROM kg_api.concept_embeddings WHERE concept = 1")
	for _, f := range []questions.ConceptFilter{
		{},
		{Ontology: "apples"},
		{Ontology: "bare"},
		{Ontology: "no such"},
		{LabelContains: "pt 1"},
		{LabelContains: "CONCEPT 2"},
		{LabelContains: "%"},
		{LabelContains: "_"},
		{Ontology: "zebras", LabelContains: "3"},
	} {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			want := g.listed(f)
			for _, page := range []struct{ offset, limit int }{{0, 500}, {0, 7}, {5, 10}, {100, 10}} {
				f.Offset, f.Limit = page.offset, page.limit
				list, total, err := g.now.ConceptsByEvidence(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				var got []int
				for _, c := range list {
					got = append(got, c.ID)
					if c.HasEmbedding != (c.ID != 1) || !slices.Equal(c.SearchTerms, []string{"other"}) || c.Sources < 1 {
						t.Errorf("concept %d: %+v", c.ID, c)
					}
				}
				from := min(f.Offset, len(want))
				if !slices.Equal(got, want[from:min(from+f.Limit, len(want))]) || total != len(want) {
					t.Errorf("%d from %d on: %v of %d, want of %v", f.Limit, f.Offset, got, total, want)
				}
			}
		})
	}
}

// listed returns the concepts that f selects, most chunks first, then most quotes.
func (g *randomGraph) listed(f questions.ConceptFilter) []int {
	chunks, quotes := map[int]map[int]bool{}, map[int]int{}
	for _, q := range g.quotes {
		if f.Ontology != "" && ontologyOf(q.source) != f.Ontology ||
			!strings.Contains(fmt.Sprint("concept ", q.concept), strings.ToLower(f.LabelContains)) {
			continue
		}
		if chunks[q.concept] == nil {
			chunks[q.concept] = map[int]bool{}
		}
		chunks[q.concept][q.source] = true
		quotes[q.concept]++
	}
	list := make([]int, 0, len(chunks))
	for c := range chunks {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(chunks[b]), len(chunks[a])), cmp.Compare(quotes[b], quotes[a]), cmp.Compare(a, b))
	})
	return list
}
