package e2e

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/work"
)

// hastyClaims has claims not wait for the disk.
const hastyClaims = `CREATE FUNCTION hasten() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		PERFORM set_config('synchronous_commit', 'off', true);
		RETURN NEW;
	END $$;
	CREATE TRIGGER hasten BEFORE UPDATE ON kg_api.jobs FOR EACH ROW WHEN (NEW.status = 'processing') EXECUTE FUNCTION hasten()`

// TestM12_ClaimsWaitForTheDisk crashes a PostgreSQL, which does not wait for the
// disk unless it is asked to, right after a claim. What a worker has claimed it
// still holds afterwards, and a leader's term is not issued again. With claims
// that do not wait, the worker is given the same token for the same job again, as
// the log of its claims shows: nothing would distinguish its two attempts.
func TestM12_ClaimsWaitForTheDisk(t *testing.T) {
	t.Parallel()
	t.Run("as they are, they outlive the crash", func(t *testing.T) {
		t.Parallel()
		c := newCrashLab(t, "SELECT 1")
		first := c.claim()
		term := c.campaign()
		c.crash()
		if again := c.claim(); len(again) != 0 {
			t.Errorf("claimed %+v again", again)
		}
		job, err := c.db.Jobs().Job(t.Context(), first[0].JobID)
		check(t, err)
		if job.Status != work.StatusProcessing {
			t.Errorf("the claimed job is %s", job.Status)
		}
		if next := c.campaign(); next <= term {
			t.Errorf("term %d follows %d", next, term)
		}
	})
	t.Run("those that do not wait are made again, with the same token", func(t *testing.T) {
		t.Parallel()
		c := newCrashLab(t, hastyClaims)
		first := c.claim()
		c.crash()
		again := c.claim()
		if len(again) != 1 || again[0].Token != first[0].Token || again[0].JobID != first[0].JobID || again[0].Worker != first[0].Worker {
			t.Errorf("after the crash %+v was claimed, before it %+v: nothing shows that claims must wait", again, first)
		}
	})
}

// crashLab is a PostgreSQL of its own that can be crashed, with one job.
type crashLab struct {
	t       *testing.T
	dir     string
	worker  string
	cluster *pgembed.Cluster
	db      *postgres.DB
}

func newCrashLab(t *testing.T, prepare string) *crashLab {
	t.Helper()
	c := &crashLab{t: t, dir: t.TempDir(), worker: lanes.NewID()}
	for dir := c.dir; dir != os.TempDir(); dir = filepath.Dir(dir) {
		check(t, os.Chmod(dir, 0o711)) // root's PostgreSQL runs as another user
	}
	c.start()
	check(t, migrations.Up(t.Context(), c.cluster.DSN(pgembed.Database), slog.New(slog.DiscardHandler)))
	check(t, c.db.Lanes().AddLaneTypes(t.Context(), "interactive", work.TypeNoop))
	check(t, c.db.Workers().Register(t.Context(), work.Worker{ID: c.worker, Hostname: "test", PID: 1}, "test", time.Minute))
	_, err := c.db.Jobs().SubmitJob(t.Context(), work.NewJob{Type: work.TypeNoop, Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID})
	check(t, err)
	dsn := c.cluster.DSN(pgembed.Database)
	execute(t, dsn, prepare)
	execute(t, dsn, "CHECKPOINT")             // the next token is written to the log
	execute(t, dsn, "SELECT pg_switch_wal()") // of which one page is not full then, and not written before the commit
	return c
}

// start starts PostgreSQL, which keeps what it need not write for ten seconds.
func (c *crashLab) start() {
	c.t.Helper()
	var err error
	c.cluster, err = pgembed.Start(c.t.Context(), pgembed.Config{Dir: c.dir, BinDir: os.Getenv("KG_PG_BIN"), Settings: map[string]string{
		"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "wal_writer_delay": "10s", "autovacuum": "off",
	}})
	check(c.t, err)
	cluster := c.cluster
	c.t.Cleanup(func() { _ = cluster.Stop(context.WithoutCancel(c.t.Context())) })
	c.db, err = postgres.Open(c.t.Context(), postgres.Config{DSN: cluster.DSN(pgembed.Database), JobConns: 2, GraphConns: 1, AuthConns: 1})
	check(c.t, err)
	c.t.Cleanup(c.db.Close)
}

// crash ends every process of PostgreSQL at once, and starts it again.
func (c *crashLab) crash() {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "data", "postmaster.pid"))
	check(c.t, err)
	line, _, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(line))
	check(c.t, err)
	check(c.t, syscall.Kill(pid, syscall.SIGQUIT))
	<-c.cluster.Done()
	c.db.Close()
	c.start()
}

// claim claims what there is.
func (c *crashLab) claim() []work.Claim {
	c.t.Helper()
	batch, err := c.db.Claims().Claim(c.t.Context(), work.ClaimRequest{Lane: "interactive", Worker: c.worker, Types: []string{work.TypeNoop}, Most: 1})
	check(c.t, err)
	return batch.Claims
}

// campaign becomes the leader, and returns the term.
func (c *crashLab) campaign() int64 {
	c.t.Helper()
	session, err := c.db.DialLeader(c.t.Context(), leaderLimit)
	check(c.t, err)
	c.t.Cleanup(func() { _ = session.Close(context.WithoutCancel(c.t.Context())) })
	term, won, err := session.Campaign(c.t.Context(), c.worker)
	check(c.t, err)
	if !won {
		c.t.Fatal("nobody can lead")
	}
	return term
}
