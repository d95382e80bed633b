package postgres_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// The controls of this file give the statements of claims and of rescues the
// shapes that other queues have. Each of them does the harm that ours is written
// to avoid, in a scenario that ours comes out of.

// replaced returns a statement with the one thing that the pattern finds
// replaced.
func replaced(t *testing.T, sql, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringIndex(sql, -1)
	if len(found) != 1 {
		t.Fatalf("the statement has %s %d times, want once:\n%s", pattern, len(found), sql)
	}
	return sql[:found[0][0]] + text + sql[found[0][1]:]
}

// rescue runs the statement of rescues in the given text, under the term 0, and
// returns what became of the jobs that it took.
func rescue(t *testing.T, dsn, text string) map[string]work.Status {
	t.Helper()
	q := db.New(mutant{connect(t, dsn), db.JobRescue, text})
	must(t, q.WorkerReap(t.Context(), time.Millisecond))
	rows, err := q.JobRescue(t.Context(), db.JobRescueParams{
		CrashWindow: work.CrashWindow, Quarantine: work.QuarantineCrashes, MaxJobs: 10,
	})
	must(t, err)
	taken := map[string]work.Status{}
	for _, r := range rows {
		taken[r.JobID] = work.Status(r.Status)
	}
	return taken
}

// TestM02_RescueByAgeTakesFromTheLiving has jobs rescued when they are old and
// not when their worker's lease has ended: a long job of a live worker is then
// done twice without any fault, and a young one of a dead worker by nobody.
func TestM02_RescueByAgeTakesFromTheLiving(t *testing.T) {
	t.Parallel()
	byAge := replaced(t, db.JobRescue, `w\.worker_id IS NULL OR w\.state <> 'live'`, "j.claimed_at <= statement_timestamp() - interval '6 minutes'")
	t.Run("a long job of a live worker", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA, workerB)
		job := submit(t, s, "polarity")
		first := claim(t, s, workerA, 1)[0]
		execSQL(t, dsn, "UPDATE kg_api.jobs SET claimed_at = now() - interval '1 hour', started_at = now() - interval '1 hour'")
		if taken := rescue(t, dsn, db.JobRescue); len(taken) != 0 {
			t.Errorf("the statement as it is took %v from a live worker", taken)
		}
		if taken := rescue(t, dsn, byAge); taken[job.ID] != work.StatusApproved {
			t.Fatalf("by age %v were taken: nothing shows that the lease is needed", taken)
		}
		if again := claim(t, s, workerB, 1); len(again) != 1 || again[0].Attempt != 2 {
			t.Errorf("claimed %+v, want the job that the live worker is at", again)
		}
		if live := number(t, dsn, "SELECT count(*) FROM kg_api.workers WHERE state = 'live' AND lease_until > clock_timestamp()"); live != 2 {
			t.Errorf("%d workers hold their leases, want both", live)
		}
		done, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(first)})
		must(t, err)
		if len(done) != 0 {
			t.Errorf("the first worker's end was stored: %v", done)
		}
	})
	t.Run("a young job of a dead worker", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		job := submit(t, s, "polarity")
		claim(t, s, workerA, 1)
		execSQL(t, dsn, "UPDATE kg_api.workers SET lease_until = clock_timestamp() - interval '1 second'")
		if taken := rescue(t, dsn, byAge); len(taken) != 0 {
			t.Errorf("by age %v were taken: nothing shows that the lease is needed", taken)
		}
		if taken := rescue(t, dsn, db.JobRescue); taken[job.ID] != work.StatusApproved {
			t.Errorf("the statement as it is took %v, want the job of the dead worker", taken)
		}
	})
}

// forcedLoops leaves the planner nothing but nested loops that repeat their inner
// side for each row of the outer one.
const forcedLoops = `SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off;
	SET enable_hashagg = off; SET enable_sort = off; SET enable_indexscan = off; SET enable_bitmapscan = off`

// picksAgain is the claim as many queues have it: the rows to take are found by
// a subquery with a limit, which such a plan computes anew for each row.
func picksAgain(t *testing.T) string {
	t.Helper()
	return replaced(t, postgres.ClaimSQL, `FROM picked\s+WHERE j\.ctid = picked\.place AND j\.status = 'approved'`,
		`WHERE j.status = 'approved' AND j.job_id IN (
			SELECT o.job_id FROM kg_api.jobs o
			WHERE o.status = 'approved' AND o.due AND o.job_type = ANY ($4)
			ORDER BY o.priority DESC, o.created_at, o.job_id
			LIMIT (SELECT f.slots FROM free f) FOR UPDATE SKIP LOCKED)`)
}

// TestM03_AClaimThatPicksAgainTakesTooMuch claims with the limit in a subquery,
// under a plan that a few statistics away is the planner's own.
func TestM03_AClaimThatPicksAgainTakesTooMuch(t *testing.T) {
	t.Parallel()
	const jobs, slots = 10, 2 // the lane's
	for name, c := range map[string]struct {
		sql  string
		want int
	}{
		"as it is, it takes what there is room for": {postgres.ClaimSQL, slots},
		"with a subquery it takes everything":       {picksAgain(t), jobs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA)
			for range jobs {
				submit(t, s, "polarity")
			}
			conn := connect(t, dsn)
			_, err := conn.Exec(t.Context(), forcedLoops)
			must(t, err)
			tag, err := conn.Exec(t.Context(), c.sql, postgres.ClaimArgs(claimOf(workerA, "polarity"))...)
			must(t, err)
			running := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing'")
			if running != c.want || tag.RowsAffected() != int64(running) {
				t.Errorf("%d jobs run in %d slots, and %s: want %d", running, slots, tag, c.want)
			}
		})
	}
}

