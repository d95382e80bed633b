package postgres

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// allPages reads a list page by page.
func allPages[T any](t *testing.T, get func(cursor string) ([]T, error), place func(T) kappa.Cursor) []T {
	t.Helper()
	var all []T
	cursor := ""
	for range 1000 {
		page, err := get(cursor)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
		cursor = place(page[len(page)-1]).String()
	}
	t.Fatal("the list does not end")
	return nil
}

// TestCursorsOfTheGraph pages through concepts and relationships, and finds what one large
// page has.
func TestCursorsOfTheGraph(t *testing.T) {
	g := newRandomGraph(t, 60, 10)
	for _, ontology := range []string{"", "apples"} {
		whole, _, err := g.now.ConceptsByEvidence(t.Context(), questions.ConceptFilter{Ontology: ontology, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		got := allPages(t, func(cursor string) ([]knowledge.ConceptEvidence, error) {
			page, _, err := g.now.ConceptsByEvidence(t.Context(), questions.ConceptFilter{Ontology: ontology, Limit: 7, Cursor: cursor})
			return page, err
		}, func(c knowledge.ConceptEvidence) kappa.Cursor {
			return kappa.Cursor{List: kappa.ListConcepts, Keys: []int64{int64(c.Sources), int64(c.Quotes), int64(c.ID)}}
		})
		id := func(list []knowledge.ConceptEvidence) (ids []int) {
			for _, c := range list {
				ids = append(ids, c.ID)
			}
			return ids
		}
		if !slices.Equal(id(got), id(whole)) || len(whole) < 20 {
			t.Errorf("%q: concepts %v, want %v", ontology, id(got), id(whole))
		}

		edges, _, err := g.now.ListEdges(t.Context(), questions.EdgeFilter{Ontology: ontology, Limit: 500}, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		inPages := allPages(t, func(cursor string) ([]questions.ListedEdge, error) {
			page, _, err := g.now.ListEdges(t.Context(), questions.EdgeFilter{Ontology: ontology, Limit: 7, Cursor: cursor}, 0, 0)
			return page, err
		}, func(e questions.ListedEdge) kappa.Cursor { return e.Place })
		pair := func(list []questions.ListedEdge) (pairs []string) {
			for _, e := range list {
				pairs = append(pairs, e.FromID+" "+e.Type+" "+e.ToID)
			}
			return pairs
		}
		if !slices.Equal(pair(inPages), pair(edges)) {
			t.Errorf("%q: %d relationships in pages, %d at once", ontology, len(inPages), len(edges))
		}
	}
}
