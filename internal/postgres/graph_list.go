package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// ConceptsByEvidence returns the concepts that f selects, those that most
// chunks show first, with the number of those chunks, and how many concepts
// there are in all.
func (s *GraphSnapshot) ConceptsByEvidence(ctx context.Context, f kappa.ConceptFilter) (list []kappa.ConceptEvidence, total int, err error) {
	rows, err := s.q.ConceptsByEvidence(ctx, db.ConceptsByEvidenceParams{
		Ontology: f.Ontology, LabelContains: f.LabelContains, Skip: int32(f.Offset), Most: int32(f.Limit),
	})
	if err != nil {
		return nil, 0, translate(err, "list concepts")
	}
	list = make([]kappa.ConceptEvidence, len(rows))
	for i, r := range rows {
		list[i] = kappa.ConceptEvidence{
			ID: int(r.ID), ConceptID: r.ConceptID, Sources: int(r.Sources), SearchTerms: r.SearchTerms, HasEmbedding: r.HasEmbedding,
		}
	}
	n, err := s.q.ConceptsCount(ctx, f.Ontology, f.LabelContains)
	return list, int(n), translate(err, "count concepts")
}
