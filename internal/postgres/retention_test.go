package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

var keep = work.Retention{Completed: 48 * time.Hour, Failed: 7 * 24 * time.Hour}

// prune runs a whole pass over the jobs in batches.
func prune(t *testing.T, s *postgres.DB, batch int) (deleted int) {
	t.Helper()
	var key work.PruneKey
	for more := true; more; {
		var n int
		var err error
		n, key, more, err = s.Retention().PruneJobs(t.Context(), 0, keep, key, batch)
		must(t, err)
		deleted += n
	}
	return deleted
}

// aged stores a job in a status that it reached so many hours ago.
func aged(t *testing.T, dsn string, n int, status work.Status, hours int) string {
	t.Helper()
	id := fmt.Sprintf("job_%012x", n)
	execSQL(t, dsn, `
		INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, created_at, completed_at, approved_at, approved_by,
			lane, claimed_by, claimed_at, claim_token)
		SELECT $1, 'polarity', $2, 1, at, CASE WHEN $2 IN ('completed', 'failed', 'cancelled') THEN at END, at, 'auto',
			'interactive', gen_random_uuid(), at, 1
		FROM (SELECT now() - $3 * interval '1 hour' AS at) a`, id, string(status), hours)
	execSQL(t, dsn, "INSERT INTO kg_api.job_events (job_id, seq, kind, payload) VALUES ($1, 1, 'status', '{}'), ($1, 2, 'status', '{}')", id)
	return id
}

func TestPruneJobs(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	var gone, kept []string
	n := 0
	add := func(list *[]string, status work.Status, hours int) {
		n++
		*list = append(*list, aged(t, dsn, n, status, hours))
	}
	for range 3 {
		add(&gone, work.StatusCompleted, 49)
		add(&gone, work.StatusCancelled, 300)
		add(&gone, work.StatusFailed, 169)
		add(&kept, work.StatusCompleted, 47)
		add(&kept, work.StatusFailed, 167)
		add(&kept, work.StatusProcessing, 1000)
		add(&kept, work.StatusApproved, 1000)
		add(&kept, work.StatusAwaitingApproval, 1000)
		add(&kept, work.StatusPending, 1000)
	}
	if _, _, _, err := s.Retention().PruneJobs(t.Context(), 9, keep, work.PruneKey{}, 100); !errors.Is(err, kappa.ErrDeposed) {
		t.Errorf("a deposed leader got %v", err)
	}
	if deleted := prune(t, s, 2); deleted != len(gone) {
		t.Errorf("%d jobs were deleted, want %d", deleted, len(gone))
	}
	for _, id := range gone {
		if _, err := s.Jobs().Job(t.Context(), id); kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("%s is there: %v", id, err)
		}
	}
	for _, id := range kept {
		if _, err := s.Jobs().Job(t.Context(), id); err != nil {
			t.Errorf("%s is gone: %v", id, err)
		}
	}
	if events := number(t, dsn, "SELECT count(*) FROM kg_api.job_events"); events != 2*len(kept) {
		t.Errorf("%d events are left, want %d", events, 2*len(kept))
	}
}

func TestQ52_PruneMany(t *testing.T) {
	t.Parallel()
	checkPruneMany(t, 10)
}

func TestQ52_PruneMany_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkPruneMany(t, 1)
}

// checkPruneMany deletes the old ones of many jobs, one of which ended every few
// seconds, in batches of bounded size, and logs how long the longest batch takes.
func checkPruneMany(t *testing.T, seconds int) {
	t.Helper()
	s, dsn := newStore(t)
	execSQL(t, dsn, `
		INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, created_at, completed_at)
		SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'polarity', CASE n % 10 WHEN 0 THEN 'failed' ELSE 'completed' END, 1,
			now() - interval '60 hours' + n * $1 * interval '1 second', now() - interval '60 hours' + n * $1 * interval '1 second'
		FROM generate_series(1, 60000 / $1) n`, seconds)
	execSQL(t, dsn, `INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
		SELECT job_id, seq, 'status', '{}' FROM kg_api.jobs, generate_series(1, 4) seq`)
	execSQL(t, dsn, "ANALYZE")
	old := 12 * 3600 / seconds // the first 12 hours are older than 48
	var key work.PruneKey
	deleted, batches := 0, 0
	var longest time.Duration
	for more := true; more; batches++ {
		started := time.Now()
		n, next, again, err := s.Retention().PruneJobs(t.Context(), 0, keep, key, 1000)
		must(t, err)
		if took := time.Since(started); took > longest {
			longest = took
		}
		if n > 1000 {
			t.Fatalf("%d jobs in one batch", n)
		}
		deleted, key, more = deleted+n, next, again
	}
	t.Logf("%d jobs in %d batches, the longest took %v", deleted, batches, longest)
	if want := old * 9 / 10; deleted < want || deleted > want+60 { // a minute of setting up
		t.Errorf("%d jobs were deleted, want about %d", deleted, want)
	}
}