// claimOf asks for as much as there is room for in the interactive lane.
func claimOf(worker, jobType string) work.ClaimRequest {
	return work.ClaimRequest{Lane: "interactive", Worker: worker, Types: []string{jobType}, Most: 100}
}

// TestM03_ACountBesideTheLockTakesTooMuch has two servers claim at once, each
// for the types that it knows. The second waits for the lane, which the first has
// locked. Counted in the statement that waits, the slots are those from before the
// wait.
func TestM03_ACountBesideTheLockTakesTooMuch(t *testing.T) {
	t.Parallel()
	const slots = 2 // the lane's
	countsBefore := replaced(t, postgres.ClaimSQL, `WHERE l\.name = \$1::text AND l\.enabled`, "WHERE l.name = $1::text AND l.enabled AND pg_advisory_xact_lock(100000003, hashtext(l.name))::text = ''")
	apart := func(tx pgx.Tx, r work.ClaimRequest) error {
		if err := db.New(tx).LaneLock(t.Context(), r.Lane); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), postgres.ClaimSQL, postgres.ClaimArgs(r)...)
		return err
	}
	together := func(tx pgx.Tx, r work.ClaimRequest) error {
		_, err := tx.Exec(t.Context(), countsBefore, postgres.ClaimArgs(r)...)
		return err
	}
	for name, c := range map[string]struct {
		claim func(tx pgx.Tx, r work.ClaimRequest) error
		want  int
	}{
		"in a statement of its own, the lock keeps the slots": {apart, slots},
		"in the same statement it does not":                   {together, 2 * slots},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA, workerB)
			must(t, s.Lanes().AddLaneTypes(t.Context(), "interactive", work.TypeNoop))
			for range slots {
				submit(t, s, "polarity")
				submit(t, s, work.TypeNoop)
			}
			second := connect(t, dsn)
			_, err := whileOpen(t, dsn,
				func(tx pgx.Tx) error { return c.claim(tx, claimOf(workerA, "polarity")) },
				func() (bool, error) {
					return true, pgx.BeginFunc(t.Context(), second, func(tx pgx.Tx) error { return c.claim(tx, claimOf(workerB, work.TypeNoop)) })
				})
			must(t, err)
			if running := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing'"); running != c.want {
				t.Errorf("%d jobs run in %d slots, want %d", running, slots, c.want)
			}
		})
	}
}

// crashes has a new worker claim the job and die, again and again, and returns
// how the job stands after each rescue.
func crashes(t *testing.T, s *postgres.DB, dsn, claimSQL, rescueSQL string, times int) []work.Job {
	t.Helper()
	job := submit(t, s, "polarity")
	conn := connect(t, dsn)
	var after []work.Job
	for n := range times {
		worker := fmt.Sprintf("00000000-0000-4000-8000-0000000002%02d", n)
		register(t, s, worker)
		_, _, err := s.Queue().MakeDue(t.Context(), time.Second) // a suspect waits for its turn
		must(t, err)
		tag, err := conn.Exec(t.Context(), claimSQL, postgres.ClaimArgs(claimOf(worker, "polarity"))...)
		must(t, err)
		if tag.RowsAffected() == 1 {
			expire(t, dsn, worker)
			rescue(t, dsn, rescueSQL)
		}
		is, err := s.Jobs().Job(t.Context(), job.ID)
		must(t, err)
		after = append(after, is)
	}
	return after
}

// TestM08_CountersOfCrashesAreNeeded has a job's worker die again and again, with
// the counters where other queues have them: at a failure that the worker reports,
// which a dead one does not, or as a filter of the rescue, which then leaves the
// exhausted job to a dead worker for ever.
func TestM08_CountersOfCrashesAreNeeded(t *testing.T) {
	t.Parallel()
	const times = 2 * work.QuarantineCrashes
	uncounted := replaced(t, postgres.ClaimSQL, `attempt = j\.attempt \+ 1, `, "")
	forgets := replaced(t, db.JobRescue, `crash_count = CASE .* END,\n`, "")
	leaves := replaced(t, db.JobRescue, `WHERE j\.status = 'processing' AND EXISTS \(SELECT 1 FROM leads\)`,
		fmt.Sprintf("WHERE j.status = 'processing' AND EXISTS (SELECT 1 FROM leads) AND j.crash_count < %d", work.QuarantineCrashes-1))
	for name, c := range map[string]struct {
		claim, rescue string
		status        work.Status
		attempt       int
	}{
		"as they are, they end the job":                        {postgres.ClaimSQL, db.JobRescue, work.StatusFailed, work.QuarantineCrashes},
		"an attempt that counts at its failure is not counted": {uncounted, db.JobRescue, work.StatusFailed, 0},
		"a crash that is not counted comes for ever":           {postgres.ClaimSQL, forgets, work.StatusApproved, times},
		"an exhausted job that is filtered out is never over":  {postgres.ClaimSQL, leaves, work.StatusProcessing, work.QuarantineCrashes},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			after := crashes(t, s, dsn, c.claim, c.rescue, times)
			if last := after[times-1]; last.Status != c.status || last.Attempt != c.attempt {
				t.Errorf("after %d crashes the job is %s with %d attempts, want %s with %d", times, last.Status, last.Attempt, c.status, c.attempt)
			}
		})
	}
}
