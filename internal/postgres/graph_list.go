package postgres

import (
	"context"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// ConceptsByEvidence returns the concepts that f selects, those that most
// chunks show first, with the number of those chunks, and how many concepts
// there are in all.
func (s *GraphSnapshot) ConceptsByEvidence(ctx context.Context, f kappa.ConceptFilter) (list []kappa.ConceptEvidence, total int, err error) {
	after, _ := kappa.ParseCursor(kappa.ListConcepts, f.Cursor, kappa.ConceptKeys)
	rows, err := s.q.ConceptsByEvidence(ctx, db.ConceptsByEvidenceParams{
		BeforeSources: after.Key(0, math.MaxInt64), BeforeQuotes: after.Key(1, 0), BeforeNegative: -after.Key(2, 0), // ids ascend
		Ontology: f.Ontology, LabelContains: f.LabelContains, CreationMethod: f.CreationMethod, Skip: int32(f.Offset), Most: int32(f.Limit),
	})
	if err != nil {
		return nil, 0, translate(err, "list concepts")
	}
	list = make([]kappa.ConceptEvidence, len(rows))
	for i, r := range rows {
		list[i] = kappa.ConceptEvidence{
			ID: int(r.ID), ConceptID: r.ConceptID, Sources: int(r.Sources), Quotes: int(r.Quotes), SearchTerms: r.SearchTerms, CreationMethod: r.CreationMethod, HasEmbedding: r.HasEmbedding,
		}
	}
	n, err := s.q.ConceptsCount(ctx, f.Ontology, f.LabelContains, f.CreationMethod)
	return list, int(n), translate(err, "count concepts")
}