func TestPruneContents(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	hash := func(c string) string { return "sha256:" + strings.Repeat(c, 64) }
	for _, c := range []string{"a", "b", "c", "d"} {
		execSQL(t, dsn, "INSERT INTO kg_api.contents (content_hash, body, created_at) VALUES ($1, 'x', now() - interval '2 hours')", hash(c))
	}
	execSQL(t, dsn, "UPDATE kg_api.contents SET created_at = now() WHERE content_hash = $1", hash("d"))
	execSQL(t, dsn, `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, content_hash, ontology)
		VALUES ('job_000000000001', 'ingestion', 'pending', 1, $1, 'o')`, hash("a"))
	execSQL(t, dsn, "INSERT INTO kg_api.ontologies (name) VALUES ('o')")
	execSQL(t, dsn, `INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
		SELECT $1, id, 'f', 'text/plain', 'job_000000000002' FROM kg_api.ontologies`, hash("b"))
	pass := func() (deleted int) {
		var key work.PruneKey
		for more := true; more; {
			var n int
			var err error
			n, key, more, err = s.Retention().PruneContents(t.Context(), 0, key, 1)
			must(t, err)
			deleted += n
		}
		return deleted
	}
	if n := pass(); n != 1 || number(t, dsn, "SELECT count(*) FROM kg_api.contents WHERE content_hash = $1", hash("c")) != 0 {
		t.Errorf("%d contents were deleted, want the one that nothing refers to", n)
	}
	execSQL(t, dsn, "DELETE FROM kg_api.jobs")
	execSQL(t, dsn, "UPDATE kg_api.contents SET created_at = now() - interval '2 hours'")
	if n := pass(); n != 2 {
		t.Errorf("%d contents were deleted after their jobs, want 2", n)
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.contents"); n != 1 {
		t.Errorf("%d contents are left, want the document's", n)
	}
}

func TestCleanupState(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	state, err := s.Retention().SchedulerState(t.Context())
	must(t, err)
	if state.Leads || state.LastCleanup != nil {
		t.Errorf("a new database has %+v", state)
	}
	if wait, err := s.Retention().PlanCleanup(t.Context(), time.Hour); err != nil || wait != 0 {
		t.Errorf("the first cleanup waits %v, %v", wait, err)
	}
	must(t, s.Retention().CleanupDone(t.Context(), time.Hour))
	if wait, err := s.Retention().PlanCleanup(t.Context(), time.Hour); err != nil || wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("the next cleanup waits %v, %v", wait, err)
	}
	execSQL(t, dsn, "UPDATE kg_api.scheduler_state SET last_cleanup_at = now() + interval '1 year'") // the clock was wrong
	if wait, err := s.Retention().PlanCleanup(t.Context(), time.Hour); err != nil || wait > time.Hour {
		t.Errorf("after one in the future the next cleanup waits %v, %v", wait, err)
	}
	must(t, s.Retention().CleanupDone(t.Context(), time.Hour))
	execSQL(t, dsn, "UPDATE kg_api.leader SET term = 2, worker_id = $1, since = now()", workerA)
	if state, err := s.Retention().SchedulerState(t.Context()); err != nil || state.Leads {
		t.Errorf("who has led and does not hold the lock leads: %+v, %v", state, err)
	}
	leader, err := s.DialLeader(t.Context(), connectLimit)
	must(t, err)
	if _, won, err := leader.Campaign(t.Context(), workerA); err != nil || !won {
		t.Fatalf("the campaign: won %v, %v", won, err)
	}
	register(t, s, workerA)
	for _, lease := range []string{"runs", "was lost, so that its worker goes on under another identity"} {
		state, err = s.Retention().SchedulerState(t.Context())
		must(t, err)
		if !state.Leads || state.Term != 3 || state.LastCleanup == nil || state.NextCleanup.Sub(state.LastCleanup.Time) < 59*time.Minute {
			t.Errorf("after a cleanup, of a leader whose lease %s: %+v", lease, state)
		}
		expire(t, dsn, workerA)
	}
	must(t, leader.Close(t.Context()))
	await.That(t, "nobody leads", func() bool {
		state, err := s.Retention().SchedulerState(t.Context())
		must(t, err)
		return !state.Leads
	})
}

func TestPruneScheduleRuns(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	addSchedule(t, s, "hourly")
	execSQL(t, dsn, `INSERT INTO kg_api.schedule_runs (schedule_id, scheduled_for, skip_reason, at)
		SELECT schedule_id, now() - n * interval '1 day', 'old', now() - n * interval '1 day' FROM kg_api.scheduled_jobs, generate_series(1, 10) n`)
	if n, err := s.Retention().PruneScheduleRuns(t.Context(), 0, keep.Failed, 100); err != nil || n != 4 { // 7 days and some moments is older than 7 days
		t.Errorf("%d runs were deleted, %v", n, err)
	}
}
