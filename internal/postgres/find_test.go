package postgres_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestReadFound(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, "worker lane", "claim token")))
	keys, _ := passageKeys(t, s)
	r := questions.FindReading{Passages: []int32{keys[0].ID, 1 << 30}, Phrases: []string{"lane", "Worker Lane"}, Documents: []int32{keys[0].Document, 1 << 30}, Titled: 5}
	read, err := s.Library().ReadFound(t.Context(), r)
	must(t, err)
	if len(read.Concepts) == 0 || read.Concepts[0].Label != "worker lane" || !read.Concepts[0].Named || !slices.Equal(read.Concepts[0].Names, []string{"Worker Lane"}) {
		t.Errorf("concepts %+v", read.Concepts)
	}
	d := read.Documents[keys[0].Document]
	if len(read.Documents) != 1 || d.DocumentID != docID || d.Ontology != "o" || d.OntologyNumber != keys[0].Ontology || d.Title == nil || *d.Title != "Top" || d.Filename == "" || d.ContentType == "" {
		t.Errorf("documents %+v", read.Documents)
	}
	if read.Changed || read.Epoch != 0 || len(read.Passages) != 0 {
		t.Errorf("what was not asked for: %t, %d, %+v", read.Changed, read.Epoch, read.Passages)
	}
	r.Restricted = true
	if read, err = s.Library().ReadFound(t.Context(), r); err != nil || len(read.Concepts) > 0 {
		t.Errorf("within no ontology: %+v, %v", read.Concepts, err)
	}
	passages, err := s.Library().ReadPassages(t.Context(), []int32{keys[1].ID, 1 << 30, keys[0].ID})
	must(t, err)
	if len(passages) != 2 || passages[0].ID != keys[1].ID || passages[1].ID != keys[0].ID || passages[0].Text == "" {
		t.Errorf("passages %+v", passages)
	}
	around, err := s.Library().PassagesAround(t.Context(), keys[0].ID)
	must(t, err)
	for _, id := range around {
		p, err := s.Library().ReadPassages(t.Context(), []int32{id, keys[0].ID})
		must(t, err)
		if p[0].Class != p[1].Class || p[0].Section != p[1].Section || p[0].DocumentID != p[1].DocumentID {
			t.Errorf("around %+v is %+v", p[1], p[0])
		}
	}
	if !slices.Contains(around, keys[0].ID) {
		t.Errorf("around a passage is not the passage: %v", around)
	}
}

// TestReadFoundSince reads what a search shows with whether it is still what was found: within one
// ontology the same concepts come as without that.
func TestReadFoundSince(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	_, mark := passageKeys(t, s)
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, "worker lane", "claim token")))
	keys, _ := passageKeys(t, s)
	touched, err := s.Library().PassagesTouched(t.Context(), mark, 100)
	must(t, err)
	r := questions.FindReading{
		Passages: []int32{keys[0].ID}, Phrases: []string{"worker lane"}, Documents: []int32{keys[0].Document}, Restricted: true, Ontologies: []int32{keys[0].Ontology},
	}
	whole, err := s.Library().ReadFound(t.Context(), r)
	must(t, err)
	r.Shown, r.OneOntology = []int32{keys[1].ID, 1 << 30, keys[0].ID}, true
	r.Since = &knowledge.PassagesMark{GraphMark: touched.Until, Ontologies: touched.Ontologies}
	read, err := s.Library().ReadFound(t.Context(), r)
	must(t, err)
	if read.Changed || read.Epoch != touched.Until.Epoch || len(read.Concepts) == 0 || !reflect.DeepEqual(read.Concepts, whole.Concepts) || !reflect.DeepEqual(read.Documents, whole.Documents) {
		t.Errorf("as of %d, changed: %t:\n%+v, want\n%+v", read.Epoch, read.Changed, read, whole)
	}
	if len(read.Passages) != 2 || read.Passages[0].ID != keys[1].ID || read.Passages[1].Text == "" {
		t.Errorf("passages %+v", read.Passages)
	}
	r.Since.Ontologies++
	if read, err = s.Library().ReadFound(t.Context(), r); err != nil || !read.Changed {
		t.Errorf("nothing has changed, though an ontology has another name: %v", err)
	}
	r.Since.Ontologies--
	execSQL(t, dsn, "UPDATE kg_api.documents SET filename = 'other.txt'")
	if read, err = s.Library().ReadFound(t.Context(), r); err != nil || !read.Changed {
		t.Errorf("nothing has changed, though a document has another name: %v", err)
	}
}
