package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// leaderBackend finds the session that holds the leader's lock.
const leaderBackend = `SELECT coalesce(max(l.pid), 0) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
	WHERE a.datname = current_database() AND a.application_name = 'kg-leader' AND l.locktype = 'advisory' AND l.granted`

// TestQ45_OneLeaderFollowsAnother takes the lead away from whoever has it, again
// and again: a standby takes over soon after a killed session or process. One
// that has lost goes on campaigning.
func TestQ45_OneLeaderFollowsAnother(t *testing.T) {
	t.Parallel()
	leadersFollow(t, false)
}

// TestQ45_OneLeaderFollowsAnother_Slow begins with a leader that hangs behind a
// connection that stands: a standby takes over within 15 s.
func TestQ45_OneLeaderFollowsAnother_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	leadersFollow(t, true)
}

// afterASession is in how much time a standby takes over from a leader whose session has ended:
// within 2 s, on a busy machine in half of what it takes for one that hangs.
const afterASession = 7 * time.Second

func leadersFollow(t *testing.T, hang bool) {
	t.Helper()
	dsn := newDSN(t)
	settings := []string{"DATABASE_URL=" + dsn, "KG_TEST_TYPES=1", "KG_POOL_JOBS=4", "KG_POOL_GRAPH=2", "KG_POOL_AUTH=2"}
	child := startChild(t, t.TempDir(), settings...)
	term := func() int { return rows(t, dsn, "SELECT term FROM kg_api.leader") }
	until(t, func() bool { return term() == 1 }, func() string { return "the first server does not lead" })
	last := startServer(t, map[string]string{"DATABASE_URL": dsn})
	campaigning := func(n int) {
		t.Helper()
		until(t, func() bool {
			return rows(t, dsn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kg-leader' AND state = 'idle'") == n &&
				rows(t, dsn, leaderBackend) != 0
		}, func() string { return "not all servers campaign" })
	}
	follows := func(what string, within time.Duration, take func()) {
		t.Helper()
		before := term()
		began := time.Now()
		take()
		until(t, func() bool { return term() > before }, func() string { return "nobody follows after " + what })
		took := time.Since(began)
		t.Logf("the next term began %s after %s", took, what)
		if took > within {
			t.Errorf("the next term began %s after %s, want at most %s", took, what, within)
		}
	}

	campaigning(2)
	if hang {
		follows("the leader hung", 15*time.Second, func() { check(t, child.process.Process.Signal(syscall.SIGSTOP)) })
		check(t, child.process.Process.Signal(syscall.SIGCONT)) // it has lost, and campaigns again
	}
	for range 2 {
		campaigning(2)
		follows("its session was ended", afterASession, func() { rows(t, dsn, "SELECT count(pg_terminate_backend(("+leaderBackend+")))") })
	}
	campaigning(2)
	deposed := 0
	until(t, func() bool { // the other one is deposed again when it was quicker
		leads := rows(t, dsn, "SELECT count(*) FROM kg_api.leader l JOIN kg_api.workers w USING (worker_id) WHERE w.pid = $1", child.process.Process.Pid) == 1
		if now := term(); !leads && now > deposed {
			rows(t, dsn, "SELECT count(pg_terminate_backend(("+leaderBackend+")))")
			deposed = now
		}
		return leads
	}, func() string { return "the child does not lead" })
	campaigning(2)
	follows("its process was killed", afterASession, child.kill)
	reply, err := last.client.Jobs.Submit(t.Context(), work.NewJob{Type: work.TypeNoop, AutoApprove: true})
	check(t, err)
	await(t, last.client, reply.JobID, work.StatusCompleted)
}

// TestQ21_WhatWasApprovedWhileNobodyListened approves a job of which nobody is
// notified, in a lane that polls every two minutes. It starts as soon as the server
// listens again.
func TestQ21_WhatWasApprovedWhileNobodyListened(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	seldomPolls(t, s.client)
	until(t, func() bool { return strings.Contains(s.logs.String(), "lane="+"interactive"+" slots=2 poll_ms=120000") }, func() string { return "the change has no effect" })
	meanwhile(1200 * time.Millisecond) // the lane has polled since the change, and will not again
	id := unheard(t, s.dsn)
	rows(t, s.dsn, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kg-listen'")
	until(t, func() bool {
		return rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_id = $1 AND status = 'completed'", id) == 1
	}, func() string { return "the job waits for the poll" })
	status, err := s.client.Workers.Status(t.Context())
	check(t, err)
	listens := status.EventSources[0].Since.Time
	waited := rows(t, s.dsn, "SELECT (extract(epoch FROM started_at - $2::timestamptz) * 1000)::int FROM kg_api.jobs WHERE job_id = $1", id, listens)
	t.Logf("it started %d ms after the server listened again", waited)
	if time.Duration(waited)*time.Millisecond > seldomPoll/2 || status.EventSources[0].Reconnects != 1 {
		t.Errorf("it started %d ms after connection %d", waited, status.EventSources[0].Reconnects)
	}
}

// unheard stores an approved job of which nobody is notified, and returns its id. A
// notification of another job that is still on its way may wake the lane for it:
// then the next one is unheard.
func unheard(t *testing.T, dsn string) (id string) {
	t.Helper()
	for n := range 5 {
		id = fmt.Sprintf("job_%012x", n)
		rows(t, dsn, `WITH added AS (INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, approved_at, approved_by)
			VALUES ($1, 'noop', 'approved', 1, now(), 'test') RETURNING 1) SELECT count(*) FROM added`, id)
		meanwhile(500 * time.Millisecond)
		if rows(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_id = $1 AND status = 'approved'", id) == 1 {
			return id
		}
	}
	t.Fatal("jobs are found although nobody tells of them")
	return ""
}
