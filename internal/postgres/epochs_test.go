package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge"
)

// conceptOf returns the id of the concept with a label.
func conceptOf(t *testing.T, conn *pgx.Conn, label string) (id string) {
	t.Helper()
	must(t, conn.QueryRow(t.Context(), "SELECT c.concept_id FROM kg_api.concepts c WHERE c.label = $1", label).Scan(&id))
	return id
}

// TestEpochs says of each change of the graph who made it and how much that was, and of a
// concept when what shows it came.
func TestEpochs(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	register(t, s, workerA)
	storedDocument(t, s, "lease. worker", "claim token. worker. fence")
	ctx := access.WithActor(t.Context(), access.Actor{UserID: access.AdminUserID, Username: "ada"})
	list, err := s.Epochs().ListEpochs(ctx, knowledge.EpochFilter{Limit: 10})
	must(t, err)
	if len(list) != 1 || list[0].Kind != knowledge.EpochIngestion || !list[0].Meaningful || list[0].Actor != "system" || list[0].Details.JobID == "" {
		t.Fatalf("after an ingestion: %+v", list)
	}
	first := list[0]
	life, err := s.Epochs().ConceptLifetime(ctx, conceptOf(t, conn, "worker"), 1, 0)
	must(t, err)
	if life.Total != 2 || life.Returned != 1 || !life.HasMore || life.Quotes[0].Epoch == nil || *life.Quotes[0].Epoch != first.Number || life.Documents != 1 {
		t.Errorf("the life of a concept: %+v", life)
	}
	rest, err := s.Epochs().ConceptLifetime(ctx, life.ConceptID, 10, 1)
	must(t, err)
	if rest.Returned != 1 || rest.HasMore || rest.First == nil || rest.First.SourceID != life.Quotes[0].SourceID {
		t.Errorf("the second page: %+v", rest)
	}

	fence := conceptOf(t, conn, "fence")
	_, err = s.Notes().MergeConcepts(ctx, knowledge.NewConceptMerge{Keep: life.ConceptID, Merge: fence, By: "ada", Reason: "the same"})
	must(t, err)
	lease := conceptOf(t, conn, "lease")
	_, err = s.Notes().RemoveConcept(ctx, lease, false)
	must(t, err)
	list, err = s.Epochs().ListEpochs(ctx, knowledge.EpochFilter{Limit: 10, Kind: knowledge.EpochEdit, Actor: "ada"})
	must(t, err)
	if len(list) != 2 || list[0].Details.Act != "concept.delete" || list[0].Details.ConceptsRemoved != 1 || list[0].Details.EdgesRemoved != 1 || list[1].Details.Act != "concept.merge" {
		t.Errorf("after edits: %+v", list)
	}
	next, err := s.Epochs().ListEpochs(ctx, knowledge.EpochFilter{Limit: 10, Before: list[1].Number})
	must(t, err)
	if len(next) != 1 || next[0].Number != first.Number {
		t.Errorf("the next page: %+v", next)
	}
	merged, err := s.Epochs().ConceptLifetime(ctx, fence, 10, 0)
	must(t, err)
	if merged.State != knowledge.ConceptMerged || merged.MergedInto == nil || *merged.MergedInto != life.ConceptID || len(merged.Changes) != 1 || merged.Changes[0].Act != "merged_away" {
		t.Errorf("a concept that was merged: %+v", merged)
	}
	kept, err := s.Epochs().ConceptLifetime(ctx, life.ConceptID, 10, 0)
	must(t, err)
	if kept.State != knowledge.ConceptActive || len(kept.Changes) != 1 || kept.Changes[0].Act != "merge" || kept.Changes[0].Other != fence || kept.Total != 3 {
		t.Errorf("the concept that was kept: %+v", kept)
	}
	gone, err := s.Epochs().ConceptLifetime(ctx, lease, 10, 0)
	must(t, err)
	if gone.State != knowledge.ConceptGone {
		t.Errorf("a concept that was deleted: %+v", gone)
	}
	if _, err := s.Epochs().ConceptLifetime(ctx, "never-was", 10, 0); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("a concept that has never been: %v", err)
	}
	if _, err := s.Epochs().FindEpoch(ctx, 1000); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an epoch that has not been: %v", err)
	}
}
