package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
)

// TestNamesakes: two concepts of one name are offered, with what tells them apart, until
// somebody says that they stay two, or makes them one.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	g := newCurated(t)
	g.matcher = byOwnName{}
	g.document("db", said{"GIN", "USES", "posting list", 1}, said{"GIN", "PART_OF", "PostgreSQL", 0.5})
	g.document("bar", said{"gin", "CONSUMES", "juniper", 1})
	list := func(apart bool) []knowledge.Namesakes {
		t.Helper()
		all, err := g.Notes().Namesakes(t.Context(), apart, 10)
		must(t, err)
		return all
	}
	offered := list(false)
	if len(offered) != 1 {
		t.Fatalf("%+v are offered, want the index and the drink", offered)
	}
	a, b := offered[0].A, offered[0].B
	if a.Label != "GIN" || !slices.Equal(a.Ontologies, []string{"db"}) || !slices.Equal(a.Neighbors, []string{"posting list", "PostgreSQL"}) || a.Quotes != 1 {
		t.Errorf("the index is %+v", a)
	}
	if b.Label != "gin" || !slices.Equal(b.Ontologies, []string{"bar"}) || !slices.Equal(b.Neighbors, []string{"juniper"}) {
		t.Errorf("the drink is %+v", b)
	}
	for range 2 { // the second time changes nothing
		must(t, g.Notes().KeepApart(t.Context(), knowledge.NewKeptApart{A: b.ConceptID, B: a.ConceptID, Reason: "an index and a drink", By: "ada"}))
	}
	if offered := list(false); len(offered) != 0 {
		t.Errorf("they stay two, and %+v are offered", offered)
	}
	if apart := list(true); len(apart) != 1 || apart[0].Apart.By != "ada" || apart[0].Apart.Reason != "an index and a drink" || apart[0].A.ConceptID != a.ConceptID {
		t.Errorf("%+v stay two, want the index and the drink", apart)
	}
	g.document("bar", said{"gin", "PART_OF", "a cocktail", 1})
	if offered := list(false); len(offered) != 0 {
		t.Errorf("after another document %+v are offered again", offered)
	}
	must(t, g.Notes().OfferAgain(t.Context(), a.ConceptID, b.ConceptID))
	if offered := list(false); len(offered) != 1 {
		t.Errorf("what was taken back is not offered: %+v", offered)
	}
	must(t, g.Notes().KeepApart(t.Context(), knowledge.NewKeptApart{A: a.ConceptID, B: b.ConceptID, By: "ada"}))
	_, err := g.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: a.ConceptID, Merge: b.ConceptID, By: "ada"})
	must(t, err)
	if len(list(false))+len(list(true)) != 0 {
		t.Errorf("they are one, and listed: %+v, %+v", list(false), list(true))
	}
	g.sound("namesakes")
}

// TestNamesakesOfNoConcept: concepts that are not there, or that nobody kept apart, are said.
func TestNamesakesOfNoConcept(t *testing.T) {
	t.Parallel()
	g := newCurated(t)
	g.document("db", said{"GIN", "PART_OF", "PostgreSQL", 1})
	ids := lines(t, g.conn, `SELECT concept_id FROM kg_api.concepts ORDER BY id`)
	for what, err := range map[string]error{
		"'none_1' not found": g.Notes().KeepApart(t.Context(), knowledge.NewKeptApart{A: ids[0], B: "none_1", By: "ada"}),
		"'none_2' not found": g.Notes().OfferAgain(t.Context(), "none_2", ids[0]),
		"stay two":           g.Notes().OfferAgain(t.Context(), ids[0], ids[1]),
	} {
		if kappa.ErrorCode(err) != kappa.CodeNotFound || !strings.Contains(kappa.ErrorMessage(err), what) {
			t.Errorf("%v, want not found: %s", err, what)
		}
	}
}

// TestNamesakesOfTwoScripts: names that sound alike in two scripts are offered as one thing, and
// nothing is joined.
func TestNamesakesOfTwoScripts(t *testing.T) {
	t.Parallel()
	g := newCurated(t)
	g.matcher = byOwnName{}
	g.document("en", said{"Moscow", "PART_OF", "Russia", 1}, said{"moscow mule", "PART_OF", "bar", 1})
	pairs := func() (all []string) {
		t.Helper()
		list, err := g.Notes().Namesakes(t.Context(), false, 10)
		must(t, err)
		for _, p := range list {
			all = append(all, p.A.Label+" "+p.B.Label)
		}
		return all
	}
	if got := pairs(); len(got) != 0 {
		t.Errorf("in one script %q are offered", got)
	}
	g.document("ru", said{"Москва", "PART_OF", "Россия", 1}, said{"Минск", "PART_OF", "Беларусь", 1})
	g.document("el", said{"Μόσχα", "PART_OF", "Ρωσία", 1})
	if got := pairs(); !slices.Equal(got, []string{"Moscow Москва"}) {
		t.Errorf("%q are offered", got)
	}
	list, err := g.Notes().Namesakes(t.Context(), false, 10)
	must(t, err)
	for _, p := range list {
		must(t, g.Notes().KeepApart(t.Context(), knowledge.NewKeptApart{A: p.A.ConceptID, B: p.B.ConceptID, By: "ada"}))
	}
	if got := pairs(); len(got) != 0 {
		t.Errorf("they stay two, and %q are offered", got)
	}
	if n := lines(t, g.conn, `SELECT count(*)::text FROM kg_api.concepts WHERE label IN ('Moscow', 'Москва')`); n[0] != "2" {
		t.Errorf("%s concepts are left of two", n[0])
	}
}
