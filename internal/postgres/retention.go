package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// RetentionStore deletes what is old, and knows when that was done.
type RetentionStore struct{ *base }

// Retention returns the store that deletes what is old.
func (d *DB) Retention() RetentionStore { return RetentionStore{&d.base} }

// PruneJobs reads the next jobs after key, oldest first and at most most of
// them, and deletes with their events those that ended longer ago than keep
// says. It runs under the leader's term and returns ErrDeposed when another
// server leads. more is false when no old job is left to read.
func (s RetentionStore) PruneJobs(ctx context.Context, term int64, keep work.Retention, key work.PruneKey, most int) (deleted int, next work.PruneKey, more bool, err error) {
	var gone []string
	err = s.underTerm(ctx, term, func(q *db.Queries) error {
		row, err := q.JobsPrune(ctx, db.JobsPruneParams{
			AfterAt: key.At, AfterID: key.ID, KeepCompleted: keep.Completed, KeepFailed: keep.Failed, MaxJobs: int32(most),
		})
		gone, more = row.Deleted, row.Seen == int64(most)
		next = work.PruneKey{At: row.LastAt, ID: row.LastID}
		if err != nil || len(gone) == 0 {
			return err
		}
		return releaseDataclips(ctx, q, gone)
	})
	if err != nil {
		return 0, next, more, translate(err, "delete old jobs")
	}
	if len(gone) > 0 {
		s.deleted(gone...)
	}
	return len(gone), next, more, nil
}

// PruneContents reads the next contents after key, at most most of them, and
// deletes those that no job and no document refers to any more. What came
// within the last hour stays. Term, error and more are as in PruneJobs.
func (s RetentionStore) PruneContents(ctx context.Context, term int64, key work.PruneKey, most int) (deleted int, next work.PruneKey, more bool, err error) {
	err = s.underTerm(ctx, term, func(q *db.Queries) error {
		hashes, err := q.ContentKeys(ctx, key.ID, int32(most))
		if err != nil || len(hashes) == 0 {
			return err
		}
		more, next.ID = len(hashes) == most, hashes[len(hashes)-1]
		unused, err := q.ContentsUnused(ctx, hashes)
		if err != nil || len(unused) == 0 {
			return err
		}
		n, err := q.ContentsDelete(ctx, unused)
		deleted = int(n)
		return err
	})
	return deleted, next, more, translate(err, "delete unused contents")
}

// PruneScheduleRuns deletes up to most answers of schedules that are older than
// keep. Term and error are as in PruneJobs.
func (s RetentionStore) PruneScheduleRuns(ctx context.Context, term int64, keep time.Duration, most int) (deleted int, err error) {
	err = s.underTerm(ctx, term, func(q *db.Queries) error {
		n, err := q.ScheduleRunsPrune(ctx, keep, int32(most))
		deleted = int(n)
		return err
	})
	return deleted, translate(err, "delete old runs of schedules")
}

// PlanCleanup plans the next cleanup one interval after the last one, and
// returns how long until then, at least 0.
func (s RetentionStore) PlanCleanup(ctx context.Context, every time.Duration) (time.Duration, error) {
	wait, err := s.q().CleanupPlan(ctx, every)
	return max(0, time.Duration(wait)*time.Millisecond), translate(err, "plan the cleanup")
}

// CleanupDone records that a cleanup has just ended, and when the next one is.
func (s RetentionStore) CleanupDone(ctx context.Context, every time.Duration) error {
	return translate(s.q().CleanupDone(ctx, every), "record the cleanup")
}

// SchedulerState returns when the leader cleaned up, and whether a live server
// leads.
func (s RetentionStore) SchedulerState(ctx context.Context) (work.SchedulerState, error) {
	row, err := s.q().SchedulerState(ctx)
	return work.SchedulerState{
		LastCleanup: kappa.AtPtr(row.LastCleanupAt), NextCleanup: kappa.AtPtr(row.NextCleanupAt), Leads: row.Leads, Term: row.Term,
	}, translate(err, "read the scheduler's state")
}

// JobCounts returns how many jobs there are in each status; every status is
// present.
func (s FigureStore) JobCounts(ctx context.Context) (map[work.Status]int, error) {
	rows, err := s.q().JobCounts(ctx)
	if err != nil {
		return nil, translate(err, "count jobs")
	}
	counts := map[work.Status]int{}
	for _, r := range rows {
		counts[work.Status(r.Status)] = int(r.Jobs)
	}
	return work.AllStatuses(counts), nil
}

// FoldJobCounts folds what has changed into the counts of the jobs that are over, and returns
// how many changes that were. Until then readers add them up each time: the counts are right
// without it, and take longer.
func (s RetentionStore) FoldJobCounts(ctx context.Context) (folded int, err error) {
	n, err := s.q().JobCountsFold(ctx)
	if err == nil && n >= manyFolded {
		_, err = s.jobs.Exec(ctx, "VACUUM kg_api.job_changes") // see FoldOntologyCounts
	}
	return int(n), translate(err, "fold the counts of jobs")
}

// RecountJobs adds what the counts of jobs that are over lack, and returns how much that is:
// nothing, unless an older server has worked beside this one. Term and error are as in
// PruneJobs.
func (s RetentionStore) RecountJobs(ctx context.Context, term int64) (off int, err error) {
	err = s.underTerm(ctx, term, func(q *db.Queries) error {
		n, err := q.JobCountsRecount(ctx)
		off = int(n)
		return err
	})
	return off, translate(err, "recount the jobs")
}

// underTerm runs f in a transaction of the leader.
func (s *base) underTerm(ctx context.Context, term int64, f func(q *db.Queries) error) error {
	return inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := holdTerm(ctx, q, term); err != nil {
			return err
		}
		return f(q)
	})
}
