package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// ClaimStore hands out jobs to workers, and stores what becomes of the attempts.
type ClaimStore struct{ *base }

// Claims returns the store that workers work with.
func (d *DB) Claims() ClaimStore { return ClaimStore{&d.base} }

// defaultHoldOff is one lease: after the database was away nobody is taken for
// dead who could not renew meanwhile.
const defaultHoldOff = 15 * time.Second

// Finish ends attempts of one worker, many in one statement. It returns the
// status in which each job really is now, by job id; an outcome whose claim is
// not current any more changes nothing and is left out. It returns CodeInvalid, and has
// stored none of them, when a result cannot be stored.
func (s ClaimStore) Finish(ctx context.Context, worker string, outcomes []work.Outcome) (map[string]work.Status, error) {
	for i := range outcomes {
		if err := check.Storable("the result", outcomes[i].Result); err != nil {
			return nil, err
		}
	}
	p := finishParams(worker, outcomes)
	rows, err := s.q().JobFinish(ctx, p)
	if err != nil {
		return nil, translate(err, "finish jobs")
	}
	return s.changed(len(rows), func(i int) (string, string) { return rows[i].JobID, rows[i].Status }), nil
}

// Locked returns those of the jobs whose rows a transaction has locked, and does
// not wait for it.
func (s ClaimStore) Locked(ctx context.Context, jobIDs []string) ([]string, error) {
	ids, err := s.q().JobsLocked(ctx, jobIDs)
	return ids, translate(err, "find locked jobs")
}

func finishParams(worker string, outcomes []work.Outcome) db.JobFinishParams {
	n := len(outcomes)
	p := db.JobFinishParams{
		Worker: worker, JobIds: make([]string, n), Tokens: make([]int64, n), Statuses: make([]string, n),
		Results: make([]string, n), Errors: make([]string, n), DelaysMs: make([]int64, n), Retries: make([]int32, n),
	}
	for i := range outcomes {
		o := &outcomes[i]
		p.JobIds[i], p.Tokens[i], p.Statuses[i] = o.Claim.JobID, o.Claim.Token, string(o.Status)
		p.Results[i], p.Errors[i], p.DelaysMs[i] = string(o.Result), o.Error, o.RunAt.Milliseconds()
		if o.CountRetry {
			p.Retries[i] = 1
		}
	}
	return p
}

// Rescue takes back the jobs of workers whose lease has ended, under the
// leader's term, and returns their new statuses by job id.
func (s QueueStore) Rescue(ctx context.Context, term int64, most int) (map[string]work.Status, error) {
	rows, err := s.rescue(ctx, s.q(), term, most)
	if err != nil {
		return nil, translate(err, "rescue jobs")
	}
	return s.changed(len(rows), func(i int) (string, string) { return rows[i].JobID, rows[i].Status }), nil
}

// rescue is Rescue on the caller's connection.
func (s QueueStore) rescue(ctx context.Context, q *db.Queries, term int64, most int) ([]db.JobRescueRow, error) {
	if err := q.WorkerReap(ctx, s.holdOff); err != nil {
		return nil, err
	}
	return q.JobRescue(ctx, db.JobRescueParams{
		Term: term, CrashWindow: work.CrashWindow, Quarantine: work.QuarantineCrashes, MaxJobs: int32(most),
	})
}

// RecoverStale takes back jobs that report no progress within their lane's
// stale timeout, under the leader's term, and returns their new statuses.
func (s QueueStore) RecoverStale(ctx context.Context, term int64, most int) (map[string]work.Status, error) {
	rows, err := s.q().JobStale(ctx, term, int32(most))
	if err != nil {
		return nil, translate(err, "recover stale jobs")
	}
	return s.changed(len(rows), func(i int) (string, string) { return rows[i].JobID, rows[i].Status }), nil
}

// changed notifies of n changed jobs, and collects their statuses.
func (s *base) changed(n int, row func(i int) (id, status string)) map[string]work.Status {
	statuses := make(map[string]work.Status, n)
	ids := make([]string, n)
	for i := range n {
		id, status := row(i)
		ids[i], statuses[id] = id, work.Status(status)
	}
	if n > 0 {
		s.committed(ids...)
	}
	return statuses
}
