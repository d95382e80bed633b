package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// TestRunPages reads the plans of confirmations and ends: they go to each row by its
// key, and do not walk over what other runs have left in the indexes of what is open.
// What they write is not counted: an index whose page is full looks at pages of rows that
// may be dead before it splits.
func TestRunPages(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	w := remoteWorker(t, s, "pages", workerA)
	conn := connect(t, dsn)
	_, err := conn.Exec(t.Context(), `
		INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, approved_at, approved_by, remote, queue)
		SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'exec', 'approved', 1, now(), 'test', true, 'q' FROM generate_series(1, 2000) AS n`)
	must(t, err)
	for range 200 { // nothing vacuums meanwhile: they are dead where they were open
		runs := claimRemote(t, s, w, 10, "q")
		outcomes := make([]work.RunOutcome, len(runs))
		for i, r := range runs {
			outcomes[i] = work.RunOutcome{RunKey: r.RunKey, Status: work.StatusCompleted}
		}
		done, err := s.Remote().Finish(t.Context(), outcomes)
		must(t, err)
		if len(done) != 10 {
			t.Fatalf("%d runs have ended, want 10", len(done))
		}
	}
	r := submit(t, s, "exec", remote("q", 0))
	run := claimRemote(t, s, w, 1, "q")[0]
	confirm := explain(t, conn, db.RunConfirm, []int64{run.Token}, []string{w.WorkerID}, []string{r.ID})
	finish := explain(t, conn, db.RunFinish, []string{r.ID}, []int64{run.Token}, []string{w.WorkerID}, []int64{0}, []string{"completed"}, []string{""},
		[]string{""}, []int64{0}, []bool{false}, []string{"completed"}, []string{""}, []bool{false})
	for name, plan := range map[string]map[string]any{"confirmation": confirm, "end": finish} {
		if n := plan["Actual Rows"]; n != 1.0 {
			t.Errorf("%s: %v rows, want 1", name, n)
		}
		t.Logf("%s: %d pages", name, pagesIn(plan))
		for _, part := range leaves(plan) {
			if n := pagesIn(part); n > 5 {
				t.Errorf("%s: %v of %v by %v reads %d pages, want at most 5", name, part["Node Type"], part["Relation Name"], part["Index Name"], n)
			}
		}
	}
}

// TestRunEndsSayHowLong ends runs that waited six seconds and ran four, in each of the ways that
// count, and in one that does not.
func TestRunEndsSayHowLong(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	w := remoteWorker(t, s, "long", workerA)
	for _, c := range []struct {
		end     work.RunOutcome
		want    work.AttemptOutcome
		counted bool
	}{
		{work.RunOutcome{Status: work.StatusCompleted}, "completed", true},
		{work.RunOutcome{Status: work.StatusFailed, Error: "no"}, "failed", true},
		{work.RunOutcome{Status: work.StatusApproved, Outcome: work.RunRetried, Counted: true, Delay: time.Hour, Error: "no"}, "retried", true},
		{work.RunOutcome{Status: work.StatusApproved, Outcome: work.RunReturned}, "returned", false},
	} {
		submit(t, s, "exec", remote("q", 0))
		run := claimRemote(t, s, w, 1, "q")[0]
		execSQL(t, dsn, "UPDATE kg_api.jobs SET created_at = now() - interval '1 minute', approved_at = now() - interval '20 s', run_at = now() - interval '10 s', claimed_at = now() - interval '4 s' WHERE job_id = $1", run.JobID)
		c.end.RunKey = run.RunKey
		done, err := s.Remote().Finish(t.Context(), []work.RunOutcome{c.end})
		must(t, err)
		a := done[run.Token].Attempt
		if a.Lane != work.RemoteLane || a.JobType != "exec" || a.Outcome != c.want || a.Counted() != c.counted || a.Waited.Round(time.Second) != 6*time.Second || a.Ran < 4*time.Second || a.Ran > time.Minute {
			t.Errorf("%s: told of %+v, counted %t", c.want, a, a.Counted())
		}
	}
}

// TestRunPlans makes sure that no statement of a run's life is planned for its
// arguments: that would take longer than it does.
func TestRunPlans(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	w := remoteWorker(t, h.DB, "plans", workerB)
	submit(t, h.DB, "exec", remote("q", 0))
	h.take()
	run := claimRemote(t, h.DB, w, 1, "q")[0]
	wantPoints(t, h, "a claim", "before RemoteClaimLock", "before RemoteClaim", "after RemoteClaimLock", "after RemoteClaim")
	_, err := h.Remote().Confirm(t.Context(), []work.RunKey{run.RunKey})
	must(t, err)
	wantPoints(t, h, "a confirmation", "before PlanOnce", "before RunConfirm", "after PlanOnce", "after RunConfirm")
	_, err = h.Remote().Finish(t.Context(), []work.RunOutcome{{RunKey: run.RunKey, Status: work.StatusCompleted}})
	must(t, err)
	wantPoints(t, h, "an end", "before PlanOnce", "before RunFinish", "after PlanOnce", "after RunFinish")

	conn := connect(t, h.dsn)
	for range 3 {
		var claim pgx.Batch
		claim.Queue(db.PlanOnce)
		claim.Queue(postgres.RemoteClaimSQL, []string{workerB}, []int64{1}, []string{"g"}, []int{1}, []string{"exec"}, []string{"q"}, false, 4, "15 seconds", 1000, []int{}, 0, 4)
		must(t, conn.SendBatch(t.Context(), &claim).Close())
	}
	var generic, custom int
	must(t, conn.QueryRow(t.Context(), "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1", postgres.RemoteClaimSQL).
		Scan(&generic, &custom))
	if generic != 3 || custom != 0 {
		t.Errorf("of 3 claims %d had the plan for any arguments and %d one for theirs", generic, custom)
	}
}
