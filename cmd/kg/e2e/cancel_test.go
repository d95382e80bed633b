package e2e

import (
	"testing"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// TestACancelNotificationIsAHint notifies kg_cancel though nobody has asked for a
// cancel: by hand, and as stale recovery does, whose notification comes late, when the
// next attempt runs. The jobs run on, and complete.
func TestACancelNotificationIsAHint(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	widen(t, s.client, 2)
	job := work.NewJob{Type: work.TypeSleep, AutoApprove: true, Data: []byte(`{"ms":4000,"steps":1}`)}
	notify := func(t *testing.T, id string) {
		t.Helper()
		rows(t, s.dsn, "SELECT count(*) FROM (SELECT pg_notify('kg_cancel', $1)) n", id)
	}
	t.Run("a bare notification", func(t *testing.T) {
		t.Parallel()
		id := runningJobs(t, s.client, 1, job)[0]
		for range 5 {
			notify(t, id)
		}
		if job := await(t, s.client, id, work.StatusCompleted); job.Attempt != 1 {
			t.Errorf("it completed in attempt %d, want 1", job.Attempt)
		}
	})
	t.Run("stale recovery, and a late notification", func(t *testing.T) {
		t.Parallel()
		id := runningJobs(t, s.client, 1, job)[0]
		db, err := postgres.Open(t.Context(), postgres.Config{DSN: s.dsn, JobConns: 1, GraphConns: 1, AuthConns: 1})
		check(t, err)
		defer db.Close()
		status, err := db.Retention().SchedulerState(t.Context())
		check(t, err)
		rows(t, s.dsn, "WITH stuck AS (UPDATE kg_api.jobs SET progress_at = progress_at - interval '1 day' WHERE job_id = $1 RETURNING 1) SELECT count(*) FROM stuck", id)
		taken, err := db.Queue().RecoverStale(t.Context(), status.Term, 10)
		check(t, err)
		if taken[id] != work.StatusApproved {
			t.Fatalf("stale recovery took %v", taken)
		}
		until(t, func() bool {
			return rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_id = $1 AND status = 'processing' AND attempt = 2", id) == 1
		}, func() string { return "the second attempt does not run" })
		for range 5 { // from before the handler has begun to after that
			notify(t, id)
		}
		if job := await(t, s.client, id, work.StatusCompleted); job.Attempt != 2 || job.Retries != 1 {
			t.Errorf("it completed in attempt %d after %d retries, want 2 and 1", job.Attempt, job.Retries)
		}
	})
}
