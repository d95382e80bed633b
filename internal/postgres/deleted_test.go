package postgres_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// deletions collects the jobs that a store says are gone, and fails when one of them
// can still be seen by others: then it was notified before the commit.
type deletions struct {
	t    *testing.T
	dsn  string
	mu   sync.Mutex
	jobs []string
}

func (d *deletions) notify(jobIDs ...string) {
	if len(jobIDs) == 0 {
		d.t.Error("notified of no job")
	}
	if n := number(d.t, d.dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_id = ANY ($1)", jobIDs); n != 0 {
		d.t.Errorf("%d of %d jobs are still there", n, len(jobIDs))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs = append(d.jobs, jobIDs...)
}

// take returns what was notified since the last call, in order of the ids.
func (d *deletions) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	jobs := d.jobs
	d.jobs = nil
	slices.Sort(jobs)
	return jobs
}

func TestDeleted(t *testing.T) {
	t.Parallel()
	d := &deletions{t: t, dsn: pgtest.NewDSN(t)}
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: d.dsn, Deleted: d.notify})
	must(t, err)
	t.Cleanup(s.Close)

	t.Run("a purge", func(t *testing.T) {
		job := submit(t, s, "polarity")
		must(t, s.Jobs().Purge(t.Context(), job.ID, false))
		if got := d.take(); !slices.Equal(got, []string{job.ID}) {
			t.Errorf("notified of %v, want %s", got, job.ID)
		}
		if err := s.Jobs().Purge(t.Context(), job.ID, false); kappa.ErrorCode(err) != kappa.CodeNotFound || len(d.take()) != 0 {
			t.Errorf("notified of an unknown job, err %v", err)
		}
	})

	t.Run("a cleanup", func(t *testing.T) {
		old := []string{aged(t, d.dsn, 1, work.StatusCompleted, 49), aged(t, d.dsn, 2, work.StatusFailed, 200)}
		young := aged(t, d.dsn, 3, work.StatusCompleted, 1)
		prune(t, s, 1)
		if got := d.take(); !slices.Equal(got, old) {
			t.Errorf("notified of %v, want %v and not %s", got, old, young)
		}
		if _, _, _, err := s.Retention().PruneJobs(t.Context(), 9, keep, work.PruneKey{}, 100); err == nil || len(d.take()) != 0 {
			t.Errorf("a deposed leader notifies, err %v", err)
		}
	})

	t.Run("a bulk delete in batches", func(t *testing.T) {
		execSQL(t, d.dsn, `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, created_at, completed_at)
			SELECT 'job_' || lpad(to_hex(n + 100), 12, '0'), 'polarity', 'failed', 1, now() - interval '30 hours', now() FROM generate_series(1, 1500) n`)
		if _, err := s.Jobs().BulkDelete(t.Context(), work.JobSelection{OlderThan: 24 * time.Hour}, true); err != nil || len(d.take()) != 0 {
			t.Errorf("a preview notifies, err %v", err)
		}
		_, err := s.Jobs().BulkDelete(t.Context(), work.JobSelection{OlderThan: 24 * time.Hour}, false)
		must(t, err)
		if got := d.take(); len(got) != 1500 || len(slices.Compact(got)) != 1500 {
			t.Errorf("notified of %d jobs, want 1500", len(got))
		}
	})
}

func TestJobsByIDs(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	want := map[string]work.Job{}
	ids := []string{unknownJob}
	for _, jobType := range []string{"polarity", "projection"} {
		job := submit(t, s, jobType)
		job.QueuePosition = nil // not asked for
		want[job.ID] = job
		ids = append(ids, job.ID, job.ID)
	}
	submit(t, s, "restore")
	got, err := s.Jobs().JobsByIDs(t.Context(), ids)
	if err != nil || len(got) != len(want) {
		t.Fatalf("read %d jobs, err %v, want %d", len(got), err, len(want))
	}
	for _, job := range got {
		if w, ok := want[job.ID]; !ok || !reflect.DeepEqual(job, w) {
			t.Errorf("read %+v, want %+v", job, w)
		}
	}
	if got, err := s.Jobs().JobsByIDs(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("without ids: %v, err %v", got, err)
	}
	if _, err := s.Jobs().JobsByIDs(t.Context(), make([]string, 500)); err != nil {
		t.Errorf("500 ids: %v", err)
	}
	_, err = s.Jobs().JobsByIDs(t.Context(), make([]string, 501))
	wantCode(t, err, kappa.CodeInvalid, "")
}

// TestPurgeBesideAWrite deletes a job while its worker writes an event: none is left,
// for nothing would ever delete it.
func TestPurgeBesideAWrite(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity")
	claim(t, s, workerA, 1)
	worker := connect(t, dsn)
	run(t, worker, "BEGIN")
	run(t, worker, "UPDATE kg_api.jobs SET event_seq = event_seq + 1 WHERE job_id = $1", job.ID)
	run(t, worker, "INSERT INTO kg_api.job_events (job_id, seq, kind, payload) SELECT job_id, event_seq, 'progress', '{}' FROM kg_api.jobs WHERE job_id = $1", job.ID)
	purged := make(chan error, 1)
	go func() { purged <- s.Jobs().Purge(t.Context(), job.ID, true) }()
	await.That(t, "the purge waits for the worker", func() bool {
		return number(t, dsn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
	})
	run(t, worker, "COMMIT")
	must(t, <-purged)
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.job_events WHERE job_id = $1", job.ID); n != 0 {
		t.Errorf("%d events of the deleted job are left", n)
	}
}
