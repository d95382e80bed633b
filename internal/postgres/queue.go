package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// QueueStore is for the leader, who keeps the queue moving.
type QueueStore struct{ *base }

// Queue returns the leader's store.
func (d *DB) Queue() QueueStore { return QueueStore{&d.base} }

// waiting is what waits of a job type.
type waiting struct {
	jobs   int           // approved, due or not
	due    bool          // one of them is
	wait   time.Duration // since the one that is due for longest could run; see mostRead
	oldest time.Time     // when that was
}

// waitingTypes returns what waits, by type; now is the database's time. All is
// counted, but for the oldest job only some are looked at: the length of a queue
// says nothing about where in it that one is.
func waitingTypes(ctx context.Context, q *db.Queries, now time.Time) (map[string]waiting, error) {
	counts, err := q.ApprovedCounts(ctx)
	if err != nil {
		return nil, err
	}
	due, err := q.QueueFigures(ctx, 0, mostRead)
	if err != nil {
		return nil, err
	}
	types := map[string]waiting{}
	for _, c := range counts {
		types[c.JobType] = waiting{jobs: int(c.Jobs)}
	}
	for _, d := range due {
		if w, ok := types[d.JobType]; ok { // it may have been approved just now
			w.due, w.wait = true, time.Duration(d.OldestWait*float64(time.Second))
			w.oldest = now.Add(-w.wait)
			types[d.JobType] = w
		}
	}
	return types, nil
}
