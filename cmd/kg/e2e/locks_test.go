package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

const (
	heldFor     = 8 * time.Second  // a lock, or a statement that hangs
	recoverFrom = 30 * time.Second // after that, on a busy machine; a lease that was lost is seen by itself
)

// TestQ35_LocksAndHangingStatements has somebody else hold what a server needs,
// in a transaction that does nothing. All of it happens at once, in the slow tier
// as well: mostly it is waited.
func TestQ35_LocksAndHangingStatements(t *testing.T) {
	t.Parallel()
	lockCases(t, map[string]func(l *lockLab){
		"a lane is locked":            laneLocked,
		"the row of a lane is locked": laneRowLocked,
	})
}

// TestQ35_LocksAndHangingStatements_Slow locks jobs, and has statements that do not
// end.
func TestQ35_LocksAndHangingStatements_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	lockCases(t, map[string]func(l *lockLab){
		"the row of a running job is locked":   jobLocked,
		"the row of an ended job is locked":    endLocked,
		"the table of jobs is locked":          jobsLocked,
		"the statements of a job hang":         statementHangs,
		"the statement that claims jobs hangs": claimHangs,
	})
}

func lockCases(t *testing.T, cases map[string]func(l *lockLab)) {
	var group sync.WaitGroup
	defer group.Wait()
	for name, test := range cases {
		group.Go(func() {
			t.Run(name, func(t *testing.T) { test(newLockLab(t)) })
		})
	}
}

// lockLab is a server with two lanes, of which one works on effect jobs and the
// other on noop jobs.
type lockLab struct {
	*outageLab
	server *pointServer
	term   int
}

func newLockLab(t *testing.T) *lockLab {
	t.Helper()
	l := &lockLab{outageLab: newOutageLab(t)}
	rows(t, l.dsn, `WITH added AS (INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms) VALUES ('other', '{noop}', 2, 500) RETURNING 1)
		SELECT count(*) FROM added`)
	l.slots(4)
	l.server = l.serve("KG_TEST_LEASE_SECONDS=15")
	l.server.logged("msg=leading")
	l.term = l.pointLab.term()
	return l
}

// running stores a job and waits until it has done a step.
func (l *lockLab) running(data string) string {
	l.t.Helper()
	id := l.submit(data)
	until(l.t, func() bool { return l.count("checkpoint IS NOT NULL AND job_id = '"+id+"'") == 1 }, func() string { return "the job does not run:\n" + l.server.log() })
	return id
}

// transaction begins a transaction of somebody else, with one statement, and
// returns what ends it.
func (l *lockLab) transaction(sql string, args ...any) (end func()) {
	l.t.Helper()
	conn, err := pgx.Connect(l.t.Context(), l.dsn)
	check(l.t, err)
	_, err = conn.Exec(l.t.Context(), "BEGIN")
	check(l.t, err)
	_, err = conn.Exec(l.t.Context(), sql, args...)
	check(l.t, err)
	end = sync.OnceFunc(func() { _ = conn.Close(context.WithoutCancel(l.t.Context())) })
	l.t.Cleanup(end)
	return end
}

// others has the other lane work on jobs for a while, and returns how long the
// slowest of them took.
func (l *lockLab) others(d time.Duration) (slowest time.Duration) {
	l.t.Helper()
	for until := time.Now().Add(d); time.Now().Before(until); {
		began := time.Now()
		job, err := l.db.Jobs().SubmitJob(l.t.Context(), work.NewJob{Type: work.TypeNoop, Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID})
		check(l.t, err)
		if job = l.ended(job.ID); job.Status != work.StatusCompleted {
			l.t.Errorf("%s is %s", job.ID, job.Status)
		}
		slowest = max(slowest, time.Since(began))
	}
	if slowest > heldFor-time.Second { // so long the first one took if the lock held it
		l.t.Errorf("a job of the other lane took %s meanwhile", slowest)
	}
	return slowest
}

