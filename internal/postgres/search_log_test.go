package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// TestSearchLog checks which concepts a change has every server's search read anew: those
// that it touched, and all of them only for a rename.
func TestSearchLog(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	_, err := s.Ontologies().CreateOntology(t.Context(), ontologies.NewOntology{Name: "kept", UserID: access.SystemUserID})
	must(t, err)
	for _, name := range []string{"one", "two", "three"} {
		ingestDrawn(t, s, conn, twoChunks(name, "a"))
	}
	ingestDrawn(t, s, conn, twoChunks("four", "gone"))
	concept := func(label string) (id string) {
		t.Helper()
		must(t, conn.QueryRow(t.Context(), "SELECT concept_id FROM kg_api.concepts WHERE label = $1", label).Scan(&id))
		return id
	}
	for _, step := range []struct {
		name string
		do   func() error
		want string // labels; * is all
	}{
		{"a chunk is moved", func() error {
			_, _, err := s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "a", To: "kept", SourceIDs: sourceIDs(t, conn, "a")[:1], By: "x"})
			return err
		}, "lease one"},
		{"the last document of an ontology is removed", func() error {
			if !remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash([]byte("four"))}).OntologyDeleted {
				t.Error("the ontology is there")
			}
			return nil
		}, "lease"},
		{"a document is removed", func() error {
			remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash([]byte("three"))})
			return nil
		}, "lease"},
		{"concepts are merged", func() error {
			_, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: concept("one"), Merge: concept("two"), Reason: "r", By: "x"})
			return err
		}, "one"},
		{"an ontology is part of another one", func() error {
			_, _, err := s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "a", To: "kept", By: "x"})
			return err
		}, "lease one"},
		{"an ontology is frozen", func() error {
			_, err := s.Ontologies().SetLifecycle(t.Context(), "kept", ontologies.LifecyclePinned)
			return err
		}, ""},
		{"an ontology is renamed", func() error {
			_, err := s.Ontologies().RenameOntology(t.Context(), "kept", "other")
			return err
		}, "*"},
	} {
		run(t, conn, "TRUNCATE kg_api.graph_log")
		must(t, step.do())
		var got string
		must(t, conn.QueryRow(t.Context(), `SELECT coalesce(string_agg(DISTINCT coalesce(c.label, '*'), ' ' ORDER BY coalesce(c.label, '*')), '')
			FROM kg_api.graph_log l LEFT JOIN kg_api.concepts c ON c.id = l.src WHERE l.op = 'touch concept' AND (l.src IS NULL OR c.id IS NOT NULL)`).Scan(&got))
		if got != step.want {
			t.Errorf("%s: read anew are %q, want %q", step.name, got, step.want)
		}
	}
}
