package postgres

import (
	"context"

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
		p := db.JobApproveParams{JobID: id, ApprovedBy: by}
		after := status(work.StatusApproved)
		if budget != nil {
			p.SetBudget, p.BudgetUsd, p.BudgetTokens = true, budget.USD, budget.Tokens
			after["budget"] = budget
		}
		spent, err := jobBudget(ctx, q, id)
		if err != nil {
			return err
		}
		if budget != nil {
			spent.Budget = *budget
		}
		if err := spent.CheckRaised(); err != nil && spent.waits {
			return err
		}
		if _, err := q.JobApprove(ctx, p); err != nil {
			return err
		}
		return record(ctx, q, jobAct("approve", id, status(work.StatusAwaitingApproval), after))
	})
	if isNoRows(err) {
		job, err := s.Job(ctx, id)
		if err != nil {
			return err
		}
		return conflict("Job not awaiting approval (status: %s)", job.Status)
	}
	if err != nil {
		return translate(err, "approve job "+id)
	}
	s.committed(id)
	return nil
}

// CheckBudget returns an error that kappa.Paused knows when a job has spent what it may.
// An unknown job has no budget.
func (s JobStore) CheckBudget(ctx context.Context, id string) error {
	b, err := jobBudget(ctx, s.q(), id)
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return translate(err, "read the budget of "+id)
	}
	return b.Check()
}

// waitingBudget is the budget of a job, and whether that awaits approval.
type waitingBudget struct {
	corpus.JobBudget
	waits bool
}

func jobBudget(ctx context.Context, q *db.Queries, id string) (waitingBudget, error) {
	r, err := q.JobBudget(ctx, id)
	return waitingBudget{
		corpus.JobBudget{Budget: corpus.Budget{USD: r.BudgetUsd, Tokens: r.BudgetTokens}, SpentUSD: r.SpentUsd, SpentTokens: r.SpentTokens},
		work.Status(r.Status) == work.StatusAwaitingApproval,
	}, err
}

// Cancel cancels a job that no worker has, or asks the worker of a running one
// to stop, which running reports. It may be repeated. It returns CodeConflict
// for a job that is over.
func (s JobStore) Cancel(ctx context.Context, id string) (running bool, err error) {
	var row db.JobCancelRow
	err = s.acting(ctx, func(q *db.Queries) (err error) {
		if row, err = q.JobCancel(ctx, id); err != nil {
			return err
		}
		after := status(work.StatusCancelled)
		if row.Asked > 0 {
			after = map[string]any{"cancel_requested": true}
		}
		return record(ctx, q, jobAct("cancel", id, status(work.Status(row.Previous)), after))
	})
	if isNoRows(err) {
		job, err := s.Job(ctx, id)
		if err != nil {
			return false, err
		}
		return false, conflict("Cannot cancel job in status: %s", job.Status)
	}
	if err != nil {
		return false, translate(err, "cancel job "+id)
	}
	s.committed(id)
	return row.Asked > 0, nil
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
	var before db.JobReprioritizeRow
	err = s.acting(ctx, func(q *db.Queries) (err error) {
		if before, err = q.JobReprioritize(ctx, id, int16(priority)); err != nil {
			return err
		}
		return record(ctx, q, jobAct("reprioritize", id, map[string]any{"priority": before.Priority}, map[string]any{"priority": priority}))
	})
	if isNoRows(err) {
		job, err := s.Job(ctx, id)
		if err != nil {
			return 0, 0, err
		}
		return 0, 0, conflict("Can only reprioritize approved jobs (status: %s)", job.Status)
	}
	return int(before.Priority), priority, translate(err, "reprioritize job "+id)
}

// jobAct is what is recorded of a decision about a job.
func jobAct(verb, id string, before, after any) act {
	return act{action: "job." + verb, object: "job", id: id, before: before, after: after}
}

func status(s work.Status) map[string]any { return map[string]any{"status": s} }
