package graph

import (
	"context"

	"github.com/kappagraph/kappa"
)

// lister lists concepts by their evidence.
type lister interface {
	ConceptsByEvidence(ctx context.Context, f kappa.ConceptFilter) (list []kappa.ConceptEvidence, total int, err error)
}

// StrongestConcepts returns the concepts that f selects, those that most chunks
// show first, each with a few quotes, and how many there are in all. The score
// is the number of chunks in relation to the first of the page.
//
// It returns a CodeInvalid Error that names every broken rule, and
// CodeUnavailable after the deadline.
func (g *Graph) StrongestConcepts(ctx context.Context, f kappa.ConceptFilter) (hits []kappa.ConceptHit, total int, err error) {
	if err := f.Validate(); err != nil {
		return nil, 0, err
	}
	err = g.read(ctx, "the list of concepts", func(ctx context.Context, v view) error {
		list, n, err := v.ConceptsByEvidence(ctx, f)
		if err != nil {
			return err
		}
		total = n
		strongest := make([]ranked, len(list))
		for i, c := range list {
			strongest[i] = ranked{id: c.ID, conceptID: c.ConceptID, score: float64(c.Sources) / float64(list[0].Sources)}
		}
		hits, err = v.hits(ctx, strongest, true)
		return err
	})
	return hits, total, err
}
