package postgres

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestTouchedConcepts changes what a search compares of concepts in every way, and wants
// the log to name those concepts, and no others.
func TestTouchedConcepts(t *testing.T) {
	g := newRandomGraph(t, 12, 1)
	all := []int{0} // whichever concept
	var first []int // that the first document shows, when the ninth has no quote any more
	for _, q := range g.quotes {
		if q.source <= chunksPerDocument && q.concept != 9 && !slices.Contains(first, q.concept) {
			first = append(first, q.concept)
		}
	}
	slices.Sort(first)
	for _, c := range []struct {
		name, sql string
		want      []int
	}{
		{"a new concept", `INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE VALUES (100, 'c_100', 'New', '{new}')`, []int{100}},
		{"its embedding", `INSERT INTO kg_api.concept_embeddings SELECT 100, model, vector, signature, bands FROM kg_api.concept_embeddings WHERE concept = 1`, []int{100}},
		{"its first quote", `INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte) VALUES (100, 1, 'q', 0, 1)`, []int{100}},
		{"other names of some", `UPDATE kg_api.concepts SET term_keys = term_keys || '{also}' WHERE id IN (3, 5)`, []int{3, 5}},
		{"another label", `UPDATE kg_api.concepts SET label = 'Six' WHERE id = 6`, []int{6}},
		{"a description", `UPDATE kg_api.concepts SET description = 'anything' WHERE id < 9`, nil},
		{"another embedding", `UPDATE kg_api.concept_embeddings SET model = 'other' WHERE concept = 7`, []int{7}},
		{"no embedding", `DELETE FROM kg_api.concept_embeddings WHERE concept = 8`, []int{8}},
		{"no quote", `DELETE FROM kg_api.instances WHERE concept = 9`, []int{9}},
		{"no concept", `DELETE FROM kg_api.concepts WHERE id = 100`, []int{100}},
		{"an ontology with another name", `UPDATE kg_api.ontologies SET name = 'renamed' WHERE name = 'bare'`, all},
		{"a document in another ontology", `UPDATE kg_api.documents d SET ontology_id = (SELECT o.id FROM kg_api.ontologies o WHERE NOT EXISTS (SELECT FROM kg_api.documents x WHERE x.ontology_id = o.id AND x.document_id = d.document_id) LIMIT 1) WHERE id = 1`, first},
		{"a document where it is", `UPDATE kg_api.documents SET ontology_id = ontology_id WHERE id = 1`, nil},
		{"a document's file name", `UPDATE kg_api.documents SET filename = 'other' WHERE id = 1`, nil},
	} {
		mark, err := g.store.GraphMark(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.exec(t, c.sql)
		changes, err := g.store.GraphChanges(t.Context(), mark, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, change := range changes.Changes {
			if change.Op != knowledge.OpTouchSource { // which is for another index
				got = append(got, int(change.Concept.Number))
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: the log names %v, want %v", c.name, got, c.want)
		}
	}
}

// TestShownByOntologies adds quotes, and wants the log to say which ontologies show their
// concepts.
func TestShownByOntologies(t *testing.T) {
	g := newRandomGraph(t, 12, 1)
	mark, err := g.store.GraphMark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.exec(t, `INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
		SELECT c, s.id, 'another', 7, 14 FROM generate_series(3, 4) c, kg_api.sources s`)
	changes, err := g.store.GraphChanges(t.Context(), mark, 1000)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]map[int]bool{3: {}, 4: {}}
	for _, c := range changes.Changes {
		if c.Op != questions.OpShowConcept || got[int(c.Concept.Number)][c.Ontology] {
			t.Errorf("the log says %+v", c)
		}
		got[int(c.Concept.Number)][c.Ontology] = true
	}
	entries, err := g.store.SearchEntries(t.Context(), fixtureModel, []int{3, 4})
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, e := range entries {
		if shown := slices.Sorted(maps.Keys(got[e.ID])); len(shown) < 2 || !slices.Equal(shown, slices.Sorted(slices.Values(e.Ontologies))) {
			t.Errorf("concept %d: the log says %v, the tables %v", e.ID, shown, e.Ontologies)
		}
	}
}

func TestSearchEntries(t *testing.T) {
	g := newRandomGraph(t, 25, 1)
	g.exec(t, `UPDATE kg_api.concept_embeddings SET model = 'another' WHERE concept = 5`)
	numbers, err := g.store.OntologyNumbers(t.Context())
	if err != nil || len(numbers) != 3 {
		t.Fatalf("%d ontologies, %v", len(numbers), err)
	}
	var paged []questions.SearchEntry
	for after := 0; ; after = paged[len(paged)-1].ID {
		page, err := g.store.SearchPage(t.Context(), fixtureModel, after, 10)
		if err != nil {
			t.Fatal(err)
		}
		if paged = append(paged, page...); len(page) < 10 {
			break
		}
	}
	if len(paged) != g.concepts {
		t.Fatalf("%d concepts, want %d", len(paged), g.concepts)
	}
	byID, err := g.store.SearchEntries(t.Context(), fixtureModel, []int{7, 5, 99})
	slices.SortFunc(byID, func(a, b questions.SearchEntry) int { return cmp.Compare(a.ID, b.ID) })
	if err != nil || len(byID) != 2 || byID[0].ID != 5 || byID[1].ConceptID != paged[6].ConceptID {
		t.Errorf("got %+v, %v", byID, err)
	}
	for i, e := range paged {
		if e.ID != i+1 || e.LabelKey == "" || !slices.Contains(e.Terms, e.LabelKey) || !slices.Contains(e.Terms, "other") {
			t.Errorf("concept %d: %+v", i+1, e)
		}
		for name, number := range numbers {
			if slices.Contains(e.Ontologies, number) != g.shownIn(e.ID, name) {
				t.Errorf("concept %d is in %v, of %v", e.ID, e.Ontologies, numbers)
			}
		}
		want := g.vectors[e.ID]
		if e.ID == 5 {
			want = nil
		}
		if !slices.Equal(e.Embedding, want) || want != nil && e.Signature != want.Signature() {
			t.Errorf("concept %d has another embedding, or another signature", e.ID)
		}
	}
}

// TestShownConcepts compares what is read in one round trip with what a view reads.
func TestShownConcepts(t *testing.T) {
	g := newRandomGraph(t, 20, 30)
	ids := []int{4, 2, 19, 999}
	for _, quotes := range []int{0, 2} {
		shown, err := g.store.ShownConcepts(t.Context(), ids, quotes)
		if err != nil {
			t.Fatal(err)
		}
		want := questions.ShownConcepts{}
		err = g.store.View(t.Context(), func(s *GraphSnapshot) (err error) {
			if want.Summaries, err = s.ConceptSummaries(t.Context(), ids); err != nil {
				return err
			}
			if want.Ontologies, err = s.ConceptOntologies(t.Context(), ids); err != nil || quotes == 0 {
				return err
			}
			want.Evidence, err = s.ConceptEvidence(t.Context(), ids, quotes)
			return err
		})
		if err != nil || len(want.Summaries) != 3 {
			t.Fatalf("%d concepts, %v", len(want.Summaries), err)
		}
		sameJSON(t, shown, want)
	}
}

func TestSearchThreshold(t *testing.T) {
	s := newDB(t).Graph()
	if threshold, err := s.SearchThreshold(t.Context()); threshold != nil || err != nil {
		t.Errorf("a new database has %v, %v", threshold, err)
	}
	for _, want := range []float64{0, 0.45, 1} {
		if err := s.SetSearchThreshold(t.Context(), want); err != nil {
			t.Error(err)
		}
		if threshold, err := s.SearchThreshold(t.Context()); err != nil || threshold == nil || *threshold != want {
			t.Errorf("got %v, %v, want %v", threshold, err, want)
		}
	}
	if err := s.SetSearchThreshold(t.Context(), 1.5); err == nil {
		t.Error("a threshold of 1.5 was stored")
	}
}

func sameJSON(t *testing.T, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}
