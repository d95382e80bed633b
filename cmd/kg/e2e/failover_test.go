package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

const (
	failoverJobs = 12
	failoverLook = 20 * time.Millisecond
	failoverBack = 10 * time.Second // from the promotion to the next step of a job
)

// TestQ30_Failover_Slow ends the primary while jobs run, and promotes its standby; the
// address names both. Then, Q31, the old primary comes back and the new one goes:
// the server works with nobody, until the new one is there again.
func TestQ30_Failover_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	pair := newPair(t)
	server := startServer(t, map[string]string{"DATABASE_URL": pair.dsn(), "KG_TEST_LEASE_SECONDS": "5"})
	slots := failoverJobs
	_, err := server.client.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
	check(t, err)
	before := submitEffects(t, server.client, failoverJobs)
	awaitRows(t, pair.primary, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing' AND checkpoint IS NOT NULL", 2)

	pair.end(pair.primary)
	began := time.Now()
	executeOn(t, pair.standby, "SELECT pg_promote()") // returns when it is done
	promoted := time.Now()
	steps := "SELECT count(*) FROM kg_api.job_effects"
	awaitRows(t, pair.standby, steps, rows(t, pair.standby.DSN(pgembed.Database), steps)+1)
	back := time.Since(promoted)
	t.Logf("promoted within %s; the next step of a job %s later", promoted.Sub(began), back)
	if back > failoverBack {
		t.Errorf("the next step of a job was done %s after the promotion, want at most %s", back, failoverBack)
	}
	awaitEffects(t, server.client, before)
	if counted := rows(t, pair.standby.DSN(pgembed.Database), "SELECT count(*) FROM kg_api.jobs WHERE crash_count + retries > 0 OR attempt <> 1"); counted > 0 {
		t.Errorf("the failover was counted in %d jobs", counted)
	}
	if workers := rows(t, pair.standby.DSN(pgembed.Database), "SELECT count(*) FROM kg_api.workers"); workers < 2 {
		t.Error("the server is the same worker as before the promotion: a claim that is lost could be issued again")
	}

	t.Run("Q31: the old primary gets no work", func(t *testing.T) {
		old := pair.restartOld()
		after := submitEffects(t, server.client, failoverJobs)
		awaitRows(t, pair.standby, steps, failoverJobs*effectSteps+1)
		state := "SELECT (SELECT coalesce(sum(event_seq + attempt), 0) FROM kg_api.jobs) + (SELECT count(*) FROM kg_api.workers) + (SELECT term FROM kg_api.leader)"
		kept := rows(t, old.DSN(pgembed.Database), state)
		pair.end(pair.standby)
		awaitLog(t, server, "it is an old primary")
		if _, err := server.client.Jobs.Submit(t.Context(), effectJob()); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("a submission without a primary: %v, want that it is unavailable", err)
		}
		time.Sleep(6 * time.Second) // longer than a lease: what would be done here would have begun
		if now := rows(t, old.DSN(pgembed.Database), state); now != kept {
			t.Errorf("the old primary was written to: jobs, workers and term sum up to %d, were %d", now, kept)
		}
		pair.restartNew()
		awaitEffects(t, server.client, after)
	})
}

const effectSteps = 20

func effectJob() work.NewJob {
	return work.NewJob{Type: work.TypeEffect, AutoApprove: true, Data: fmt.Appendf(nil, `{"ms":4000,"steps":%d}`, effectSteps)}
}

// submitEffects submits jobs of some seconds that record each of their steps.
func submitEffects(t *testing.T, c *client.Client, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		reply, err := c.Jobs.Submit(t.Context(), effectJob())
		check(t, err)
		ids[i] = reply.JobID
	}
	return ids
}

// awaitEffects waits until jobs are completed, however often the server cannot
// answer in between.
func awaitEffects(t *testing.T, c *client.Client, ids []string) {
	t.Helper()
	limit := time.Now().Add(2 * time.Minute)
	for _, id := range ids {
		for {
			job, err := c.Jobs.Get(t.Context(), id)
			if err == nil && job.Status == work.StatusCompleted {
				break
			}
			if err != nil && kappa.ErrorCode(err) != kappa.CodeUnavailable || err == nil && job.Status.Terminal() || time.Now().After(limit) {
				t.Fatalf("job %s: %s (%v), want it completed", id, job.Status, err)
			}
			time.Sleep(failoverLook)
		}
	}
}

