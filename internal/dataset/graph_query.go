package dataset

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// QueryGraph answers a question to the tables of the graph. They are written when the first
// one asks after a change of it, and kept until the next change. The caller closes the answer.
func (s *Service) QueryGraph(ctx context.Context, q datasets.GraphQuery) (*Result, error) {
	if err := q.Validate(); err != nil {
		return nil, broken(err)
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Within)
	defer cancel()
	if err := s.cfg.Pool.Check(ctx); err != nil {
		return nil, s.classify(ctx, err)
	}
	ontologies := slices.Compact(slices.Sorted(slices.Values(q.Ontologies)))
	set, err := s.graph.open(ctx, ontologies, q.MinEpoch)
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = tooLong(s.cfg.Within)
	}
	if err != nil {
		return nil, s.classify(ctx, err)
	}
	defer set.Close()
	result, err := s.ask(ctx, begin, frame.Request{Op: frame.OpQuery, Tables: set.tables, SQL: q.SQL, Limit: q.Limit})
	if err != nil {
		return nil, err
	}
	result.graph = &set.mark
	return result, nil
}
