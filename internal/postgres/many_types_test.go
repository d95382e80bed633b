package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/storage"
)

// TestManyTypes reads, merges, splits, backs up and removes with relationship types whose
// numbers are beyond 16 bits, as when many have come and gone.
func TestManyTypes(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	run(t, conn, "ALTER TABLE kg_api.relationship_types ALTER COLUMN id RESTART WITH 40000")
	d := twoChunks("paper", "a")
	for i, name := range []string{"HOLDS", "KEEPS"} {
		d.chunks[i].Relationships[0].Type = name
	}
	ingestDrawn(t, s, conn, d)
	want := loadReplica(t, s.Graph()).edges
	for e := range want {
		if e.Type < 40000 {
			t.Errorf("edge %+v", e)
		}
	}
	archive := backUp(t, s, "")
	var concepts []string
	must(t, conn.QueryRow(t.Context(), "SELECT array_agg(concept_id) FROM kg_api.concepts").Scan(&concepts))
	merge, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: concepts[0], Merge: concepts[1], Reason: "r", By: "x"})
	must(t, err)
	_, err = s.Notes().UnmergeConcepts(t.Context(), merge.ID, false, "x")
	must(t, err)
	merged, err := s.Vocabulary().MergeTypes(t.Context(), vocabulary.NewMerge{Source: "HOLDS", Target: "KEEPS", By: "x"}, nil, nil)
	must(t, err)
	_, err = s.Vocabulary().UndoMerge(t.Context(), merged.ID)
	must(t, err)
	if got := loadReplica(t, s.Graph()).edges; len(got) != len(want) || len(want) != 2 {
		t.Errorf("%v, want %v", got, want)
	}
	c := restoreClaim(t, s)
	_, err = s.Backups().Restore(t.Context(), c, archive.restoring(storage.RestoreReplace))
	must(t, err)
	remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash([]byte("paper"))})
	if got := loadReplica(t, s.Graph()); len(got.edges)+len(got.concepts) != 0 {
		t.Errorf("%v is left", got)
	}
}
