package e2e

import (
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestNotes writes into the graph by hand, as agents do, and asks the graph for it.
func TestNotes(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ctx, c := t.Context(), s.client
	wal, err := c.Concepts.Create(ctx, client.NewConcept{
		NewConcept: knowledge.NewConcept{Label: "Write-ahead log", Description: "Records changes before they are applied", SearchTerms: []string{"WAL"}},
		Ontology:   "memory", Provenance: knowledge.CreatedByAgent,
	})
	check(t, err)
	if wal.MatchedExisting || wal.CreationMethod != knowledge.CreatedByAgent || !wal.HasEmbedding || len(wal.Ontologies) != 1 {
		t.Errorf("made %+v", wal)
	}
	t.Run("the same concept is found, and not made again", func(t *testing.T) {
		again, err := c.Concepts.Create(ctx, client.NewConcept{NewConcept: knowledge.NewConcept{Label: "write-ahead  LOG"}, Ontology: "memory"})
		if err != nil || again.ConceptID != wal.ConceptID || !again.MatchedExisting {
			t.Errorf("%+v, err %v", again, err)
		}
		_, err = c.Concepts.Create(ctx, client.NewConcept{NewConcept: knowledge.NewConcept{Label: "Quorum", MatchingMode: knowledge.MatchOnly}, Ontology: "memory"})
		refused(t, "match what is not there", kappa.CodeNotFound)(err, err)
		other, err := c.Concepts.Create(ctx, client.NewConcept{NewConcept: knowledge.NewConcept{Label: "Write-ahead log", MatchingMode: knowledge.MatchForce}, Ontology: "memory"})
		if err != nil || other.ConceptID == wal.ConceptID {
			t.Errorf("%+v, err %v", other, err)
		}
		check(t, c.Concepts.Delete(ctx, other.ConceptID))
	})
	batch := client.Batch{
		Ontology: "memory", Provenance: knowledge.CreatedByAgent, Concepts: []knowledge.NewConcept{{Label: "Replica"}},
		Edges: []knowledge.NewEdge{{FromLabel: "Replica", ToID: wal.ConceptID, Type: "depends_on"}},
	}
	written, err := c.Graph.WriteBatch(ctx, batch)
	check(t, err)
	if written.Created != 1 || written.EdgesCreated != 1 || written.Edges[0].Type != "DEPENDS_ON" {
		t.Fatalf("wrote %+v", written)
	}
	replica := written.Concepts[0].ConceptID
	t.Run("the same batch again changes nothing", func(t *testing.T) {
		again, err := c.Graph.WriteBatch(ctx, batch)
		if err != nil || again.Created != 0 || again.Matched != 1 || again.EdgesCreated != 0 {
			t.Errorf("%+v, err %v", again, err)
		}
	})
	t.Run("a batch is written as a whole or not at all", func(t *testing.T) {
		_, err := c.Graph.WriteBatch(ctx, client.Batch{
			Ontology: "memory", Concepts: []knowledge.NewConcept{{Label: "Orphan"}},
			Edges: []knowledge.NewEdge{{FromLabel: "Orphan", ToLabel: "Nobody", Type: "KNOWS"}},
		})
		refused(t, "relate what is not there", kappa.CodeNotFound)(err, err)
		if list, err := c.Concepts.List(ctx, questions.ConceptFilter{LabelContains: "orphan", Limit: 5}); err != nil || list.Total != 0 {
			t.Errorf("%+v, err %v", list, err)
		}
	})
	t.Run("questions to the graph find it", func(t *testing.T) {
		found, err := c.Graph.Search(ctx, questions.SearchQuery{Query: "write-ahead log", Limit: 3})
		if err != nil || len(found.Results) == 0 || found.Results[0].ConceptID != wal.ConceptID {
			t.Errorf("%+v, err %v", found, err)
		}
		around, err := c.Graph.Neighborhood(ctx, questions.NeighborhoodQuery{ConceptID: replica, MaxHops: 1})
		if err != nil || len(around.Edges) != 1 {
			t.Errorf("%+v, err %v", around, err)
		}
		list, err := c.Concepts.List(ctx, questions.ConceptFilter{CreationMethod: knowledge.CreatedByAgent, Limit: 10})
		if err != nil || list.Total != 2 {
			t.Errorf("%d made by agents, err %v", list.Total, err)
		}
	})
	t.Run("it is changed and deleted", func(t *testing.T) {
		label, description := "Journal of writes", ""
		changed, err := c.Concepts.Edit(ctx, wal.ConceptID, knowledge.ConceptEdit{Label: &label, Description: &description})
		if err != nil || changed.Label != label || changed.Description != nil || len(changed.SearchTerms) != 1 {
			t.Errorf("%+v, err %v", changed, err)
		}
		edge := knowledge.WrittenEdge{FromID: replica, Type: "DEPENDS_ON", ToID: wal.ConceptID, Confidence: 0.25}
		_, err = c.Edges.Edit(ctx, edge)
		check(t, err)
		edges, err := c.Edges.List(ctx, questions.EdgeFilter{FromID: replica, Limit: 5})
		if err != nil || len(edges.Edges) != 1 || edges.Edges[0].Confidence != 0.25 {
			t.Errorf("%+v, err %v", edges, err)
		}
		check(t, c.Edges.Delete(ctx, edge))
		refused(t, "delete it twice", kappa.CodeNotFound)(nil, c.Edges.Delete(ctx, edge))
		_, err = c.Concepts.AddEvidence(ctx, replica, client.Evidence{Text: "A replica replays the journal."})
		check(t, err)
		check(t, c.Concepts.Delete(ctx, replica))
		_, err = c.Concepts.Written(ctx, replica)
		refused(t, "show what is gone", kappa.CodeNotFound)(err, err)
	})
	t.Run("what breaks a rule is named by its place", func(t *testing.T) {
		_, err := c.Graph.WriteBatch(ctx, client.Batch{Ontology: "memory", Concepts: []knowledge.NewConcept{{Label: "x"}, {}}, Edges: []knowledge.NewEdge{{FromLabel: "x", Type: "1"}}})
		if got := kappa.ErrorMessage(err); got == "" || kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%v", err)
		}
		_, err = c.Edges.Create(ctx, client.NewEdge{NewEdge: knowledge.NewEdge{FromID: wal.ConceptID, ToID: wal.ConceptID, Type: "KNOWS"}})
		refused(t, "relate a concept with itself", kappa.CodeInvalid)(err, err)
	})
	t.Run("each change is recorded", func(t *testing.T) {
		for _, action := range []string{"graph.write", "concept.update", "concept.delete", "edge.update", "edge.delete"} {
			if entries, err := c.Users.Audit(ctx, access.AuditFilter{Action: action}); err != nil || len(entries) == 0 {
				t.Errorf("%s: none, err %v", action, err)
			}
		}
	})
}