// awaitRows waits until a query on a cluster returns at least n.
func awaitRows(t *testing.T, c *pgembed.Cluster, sql string, n int) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); rows(t, c.DSN(pgembed.Database), sql) < n; time.Sleep(failoverLook) {
		if time.Now().After(limit) {
			t.Fatalf("%s returns less than %d after a minute", sql, n)
		}
	}
}

// awaitLog waits until the server's log has a text.
func awaitLog(t *testing.T, s *testServer, text string) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !strings.Contains(s.logs.String(), text); time.Sleep(failoverLook) {
		if time.Now().After(limit) {
			t.Fatalf("the log does not say %q within a minute", text)
		}
	}
}

// executeOn runs a statement on a cluster.
func executeOn(t *testing.T, c *pgembed.Cluster, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.DSN(pgembed.Database))
	check(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), sql)
	check(t, err)
}

// pair is a primary, and a standby that has whatever the primary has confirmed.
type pair struct {
	t                *testing.T
	dir              string
	primary, standby *pgembed.Cluster
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{t: t, dir: t.TempDir()}
	check(t, os.Chmod(p.dir, 0o711)) // another user runs the clusters when this one is root
	p.primary = p.start("primary", nil)
	check(t, p.primary.Stop(t.Context())) // so that its files can be copied
	data := filepath.Join(p.dir, "standby", "data")
	check(t, os.CopyFS(data, os.DirFS(filepath.Join(p.dir, "primary", "data"))))
	check(t, os.Chmod(filepath.Dir(data), 0o711))
	check(t, os.Chmod(data, 0o700))
	password, err := os.ReadFile(filepath.Join(p.dir, "primary", "pgpass")) // replicated is only what PostgreSQL keeps of it
	check(t, err)
	for _, path := range []string{filepath.Dir(data), data} { // the standby's server, and its receiver, which works in data and may be another user
		check(t, os.WriteFile(filepath.Join(path, "pgpass"), password, 0o600))
	}
	check(t, os.WriteFile(filepath.Join(data, "standby.signal"), nil, 0o600))
	p.primary = p.start("primary", nil)
	p.standby = p.start("standby", map[string]string{"primary_conninfo": p.primary.DSN("postgres") + " passfile=pgpass"})
	awaitRows(t, p.primary, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", 1)
	executeOn(t, p.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	executeOn(t, p.primary, "SELECT pg_reload_conf()")
	awaitRows(t, p.primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", 1)
	return p
}

// start starts one of the clusters.
func (p *pair) start(name string, settings map[string]string) *pgembed.Cluster {
	p.t.Helper()
	c, err := pgembed.Start(p.t.Context(), pgembed.Config{Dir: filepath.Join(p.dir, name), BinDir: os.Getenv("KG_PG_BIN"), Settings: settings})
	check(p.t, err)
	p.t.Cleanup(func() { p.end(c) })
	return c
}

// restartOld starts the first primary again, which takes writes as if nothing had
// happened.
func (p *pair) restartOld() *pgembed.Cluster {
	p.t.Helper()
	p.primary = p.start("primary", map[string]string{"synchronous_standby_names": ""})
	return p.primary
}

// restartNew starts the promoted standby again.
func (p *pair) restartNew() {
	p.t.Helper()
	p.standby = p.start("standby", nil)
}

// end ends a cluster at once, as when its machine goes.
func (p *pair) end(c *pgembed.Cluster) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	cancel()
	_ = c.Stop(ctx) // it may have ended
}

// dsn is an address that names both, the standby first.
func (p *pair) dsn() string {
	host := func(c *pgembed.Cluster) string {
		_, rest, _ := strings.Cut(c.DSN(pgembed.Database), "host=")
		path, _, _ := strings.Cut(rest, " ")
		return strings.Trim(path, "'")
	}
	_, rest, _ := strings.Cut(p.primary.DSN(pgembed.Database), " ")
	return fmt.Sprintf("host=%s,%s %s", host(p.standby), host(p.primary), rest)
}