// healthy reads the server's health for a while.
func (l *lockLab) healthy(d time.Duration) {
	l.t.Helper()
	for until := time.Now().Add(d); time.Now().Before(until); time.Sleep(time.Second) { // so often a monitor asks
		resp, err := http.Get(l.server.url + "/health")
		check(l.t, err)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			l.t.Errorf("the health is answered with %d", resp.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// recovers waits for jobs of so many steps, and checks that none was given up on
// the way, nor the lease, nor leadership.
func (l *lockLab) recovers(from time.Time, note string, steps int, ids ...string) {
	l.t.Helper()
	for _, id := range ids {
		if job := l.completed(id, steps); job.Attempt != 1 || job.Retries != 0 || l.countEvents(id, "payload->>'status' = 'processing'") != 1 {
			l.t.Errorf("%s has %d attempts and %d retries", id, job.Attempt, job.Retries)
		}
	}
	took := time.Since(from)
	if took > recoverFrom {
		l.t.Errorf("recovered after %s", took)
	}
	if repeated, _ := l.witness.again(); repeated != 0 || l.count("crash_count > 0") != 0 {
		l.t.Errorf("%d steps were done again, %d jobs have crashed", repeated, l.count("crash_count > 0"))
	}
	if n := rows(l.t, l.dsn, "SELECT count(*) FROM kg_api.workers"); n != 1 || l.pointLab.term() != l.term {
		l.t.Errorf("there were %d workers, and the term went from %d to %d", n, l.term, l.pointLab.term())
	}
	l.t.Logf("recovered %s after; %s", took.Round(time.Millisecond), note)
	if l.t.Failed() {
		l.t.Logf("the server's log:\n%s", l.server.log())
	}
}

// laneRowLocked locks the row of a lane, as a change does that somebody has not
// committed: the lane goes on as it is.
func laneRowLocked(l *lockLab) {
	runs := l.running(`{"ms":4000,"steps":40}`)
	end := l.transaction("UPDATE kg_api.worker_lanes SET enabled = false WHERE name = $1", "interactive")
	claimed := l.submit(`{"ms":400,"steps":40}`)
	l.completed(claimed, 40)
	end()
	l.recovers(time.Now(), "the lane claimed and ended a job meanwhile", 40, runs, claimed)
}

// laneLocked locks a lane as a claim does: its running jobs go on, and it claims none.
func laneLocked(l *lockLab) {
	runs := l.running(`{"ms":4000,"steps":40}`)
	end := l.transaction("SELECT pg_advisory_xact_lock(100000003, hashtext($1))", "interactive")
	waits := l.submit(`{"ms":400,"steps":40}`)
	slowest := l.others(heldFor)
	if l.completed(runs, 40); l.count("status = 'approved'") != 1 {
		l.t.Error("the locked lane has claimed a job")
	}
	end()
	l.recovers(time.Now(), fmt.Sprintf("the other lane's slowest job took %s", slowest), 40, waits)
}

// jobLocked locks the row of a running job: it waits, and the others go on.
func jobLocked(l *lockLab) {
	locked, runs := l.running(`{"ms":4000,"steps":40}`), l.running(`{"ms":4000,"steps":40}`)
	end := l.transaction("SELECT FROM kg_api.jobs WHERE job_id = $1 FOR UPDATE", locked)
	slowest := l.others(heldFor)
	l.completed(runs, 40)
	end()
	l.recovers(time.Now(), fmt.Sprintf("the other lane's slowest job took %s", slowest), 40, locked, runs)
}

// endLocked locks the row of a job after its last step, before its end is stored:
// the ends of other jobs do not wait for it.
func endLocked(l *lockLab) {
	id, end := l.lockedAtItsEnd()
	slowest := l.others(heldFor)
	l.server.logged("somebody has locked jobs that have ended")
	end()
	l.recovers(time.Now(), fmt.Sprintf("the other lane's slowest job took %s", slowest), 1, id)
}

// lockedAtItsEnd returns a job that has done its step, and whose row is locked: the
// second of two transactions gets the row when the step that waited for the first
// is recorded. Should the end of the job be quicker, it tries with another job.
func (l *lockLab) lockedAtItsEnd() (id string, end func()) {
	l.t.Helper()
	const lock = "SELECT FROM kg_api.jobs WHERE job_id = $1 FOR UPDATE"
	waiting := func(n int) {
		until(l.t, func() bool {
			return rows(l.t, l.dsn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == n
		}, func() string { return "nobody waits for the row" })
	}
	for range 10 {
		id = l.submit(`{"ms":1500,"steps":1}`)
		until(l.t, func() bool { return l.count("status = 'processing' AND job_id = '"+id+"'") == 1 }, func() string { return "the job does not run" })
		first := l.transaction(lock, id)
		waiting(1)
		ends := make(chan func(), 1)
		go func() {
			defer close(ends)
			ends <- l.transaction(lock, id)
		}()
		waiting(2)
		first()
		if end = <-ends; end == nil {
			break // it has failed
		}
		if l.count("status = 'processing' AND job_id = '"+id+"'") == 1 {
			return id, end
		}
		end()
	}
	l.t.Fatal("no job could be locked at its end")
	return "", nil
}

// jobsLocked locks the table of jobs, as a careless ALTER TABLE would.
func jobsLocked(l *lockLab) {
	ids := []string{l.running(`{"ms":3000,"steps":40}`), l.running(`{"ms":3000,"steps":40}`)}
	end := l.transaction("LOCK TABLE kg_api.jobs IN ACCESS EXCLUSIVE MODE")
	l.healthy(heldFor)
	end()
	l.recovers(time.Now(), "the health was answered all the time", 40, ids...)
}

// hang has statements hang that change jobs in a way, until end is called. Those
// that hang then do so for longer.
func (l *lockLab) hang(which string) (end func()) {
	l.t.Helper()
	l.exec(`CREATE TABLE public.hang (on_now boolean)`, `INSERT INTO public.hang VALUES (true)`,
		`CREATE FUNCTION public.hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT on_now FROM public.hang) THEN PERFORM pg_sleep(600); END IF; RETURN NEW; END $$`,
		`CREATE TRIGGER hang BEFORE UPDATE ON kg_api.jobs FOR EACH ROW WHEN (`+which+`) EXECUTE FUNCTION public.hang()`)
	return func() { l.exec(`UPDATE public.hang SET on_now = false`) }
}

// exec changes the database.
func (l *pointLab) exec(statements ...string) {
	l.t.Helper()
	execute(l.t, l.dsn, statements...)
}

// statementHangs has the statements hang that store the steps of a job.
func statementHangs(l *lockLab) {
	hangs, runs := l.running(`{"ms":4000,"steps":40}`), l.running(`{"ms":4000,"steps":40}`)
	end := l.hang("NEW.job_id = '" + hangs + "'")
	slowest := l.others(heldFor)
	l.completed(runs, 40)
	end()
	l.recovers(time.Now(), fmt.Sprintf("the other lane's slowest job took %s", slowest), 40, hangs, runs)
}

// claimHangs has claims hang, which hold the lock of their lane.
func claimHangs(l *lockLab) {
	end := l.hang("NEW.status = 'processing' AND OLD.status = 'approved' AND NEW.job_type = 'effect'")
	id := l.submit(`{"ms":400,"steps":40}`)
	slowest := l.others(heldFor)
	end()
	l.recovers(time.Now(), fmt.Sprintf("the other lane's slowest job took %s", slowest), 40, id)
}
