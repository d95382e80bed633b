package postgres

import (
	"context"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// Policies returns what operators have chosen for job types, by type.
func (s LaneStore) Policies(ctx context.Context) (map[string]work.PolicyChange, error) {
	rows, err := s.q().PolicyList(ctx)
	chosen := make(map[string]work.PolicyChange, len(rows))
	for _, r := range rows {
		chosen[r.JobType] = toPolicy(r)
	}
	return chosen, translate(err, "read the policies of job types")
}

// SetPolicy changes the policy of a job type, for all servers and at once, and returns what is
// chosen for it then. The caller has validated c by itself. It returns CodeInvalid when the
// settings do not go together that the type has then.
func (s LaneStore) SetPolicy(ctx context.Context, t work.JobType, c work.PolicyChange) (work.PolicyChange, error) {
	var after work.PolicyChange
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := q.PolicyLock(ctx, t.Name); err != nil {
			return err
		}
		row, err := q.PolicyOf(ctx, t.Name)
		if err != nil && !isNoRows(err) {
			return err
		}
		before := toPolicy(row)
		after = before.After(c)
		if err := after.Over(t.Policy()).Check(); err != nil {
			return err
		}
		if _, err := q.PolicyStore(ctx, db.PolicyStoreParams{
			JobType: t.Name, MaxRetries: toInt32(after.MaxRetries), BackoffFirstMs: toInt32(after.BackoffFirstMS), BackoffMostMs: toInt32(after.BackoffMostMS),
			BackoffFactor: after.BackoffFactor, Jitter: after.Jitter, DeadlineMs: toInt32(after.DeadlineMS),
		}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "job-type.update", object: "job_type", id: t.Name, before: before, after: after})
	})
	return after, translate(err, "change the policy of "+t.Name)
}

func toPolicy(r db.KgApiJobTypePolicy) work.PolicyChange {
	return work.PolicyChange{
		MaxRetries: fromInt32(r.MaxRetries), BackoffFirstMS: fromInt32(r.BackoffFirstMs), BackoffMostMS: fromInt32(r.BackoffMostMs),
		BackoffFactor: r.BackoffFactor, Jitter: r.Jitter, DeadlineMS: fromInt32(r.DeadlineMs),
	}
}
