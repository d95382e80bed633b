package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// Approve approves a job that waits for it; see ApproveWithin.
func (s JobStore) Approve(ctx context.Context, id, by string) error {
	return s.ApproveWithin(ctx, id, by, nil)
}

// ApproveWithin approves a job that waits for it, and wakes its lanes; with a budget, which
// may be an empty one, the job has that from now on. It returns
// CodeConflict when the job is in another status: of two concurrent decisions
// exactly one wins; and CodeInvalid when the job would pause at once, since it has spent
// its budget.
func (s JobStore) ApproveWithin(ctx context.Context, id, by string, budget *corpus.Budget) error {
	err := s.acting(ctx, func(q *db.Queries) error {
		after := status(work.StatusApproved)
		if budget != nil {
			after["budget"] = budget
		}
		approved, refused, err := approveJobs(ctx, q, []string{id}, by, budget)
		if refused[id] != nil {
			return refused[id]
		}
		if err := orNoRows(approved, err); err != nil {
			return err
		}
		return record(ctx, q, jobAct("approve", id, status(work.StatusAwaitingApproval), after))
	})
	if isNoRows(err) {
		return s.refused(ctx, work.JobAct{Act: work.ActApprove}, id)
	}
	if err != nil {
		return translate(err, "approve job "+id)
	}
	s.committed(id)
	return nil
}

// approveJobs approves those of the jobs that wait for it, and returns them. Those that would
// pause at once, since they have spent their budgets, are refused.
func approveJobs(ctx context.Context, q *db.Queries, ids []string, by string, budget *corpus.Budget) (approved []db.JobsApproveRow, refused map[string]error, err error) {
	p := db.JobsApproveParams{ApprovedBy: by}
	if budget != nil {
		p.SetBudget, p.BudgetUsd, p.BudgetTokens = true, budget.USD, budget.Tokens
	}
	budgets, err := jobBudgets(ctx, q, ids)
	if err != nil {
		return nil, nil, err
	}
	refused = map[string]error{}
	for _, id := range ids {
		spent, known := budgets[id]
		if budget != nil {
			spent.Budget = *budget
		}
		if err := spent.CheckRaised(); known && err != nil && spent.waits {
			refused[id] = err
			continue
		}
		p.JobIds = append(p.JobIds, id)
	}
	if len(p.JobIds) > 0 {
		approved, err = q.JobsApprove(ctx, p)
	}
	return approved, refused, err
}

// CheckBudget returns an error that kappa.Paused knows when a job has spent what it may.
// An unknown job has no budget.
func (s JobStore) CheckBudget(ctx context.Context, id string) error {
	budgets, err := jobBudgets(ctx, s.q(), []string{id})
	if err != nil {
		return translate(err, "read the budget of "+id)
	}
	return budgets[id].Check()
}

// waitingBudget is the budget of a job, and whether that awaits approval.
type waitingBudget struct {
	corpus.JobBudget
	waits bool
}

// jobBudgets returns the budgets of jobs by their ids, without those that are unknown.
func jobBudgets(ctx context.Context, q *db.Queries, ids []string) (map[string]waitingBudget, error) {
	rows, err := q.JobBudgets(ctx, ids)
	budgets := make(map[string]waitingBudget, len(rows))
	for _, r := range rows {
		budgets[r.JobID] = waitingBudget{
			corpus.JobBudget{Budget: corpus.Budget{USD: r.BudgetUsd, Tokens: r.BudgetTokens}, SpentUSD: r.SpentUsd, SpentTokens: r.SpentTokens},
			work.Status(r.Status) == work.StatusAwaitingApproval,
		}
	}
	return budgets, err
}

// Cancel cancels a job that no worker has, or asks the worker of a running one
// to stop, which running reports. It may be repeated. It returns CodeConflict
// for a job that is over.
func (s JobStore) Cancel(ctx context.Context, id string) (running bool, err error) {
	err = s.acting(ctx, func(q *db.Queries) error {
		rows, err := q.JobsCancel(ctx, []string{id})
		if err := orNoRows(rows, err); err != nil {
			return err
		}
		running = rows[0].Asked
		after := status(work.StatusCancelled)
		if running {
			after = map[string]any{"cancel_requested": true}
		}
		return record(ctx, q, jobAct("cancel", id, status(work.Status(rows[0].Previous)), after))
	})
	if isNoRows(err) {
		return false, s.refused(ctx, work.JobAct{Act: work.ActCancel}, id)
	}
	if err != nil {
		return false, translate(err, "cancel job "+id)
	}
	s.committed(id)
	return running, nil
}

