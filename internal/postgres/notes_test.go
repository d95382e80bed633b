package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
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
	e := knowledge.WrittenEdge{Type: "PART_OF", Confidence: 0.5}
	conn := connect(t, dsn)
	must(t, conn.QueryRow(t.Context(), `SELECT a.concept_id, b.concept_id FROM kg_api.edges e
		JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst`).Scan(&e.FromID, &e.ToID))
	_, err = s.Ontologies().SetLifecycle(t.Context(), "o", ontologies.LifecycleFrozen)
	must(t, err)
	was := content(t, conn)
	if _, err := s.Notes().EditEdge(t.Context(), e); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("changed in a frozen ontology: %v", err)
	}
	if err := func() error { _, err := s.Notes().RemoveEdge(t.Context(), e, false); return err }(); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("deleted in a frozen ontology: %v", err)
	}
	if is := content(t, conn); is != was {
		t.Errorf("the graph has changed:\n%s\nwas\n%s", is, was)
	}
	_, err = s.Ontologies().SetLifecycle(t.Context(), "o", ontologies.LifecycleActive)
	must(t, err)
	_, err = s.Notes().EditEdge(t.Context(), e)
	must(t, err)
	_, err = s.Notes().RemoveEdge(t.Context(), e, false)
	must(t, err)
}

// TestDryRuns previews changes of concepts and relationships: nothing changes, and each
// says what the change does that follows.
func TestDryRuns(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	c := ingestion(t, s, workerA, false)
	_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "fence", "lease", "worker", "Mercury"), byLabel{}, noCheckpoint)
	must(t, err)
	_, err = s.Documents().WriteChunk(t.Context(), c, alike(2, "Mercury", "Hermes"), byNameOrMeaning{}, noCheckpoint)
	must(t, err)
	ids := lines(t, conn, `SELECT concept_id FROM kg_api.concepts ORDER BY id`)
	all := `SELECT action || object_id FROM kg_api.audit_log UNION ALL
		SELECT epoch::text FROM kg_api.graph_epoch UNION ALL SELECT id::text FROM kg_api.concept_merges UNION ALL SELECT a || b FROM kg_api.concept_blocks`
	embed := func(_ context.Context, text string) (models.Embedding, error) { return vector(text), nil }
	for _, change := range []struct {
		name string
		do   func(dry bool) (any, error)
		want string // of the dry run; the change says the same, but for what changed says
		real *strings.Replacer
	}{
		{"a relationship goes", func(dry bool) (any, error) {
			return s.Notes().RemoveEdge(t.Context(), knowledge.WrittenEdge{FromID: ids[0], Type: "part_of", ToID: ids[1]}, dry)
		}, "{{" + ids[0] + " " + ids[1] + " PART_OF 0.8} false 1}", strings.NewReplacer("false", "true")},
		{"one concept of two", func(dry bool) (any, error) {
			m, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: ids[2], Merge: ids[1], DryRun: dry, By: "test"})
			return fmt.Sprint(m.ID == 0, m.Kept, m.Merged, m.MergedLabel, *m.InstancesMoved, *m.RelationshipsMoved, m.DryRun), err
		}, fmt.Sprint(true, ids[2], ids[1], "lease", 1, 1, true), strings.NewReplacer("true", "false")},
		{"two concepts of one", func(dry bool) (any, error) {
			m, err := s.Notes().SplitConcept(t.Context(), knowledge.NewConceptSplit{ConceptID: ids[3], Labels: []string{"Hermes"}, Block: true, DryRun: dry, By: "test"}, "test", embed)
			return fmt.Sprint(m.New == "", m.KeptLabel, m.NewLabel, m.Mentions, m.DryRun), err
		}, fmt.Sprint(true, "Mercury", "Hermes", 1, true), strings.NewReplacer("true", "false")},
		{
			"a concept goes", func(dry bool) (any, error) { return s.Notes().RemoveConcept(t.Context(), ids[0], dry) },
			"{" + ids[0] + " fence false 1 0}", strings.NewReplacer("false", "true"),
		},
	} {
		was, marks := content(t, conn), lines(t, conn, all)
		said, err := change.do(true)
		if got := fmt.Sprint(said); err != nil || got != change.want {
			t.Errorf("%s: a dry run says %s, want %s, err %v", change.name, got, change.want, err)
		}
		if content(t, conn) != was || !slices.Equal(lines(t, conn, all), marks) {
			t.Errorf("%s: the dry run has changed the graph from\n%s\nto\n%s", change.name, was, content(t, conn))
		}
		done, err := change.do(false)
		if got, want := fmt.Sprint(done), change.real.Replace(change.want); err != nil || got != want {
			t.Errorf("%s: says %s, want %s, err %v", change.name, got, want, err)
		}
		if content(t, conn) == was {
			t.Errorf("%s: nothing has changed", change.name)
		}
	}
}

// TestStaleEditsOfConcepts: who changes a concept that somebody else has changed meanwhile
// is told so, and changes nothing.
func TestStaleEditsOfConcepts(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	run(t, conn, `INSERT INTO kg_api.concepts (concept_id, label, term_keys) VALUES ('c_1', 'wal', '{}')`)
	edit := func(was, is knowledge.ExtractedConcept) error {
		_, err := s.Notes().EditConcept(t.Context(), "c_1", was, is, "test", vector(is.Label))
		return err
	}
	first := knowledge.ExtractedConcept{Label: "WAL", SearchTerms: []string{"log"}}
	must(t, edit(knowledge.ExtractedConcept{Label: "wal"}, first))
	for _, was := range []knowledge.ExtractedConcept{{Label: "wal", SearchTerms: first.SearchTerms}, {Label: "WAL"}, {Label: "WAL", SearchTerms: first.SearchTerms, Description: "x"}} {
		if err := edit(was, knowledge.ExtractedConcept{Label: "lost"}); kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Errorf("a change from %+v gives %v", was, err)
		}
	}
	must(t, edit(first, knowledge.ExtractedConcept{Label: "WAL", Description: "A log."}))
	if got, err := s.Notes().WrittenConcept(t.Context(), "c_1"); err != nil || got.Label != "WAL" || *got.Description != "A log." || len(got.SearchTerms) != 0 {
		t.Errorf("it is %+v, %v", got, err)
	}
}
