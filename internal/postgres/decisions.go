package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
)

// Approve approves a job that waits for it, and wakes its lanes. It returns
// CodeConflict when the job is in another status: of two concurrent decisions
// exactly one wins.
func (s JobStore) Approve(ctx context.Context, id, by string) error {
	_, err := s.q().JobApprove(ctx, by, id)
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

// Cancel cancels a job that no worker has, or asks the worker of a running one
// to stop, which running reports. It may be repeated. It returns CodeConflict
// for a job that is over.
func (s JobStore) Cancel(ctx context.Context, id string) (running bool, err error) {
	row, err := s.q().JobCancel(ctx, id)
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
	_, err := s.q().JobCancelRunning(ctx, id)
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
	if err := kappa.CheckPriority("query", priority); err != nil {
		return 0, 0, err
	}
	before, err := s.q().JobReprioritize(ctx, id, int16(priority))
	if isNoRows(err) {
		job, err := s.Job(ctx, id)
		if err != nil {
			return 0, 0, err
		}
		return 0, 0, conflict("Can only reprioritize approved jobs (status: %s)", job.Status)
	}
	return int(before.Priority), priority, translate(err, "reprioritize job "+id)
}
