package postgres_test

import (
	"slices"
	"testing"

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
