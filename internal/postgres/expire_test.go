package postgres_test

import (
	"context"
	"testing"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// unapproved stores a job that nobody has approved in time.
func unapproved(t *testing.T, s *postgres.DB, dsn string) work.Job {
	t.Helper()
	job := submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false })
	execSQL(t, dsn, "UPDATE kg_api.jobs SET expires_at = now() - interval '1 second' WHERE job_id = $1", job.ID)
	return job
}

func TestExpireJobs(t *testing.T) {
	t.Parallel()
	t.Run("cancels what was not approved in time, and says why", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		old, young := unapproved(t, s, dsn), submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false })
		if n, err := s.Queue().ExpireJobs(t.Context()); err != nil || n != 1 {
			t.Fatalf("%d jobs have expired, %v", n, err)
		}
		job, err := s.Jobs().Job(t.Context(), old.ID)
		must(t, err)
		if job.Status != work.StatusCancelled || job.Error == nil || *job.Error != "Expired - not approved within 24 hours" {
			t.Errorf("the old job is %+v", job)
		}
		if now := status(t, s, young.ID); now != work.StatusAwaitingApproval {
			t.Errorf("the young job is %s", now)
		}
		if events := checkHistory(t, s, old.ID); count(events, work.EventCancelled) != 1 {
			t.Errorf("its history is %v", events)
		}
	})

	t.Run("an approval that was acknowledged stays", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		job := unapproved(t, s, dsn)
		var approval error
		expiring, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, AcquireTimeout: connectLimit, Hook: func(ctx context.Context, point string) error {
			if point == "after JobExpired" {
				approval = s.Jobs().Approve(ctx, job.ID, "test")
			}
			return nil
		}})
		must(t, err)
		t.Cleanup(expiring.Close)
		_, err = expiring.Queue().ExpireJobs(t.Context())
		must(t, err)
		if now := status(t, s, job.ID); (now == work.StatusApproved) != (approval == nil) {
			t.Errorf("the job is %s after an approval that was answered with %v", now, approval)
		}
	})

	t.Run("a job that somebody has locked does not keep the others", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		locked, other := unapproved(t, s, dsn), unapproved(t, s, dsn)
		tx, err := connect(t, dsn).Begin(t.Context())
		must(t, err)
		_, err = tx.Exec(t.Context(), "SELECT 1 FROM kg_api.jobs WHERE job_id = $1 FOR UPDATE", locked.ID)
		must(t, err)
		if n, err := s.Queue().ExpireJobs(t.Context()); err != nil || n != 1 || status(t, s, other.ID) != work.StatusCancelled {
			t.Errorf("%d jobs have expired, %v", n, err)
		}
		must(t, tx.Rollback(t.Context()))
		if n, err := s.Queue().ExpireJobs(t.Context()); err != nil || n != 1 {
			t.Errorf("%d jobs have expired afterwards, %v", n, err)
		}
	})
}
