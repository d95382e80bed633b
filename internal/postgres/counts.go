package postgres

import (
	"context"

	"github.com/kappagraph/kappa/work"
)

// QueueCounts returns how many jobs are pending, awaiting approval, approved
// and processing.
func (s FigureStore) QueueCounts(ctx context.Context) (map[work.Status]int, error) {
	rows, err := s.q().JobOpenCounts(ctx)
	if err != nil {
		return nil, translate(err, "count jobs")
	}
	counts := make(map[work.Status]int, len(rows))
	for _, row := range rows {
		counts[work.Status(row.Status)] = int(row.Jobs)
	}
	return counts, nil
}

// WaitingJobs returns how many jobs wait for a slot, which those that are
// approved for a later time do not.
func (s FigureStore) WaitingJobs(ctx context.Context) (int, error) {
	n, err := s.q().JobsWaiting(ctx)
	return int(n), translate(err, "count waiting jobs")
}
