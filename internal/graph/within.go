package graph

import (
	"context"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// Within returns the concepts within q.MaxHops relationships of any of q.SeedIDs,
// in either direction, by number and without the seeds: nearest first. The answer
// says what is missing when it is not complete. It returns a CodeInvalid Error that
// names every broken rule, CodeNotFound for an unknown seed, CodeUnavailable when
// the tables cannot be read, or not even the seeds within the deadline.
func (g *Graph) Within(ctx context.Context, q questions.WithinQuery) (within questions.Within, err error) {
	if err := q.Validate(); err != nil {
		return questions.Within{}, err
	}
	err = g.read(ctx, "searching around concepts", func(ctx context.Context, v view) error {
		within, err = v.within(ctx, q)
		return err
	})
	return within, err
}

func (v view) within(ctx context.Context, q questions.WithinQuery) (questions.Within, error) {
	query := nhopQuery{hops: q.MaxHops, types: q.Types, most: q.Limit}
	for _, id := range q.SeedIDs {
		n, err := v.ConceptNumber(ctx, id)
		if err != nil {
			return questions.Within{}, err
		}
		query.seeds = append(query.seeds, n)
	}
	ask := v.nhop
	if q.OnTables {
		ask = v.nhopOnTables
	}
	b, err := ask(ctx, query)
	if err != nil {
		return questions.Within{}, err
	}
	w := questions.Within{Numbers: b.concepts, Distances: make([]int, 0, len(b.concepts)), Completeness: b.Completeness}
	for h, end := range b.ends {
		for len(w.Distances) < end {
			w.Distances = append(w.Distances, h+1)
		}
	}
	return w, nil
}
