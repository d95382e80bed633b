package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

const deleteBatch = 1000 // jobs deleted in one statement

// Purge deletes a job and its history. One that runs is deleted only by force:
// its worker is asked to stop, and what it still writes changes nothing. It
// returns CodeConflict for a running job without force.
func (s JobStore) Purge(ctx context.Context, id string, force bool) error {
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		gone, err := purgeJobs(ctx, q, []string{id}, force)
		if err := orNoRows(gone, err); err != nil {
			return err
		}
		return record(ctx, q, jobAct("purge", id, status(work.Status(gone[0].Status)), nil))
	})
	if isNoRows(err) {
		return s.refused(ctx, work.JobAct{Act: work.ActDelete}, id)
	}
	if err != nil {
		return translate(err, "delete job "+id)
	}
	s.committed(id)
	s.deleted(id)
	return nil
}

// purgeJobs deletes those of the jobs that do not run, or all by force, and returns them.
func purgeJobs(ctx context.Context, q *db.Queries, ids []string, force bool) ([]db.JobsPurgeRow, error) {
	rows, err := q.JobsPurge(ctx, ids, force)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	gone := make([]string, len(rows))
	for i, r := range rows {
		gone[i] = r.JobID
	}
	if err := q.EventsDelete(ctx, gone); err != nil {
		return nil, err
	}
	return rows, releaseDataclips(ctx, q, gone)
}

// BulkDelete deletes the jobs that sel selects with their histories, but never
// one that runs. With dryRun it deletes nothing and says what it would.
func (s JobStore) BulkDelete(ctx context.Context, sel work.JobSelection, dryRun bool) (work.JobDeletion, error) {
	count, err := s.q().JobsCountSelected(ctx, db.JobsCountSelectedParams{
		OlderThan: sel.OlderThan, Status: string(sel.Status), JobType: sel.Type, OnlySystem: sel.System,
	})
	if err != nil {
		return work.JobDeletion{}, translate(err, "count the jobs to delete")
	}
	deletion := work.JobDeletion{Count: int(count.Jobs), Running: int(count.Running)}
	if dryRun {
		deletion.Jobs, err = s.preview(ctx, db.JobsSelectedParams{
			Status: string(sel.Status), JobType: sel.Type, OnlySystem: sel.System, Before: count.Before, MaxJobs: work.MaxDeletionList,
		})
		return deletion, err
	}
	deletion.Count, err = s.deleteSelected(ctx, db.JobsDeleteSelectedParams{
		Status: string(sel.Status), JobType: sel.Type, OnlySystem: sel.System, Before: count.Before, MaxJobs: deleteBatch,
	})
	return deletion, err
}

// preview lists the first jobs that would be deleted.
func (s JobStore) preview(ctx context.Context, p db.JobsSelectedParams) ([]work.DeletedJob, error) {
	rows, err := s.q().JobsSelected(ctx, p)
	if err != nil {
		return nil, translate(err, "list the jobs to delete")
	}
	jobs := make([]work.DeletedJob, len(rows))
	for i, r := range rows {
		jobs[i] = work.DeletedJob{
			JobID: r.JobID, JobType: r.JobType, Status: work.Status(r.Status), Ontology: r.Ontology, CreatedAt: kappa.At(r.CreatedAt),
		}
	}
	return jobs, nil
}

// deleteSelected deletes batch by batch, so that nobody waits long for a lock,
// and returns how many jobs are gone. After an error those are gone all the same.
func (s JobStore) deleteSelected(ctx context.Context, p db.JobsDeleteSelectedParams) (int, error) {
	deleted := 0
	for {
		var row db.JobsDeleteSelectedRow
		err := inTx(ctx, s.jobs, func(q *db.Queries) (err error) {
			if row, err = q.JobsDeleteSelected(ctx, p); err != nil || len(row.Deleted) == 0 {
				return err
			}
			if err := releaseDataclips(ctx, q, row.Deleted); err != nil {
				return err
			}
			if err := q.EventsDelete(ctx, row.Deleted); err != nil {
				return err
			}
			return record(ctx, q, act{action: "job.purge", object: "jobs", id: p.Status, before: map[string]any{"job_ids": row.Deleted}})
		})
		if err != nil {
			return deleted, translate(err, "delete jobs")
		}
		if len(row.Deleted) > 0 {
			s.deleted(row.Deleted...)
		}
		deleted += len(row.Deleted)
		if row.Seen < int64(p.MaxJobs) {
			return deleted, nil
		}
		p.AfterAt, p.AfterID = row.LastAt, row.LastID
	}
}
