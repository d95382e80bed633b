package postgres

import (
	"context"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NarrowedConcepts returns what an ontology alone says of concepts, with up to quotes of
// each. Those that it does not show are left out.
func (s *GraphSnapshot) NarrowedConcepts(ctx context.Context, ids []int, ontology string, quotes int) (map[int]questions.Narrowed, error) {
	rows, err := s.q.NarrowedCounts(ctx, toInt32s(ids), ontology)
	if err != nil {
		return nil, translate(err, "count what an ontology says of concepts")
	}
	counted := make([]knowledge.ConceptEvidence, len(rows))
	for i, r := range rows {
		counted[i] = knowledge.ConceptEvidence{ID: int(r.Concept), Sources: int(r.Sources), Quotes: int(r.Instances)}
	}
	return s.NarrowedCounted(ctx, counted, ontology, quotes)
}

// NarrowedCounted is NarrowedConcepts of concepts that the ontology shows, and of which it is
// known how many of its chunks and quotes do: they are not counted again.
func (s *GraphSnapshot) NarrowedCounted(ctx context.Context, counted []knowledge.ConceptEvidence, ontology string, quotes int) (map[int]questions.Narrowed, error) {
	within := make(map[int]questions.Narrowed, len(counted))
	numbers := make([]int32, len(counted))
	for i, c := range counted {
		within[c.ID], numbers[i] = questions.Narrowed{Sources: c.Sources, Instances: c.Quotes}, int32(c.ID)
	}
	names, err := s.q.NarrowedNames(ctx, numbers, ontology)
	if err != nil {
		return nil, translate(err, "read what an ontology says of concepts")
	}
	for _, r := range names {
		n := within[int(r.Concept)]
		n.Label, n.SearchTerms = r.Label, r.SearchTerms
		if r.Description != "" {
			n.Description = &r.Description
		}
		within[int(r.Concept)] = n
	}
	if quotes == 0 {
		return within, nil
	}
	rows, err := s.q.NarrowedEvidence(ctx, numbers, ontology, int32(quotes))
	if err != nil {
		return nil, translate(err, "read the quotes of concepts")
	}
	for _, r := range rows {
		n := within[int(r.Concept)]
		n.Evidence = append(n.Evidence, toEvidence(db.ConceptEvidenceRow(r)))
		within[int(r.Concept)] = n
	}
	return within, nil
}

// NarrowedConcepts is that of a snapshot, on a connection of its own.
func (s GraphStore) NarrowedConcepts(ctx context.Context, ids []int, ontology string, quotes int) (map[int]questions.Narrowed, error) {
	return (&GraphSnapshot{q: db.New(s.graph)}).NarrowedConcepts(ctx, ids, ontology, quotes)
}

// DegreesIn returns how many relationships of each concept were read in an ontology, of how
// many types, and the grounding that they give it: nothing else of the summaries.
func (s *GraphSnapshot) DegreesIn(ctx context.Context, concepts []int, ontology int) (map[int]knowledge.ConceptSummary, error) {
	rows, err := s.q.DegreesIn(ctx, toInt32s(concepts), int32(ontology))
	degrees := make(map[int]knowledge.ConceptSummary, len(rows))
	for _, r := range rows {
		degrees[int(r.Concept)] = knowledge.ConceptSummary{
			Support: knowledge.Support{Relationships: int(r.Relationships), Types: int(r.Types)}, Strength: knowledge.Rounded(r.Grounding),
		}
	}
	return degrees, translate(err, "count relationships")
}

// NetworkEdgesIn returns up to most relationships that were read in an ontology, without
// their types.
func (s *GraphSnapshot) NetworkEdgesIn(ctx context.Context, ontology, most int) ([]knowledge.Edge, error) {
	rows, err := s.q.NetworkEdgesIn(ctx, int32(ontology), int32(most))
	edges := make([]knowledge.Edge, len(rows))
	for i, r := range rows {
		edges[i] = knowledge.Edge{From: int(r.Src), To: int(r.Dst), Confidence: knowledge.FromReal(r.Confidence), Forward: true}
	}
	return edges, translate(err, "read relationships")
}
