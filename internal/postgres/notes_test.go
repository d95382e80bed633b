package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa"
)

// TestRelationshipsOfFrozenOntologies checks that a relationship stays as it is while a
// frozen ontology shows it.
func TestRelationshipsOfFrozenOntologies(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "lease", "worker"), byLabel{}, noCheckpoint)
	must(t, err)
	e := kappa.WrittenEdge{Type: "PART_OF", Confidence: 0.5}
	conn := connect(t, dsn)
	must(t, conn.QueryRow(t.Context(), `SELECT a.concept_id, b.concept_id FROM kg_api.edges e
		JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst`).Scan(&e.FromID, &e.ToID))
	_, err = s.Ontologies().SetLifecycle(t.Context(), "o", kappa.LifecycleFrozen)
	must(t, err)
	was := content(t, conn)
	if _, err := s.Notes().EditEdge(t.Context(), e); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("changed in a frozen ontology: %v", err)
	}
	if err := s.Notes().RemoveEdge(t.Context(), e); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("deleted in a frozen ontology: %v", err)
	}
	if is := content(t, conn); is != was {
		t.Errorf("the graph has changed:\n%s\nwas\n%s", is, was)
	}
	_, err = s.Ontologies().SetLifecycle(t.Context(), "o", kappa.LifecycleActive)
	must(t, err)
	_, err = s.Notes().EditEdge(t.Context(), e)
	must(t, err)
	must(t, s.Notes().RemoveEdge(t.Context(), e))
}

// TestStaleEditsOfConcepts: who changes a concept that somebody else has changed meanwhile
// is told so, and changes nothing.
func TestStaleEditsOfConcepts(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	run(t, conn, `INSERT INTO kg_api.concepts (concept_id, label, term_keys) VALUES ('c_1', 'wal', '{}')`)
	edit := func(was, is kappa.ExtractedConcept) error {
		_, err := s.Notes().EditConcept(t.Context(), "c_1", was, is, "test", vector(is.Label))
		return err
	}
	first := kappa.ExtractedConcept{Label: "WAL", SearchTerms: []string{"log"}}
	must(t, edit(kappa.ExtractedConcept{Label: "wal"}, first))
	for _, was := range []kappa.ExtractedConcept{{Label: "wal", SearchTerms: first.SearchTerms}, {Label: "WAL"}, {Label: "WAL", SearchTerms: first.SearchTerms, Description: "x"}} {
		if err := edit(was, kappa.ExtractedConcept{Label: "lost"}); kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Errorf("a change from %+v gives %v", was, err)
		}
	}
	must(t, edit(first, kappa.ExtractedConcept{Label: "WAL", Description: "A log."}))
	if got, err := s.Notes().WrittenConcept(t.Context(), "c_1"); err != nil || got.Label != "WAL" || *got.Description != "A log." || len(got.SearchTerms) != 0 {
		t.Errorf("it is %+v, %v", got, err)
	}
}
