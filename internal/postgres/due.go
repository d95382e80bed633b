package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// suspectPoll is how soon the scheduler polls again while a suspect waits
// for its turn: nothing notifies that the one before has ended, for that would cost
// each end of a job. It adds this much to the time of a suspect, and two quick
// statements four times a second to an installation where jobs kill servers.
const suspectPoll = 250 * time.Millisecond

// MakeDue lets jobs be claimed whose time has come, and of the suspects the next
// one when no other is due or runs. It returns their types, and how long until the
// next job becomes due, at most within; while suspects wait for their turn, it is
// to be called again soon.
func (s QueueStore) MakeDue(ctx context.Context, within time.Duration) (types []string, next time.Duration, err error) {
	types, next, err = makeDue(ctx, s.q(), within)
	return types, next, translate(err, "make jobs due")
}

// makeDue is MakeDue on the caller's connection.
func makeDue(ctx context.Context, q *db.Queries, within time.Duration) (types []string, next time.Duration, err error) {
	if types, err = q.JobDue(ctx, work.QuarantineCrashes, work.CrashWindow, work.SuspectTurn); err != nil {
		return nil, within, err
	}
	wait, err := q.JobNextRun(ctx, db.JobNextRunParams{
		Quarantine: work.QuarantineCrashes, CrashWindow: work.CrashWindow,
		WithinMs: within.Milliseconds(), SuspectMs: suspectPoll.Milliseconds(),
	})
	if err != nil {
		return types, within, err
	}
	return types, max(0, time.Duration(wait)*time.Millisecond), nil
}

// ExpireJobs cancels jobs that nobody approved in time, many at once, and returns
// how many.
func (s QueueStore) ExpireJobs(ctx context.Context) (int, error) {
	ids, err := s.q().JobExpired(ctx, "Expired - not approved within 24 hours")
	if err != nil {
		return 0, translate(err, "cancel expired jobs")
	}
	if len(ids) > 0 {
		s.committed(ids...)
	}
	return len(ids), nil
}