// CancelRunning asks the worker of a running job to stop; it may be repeated.
// It returns CodeConflict for a job that does not run.
func (s JobStore) CancelRunning(ctx context.Context, id string) error {
	err := s.acting(ctx, func(q *db.Queries) error {
		if _, err := q.JobCancelRunning(ctx, id); err != nil {
			return err
		}
		return record(ctx, q, jobAct("cancel", id, status(work.StatusProcessing), map[string]any{"cancel_requested": true}))
	})
	if isNoRows(err) {
		job, err := s.Job(ctx, id)
		if err != nil {
			return err
		}
		return conflict("Job not running (status: %s). Use DELETE /jobs/%s for queued jobs.", job.Status, id)
	}
	if err != nil {
		return translate(err, "cancel running job "+id)
	}
	s.committed(id)
	return nil
}

// Reprioritize changes the priority of a job that waits for a slot, and returns
// the old and the new one. It returns CodeInvalid for a priority out of range,
// and CodeConflict for a job that is not approved.
func (s JobStore) Reprioritize(ctx context.Context, id string, priority int) (was, is int, err error) {
	if err := work.CheckPriority("query", priority); err != nil {
		return 0, 0, err
	}
	err = s.acting(ctx, func(q *db.Queries) error {
		rows, err := q.JobsReprioritize(ctx, []string{id}, int16(priority))
		if err := orNoRows(rows, err); err != nil {
			return err
		}
		was = int(rows[0].Priority)
		return record(ctx, q, jobAct("reprioritize", id, map[string]any{"priority": was}, map[string]any{"priority": priority}))
	})
	if isNoRows(err) {
		return 0, 0, s.refused(ctx, work.JobAct{Act: work.ActPriority}, id)
	}
	return was, priority, translate(err, "reprioritize job "+id)
}

// orNoRows returns err, or that no row was changed.
func orNoRows[R any](rows []R, err error) error {
	if err == nil && len(rows) == 0 {
		return pgx.ErrNoRows
	}
	return err
}

// refused returns why an act that changed nothing cannot be done to a job.
func (s JobStore) refused(ctx context.Context, a work.JobAct, id string) error {
	states, err := s.q().JobStates(ctx, []string{id})
	if err != nil {
		return translate(err, "read job "+id)
	}
	if len(states) == 0 {
		return notFound("Job not found: %s", id)
	}
	return refusal(a, states[0])
}

// refusal returns why an act cannot be done to a job as it is.
func refusal(a work.JobAct, j db.JobStatesRow) error {
	switch {
	case a.Act == work.ActApprove:
		return conflict("Job not awaiting approval (status: %s)", j.Status)
	case a.Act == work.ActCancel:
		return conflict("Cannot cancel job in status: %s", j.Status)
	case a.Act == work.ActDelete:
		return conflict("Cannot delete job in status: %s. Use force=true to override.", j.Status)
	case a.Act == work.ActPriority:
		return conflict("Can only reprioritize approved jobs (status: %s)", j.Status)
	case a.Act == work.ActRetry && a.Gaps && work.Status(j.Status) == work.StatusCompleted:
		return conflict("Job %s has completed without gaps", j.JobID)
	case a.Act == work.ActRetry:
		return conflict("Can only retry failed or cancelled jobs (status: %s)", j.Status)
	case a.Act == work.ActMove && !j.Remote:
		return conflict("Jobs of the type %s run in a lane, which knows no queues: only jobs for remote workers can be moved to another queue", j.JobType)
	case a.Act == work.ActMove:
		return conflict("Can only move jobs that wait (status: %s)", j.Status)
	case work.Status(j.Status) == work.StatusApproved:
		return conflict("Job does not wait for its time: it can be claimed already")
	}
	return conflict("Can only run approved jobs before their time (status: %s)", j.Status)
}

// jobAct is what is recorded of a decision about a job.
func jobAct(verb, id string, before, after any) act {
	return act{action: "job." + verb, object: "job", id: id, before: before, after: after}
}

func status(s work.Status) map[string]any { return map[string]any{"status": s} }
