package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// Sweep is Rescue and MakeDue in one transaction, under the leader's term, and reports
// what waits for the lanes and whether reservations are overdue: a leader sweeps every
// other second, which should cost little. What a server has begun to pause, to resume or to
// limit, and not carried through, is gone on with.
func (s QueueStore) Sweep(ctx context.Context, term int64, within time.Duration, most int) (work.Sweep, error) {
	swept := work.Sweep{Next: within}
	var taken []db.JobRescueRow
	var unsettled []db.PausesUnsettledRow
	var untold []db.LimitsUnsettledRow
	err := inTx(ctx, s.jobs, func(q *db.Queries) (err error) {
		if taken, err = s.rescue(ctx, q, term, most); err != nil {
			return err
		}
		if swept.Due, swept.Next, err = makeDue(ctx, q, within); err != nil {
			return err
		}
		if swept.Waiting, err = q.TypesWaiting(ctx); err != nil {
			return err
		}
		if unsettled, err = q.PausesUnsettled(ctx); err != nil {
			return err
		}
		if untold, err = q.LimitsUnsettled(ctx); err != nil {
			return err
		}
		swept.Overdue, err = q.RunOverdue(ctx)
		return err
	})
	if err != nil {
		return work.Sweep{Next: within}, translate(err, "sweep the queue")
	}
	swept.Rescued = s.changed(len(taken), func(i int) (string, string) { return taken[i].JobID, taken[i].Status })
	if err := LaneStore(s).settlePauses(ctx, unsettled); err != nil {
		return swept, err
	}
	return swept, LaneStore(s).tellLimits(ctx, untold)
}
