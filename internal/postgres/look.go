package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// Look is Rescue and MakeDue in one transaction, under the leader's term: the
// look that a leader takes every other second should cost little.
func (s *Store) Look(ctx context.Context, term int64, within time.Duration, most int) (kappa.Look, error) {
	look := kappa.Look{Next: within}
	var taken []db.JobRescueRow
	err := inTx(ctx, s.jobs, func(q *db.Queries) (err error) {
		if taken, err = s.rescue(ctx, q, term, most); err != nil {
			return err
		}
		look.Due, look.Next, err = makeDue(ctx, q, within)
		return err
	})
	if err != nil {
		return kappa.Look{Next: within}, translate(err, "look after the queue")
	}
	look.Rescued = s.changed(len(taken), func(i int) (string, string) { return taken[i].JobID, taken[i].Status })
	return look, nil
}
