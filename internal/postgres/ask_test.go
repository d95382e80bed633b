package postgres_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestPassagesTouched(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	_, mark := passageKeys(t, s)
	first, err := s.Library().PassagesTouched(t.Context(), mark, 100)
	must(t, err)
	if len(first.Sources) != 0 || first.Until.Origin != mark.Origin || first.Until.Snapshot == "" {
		t.Errorf("before anything: %+v", first)
	}
	writePassages(t, s, c, withPassages(chunkGraph(1, "worker lane", "claim token")))
	keys, _ := passageKeys(t, s)
	second, err := s.Library().PassagesTouched(t.Context(), first.Until, 100)
	must(t, err)
	if !slices.Equal(second.Sources, []int32{keys[0].Source}) || second.Ontologies == first.Ontologies {
		t.Errorf("after a chunk of a new ontology: %+v, before %+v", second, first)
	}
	third, err := s.Library().PassagesTouched(t.Context(), second.Until, 100)
	must(t, err)
	if len(third.Sources) != 0 || third.Ontologies != second.Ontologies {
		t.Errorf("the same again: %+v", third)
	}
	if _, err := s.Library().PassagesTouched(t.Context(), first.Until, 1); !errors.Is(err, knowledge.ErrGraphReload) {
		t.Errorf("more than are listed: %v", err)
	}
	execSQL(t, dsn, "SELECT kg_api.reload_graph()")
	if _, err := s.Library().PassagesTouched(t.Context(), third.Until, 100); !errors.Is(err, knowledge.ErrGraphReload) {
		t.Errorf("after a change that no list describes: %v", err)
	}
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, "worker lane", "claim token")))
	keys, mark := passageKeys(t, s)
	ask := questions.AskReading{Passages: []int32{keys[1].ID, keys[0].ID, 1 << 30}, Phrases: []string{"Worker lane"}}
	read, err := s.Library().ReadAnswer(t.Context(), ask)
	must(t, err)
	if len(read.Passages) != 2 || read.Passages[0].ID != keys[1].ID || read.Passages[0].Text == "" || read.Passages[0].OntologyName != "o" {
		t.Errorf("passages %+v", read.Passages)
	}
	if len(read.Concepts) == 0 || read.Concepts[0].Label != "worker lane" || !read.Concepts[0].Named {
		t.Errorf("concepts %+v", read.Concepts)
	}
	if len(read.Edges) != 1 || read.Edges[0].Type != "PART_OF" || read.Edges[0].FromLabel != "worker lane" || read.Edges[0].Confidence != 0.8 {
		t.Errorf("relationships %+v", read.Edges)
	}
	ask.Restricted = true
	read, err = s.Library().ReadAnswer(t.Context(), ask)
	must(t, err)
	if len(read.Concepts) != 0 {
		t.Errorf("within no ontology: %+v", read.Concepts)
	}
	ask.Ontologies = []int32{keys[0].Ontology}
	read, err = s.Library().ReadAnswer(t.Context(), ask)
	must(t, err)
	if len(read.Concepts) == 0 || !read.Concepts[0].Named {
		t.Errorf("within its ontology: %+v", read.Concepts)
	}
	touched, err := s.Library().PassagesTouched(t.Context(), mark, 100)
	must(t, err)
	since := &knowledge.PassagesMark{GraphMark: touched.Until, Ontologies: touched.Ontologies}
	changed := func(restricted bool, since *knowledge.PassagesMark) bool {
		t.Helper()
		read, err := s.Library().ReadAnswer(t.Context(), questions.AskReading{Passages: []int32{keys[0].ID}, Restricted: restricted, Since: since})
		must(t, err)
		if len(read.Passages) != 1 || read.Epoch != touched.Until.Epoch {
			t.Errorf("%d passages as of %d", len(read.Passages), read.Epoch)
		}
		return read.Changed
	}
	if changed(false, since) || changed(true, since) {
		t.Error("something has changed, though nothing was written")
	}
	named, elsewhere := *since, *since
	named.Ontologies++
	elsewhere.Origin = "elsewhere"
	if changed(false, &named) || !changed(true, &named) || !changed(false, &elsewhere) {
		t.Error("names of ontologies count where they are asked for, and the tables always")
	}
	execSQL(t, dsn, "UPDATE kg_api.documents SET filename = 'other.txt'")
	if !changed(false, since) {
		t.Error("nothing has changed, though a document has another name")
	}
	touched, err = s.Library().PassagesTouched(t.Context(), touched.Until, 100)
	must(t, err)
	since.GraphMark = touched.Until
	execSQL(t, dsn, "SELECT kg_api.reload_graph()")
	if !changed(false, since) {
		t.Error("nothing has changed, though all has")
	}
	for _, test := range []struct {
		q    questions.AskDocuments
		want int
	}{
		{questions.AskDocuments{DocumentIDs: []string{docID}}, 1},
		{questions.AskDocuments{DocumentIDs: []string{"sha256:other"}}, 0},
		{questions.AskDocuments{Types: []corpus.ContentType{corpus.ContentPlain}}, 1},
		{questions.AskDocuments{Types: []corpus.ContentType{corpus.ContentPDF}}, 0},
		{questions.AskDocuments{Since: time.Now().Add(-time.Hour)}, 1},
		{questions.AskDocuments{Since: time.Now().Add(time.Hour)}, 0},
	} {
		ids, err := s.Library().AskDocuments(t.Context(), test.q)
		must(t, err)
		if len(ids) != test.want {
			t.Errorf("%+v: %v", test.q, ids)
		}
	}
}
