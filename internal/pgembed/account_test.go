package pgembed

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestRoot has subtests for root only: an ordinary user has one way to run
// PostgreSQL, which all other tests take.
func TestRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		accounts := rootAccounts(account{})
		for _, a := range accounts {
			if a.uid == 0 {
				t.Errorf("%s is root", a.name)
			}
		}
		if len(accounts) == 0 {
			t.Error("root would have no account to run PostgreSQL")
		}
		return
	}
	t.Run("below a directory that only root can enter", func(t *testing.T) {
		home := tempDir(t)
		if err := os.Chmod(home, 0o700); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(home, ".local", "share", "kg", "postgres")
		c := start(t, testConfig(dir))
		query(t, c, "CREATE TABLE kept (n int)")
		query(t, c, "SELECT pg_create_logical_replication_slot('kept', 'pgoutput')::text")
		survivesCrash(t, c)
		stop(t, c)
		again := start(t, testConfig(dir))
		if got := query(t, again, "SELECT coalesce(to_regclass('kept')::text, '')"); got != "kept" {
			t.Error("the table is gone")
		}
	})
	for _, a := range rootAccounts(account{}) {
		t.Run("as "+a.name, func(t *testing.T) { testAccount(t, a) })
	}
}

// survivesCrash kills a backend, after which postgres starts all its children
// anew, and reads its settings again from the data directory.
func survivesCrash(t *testing.T, c *Cluster) {
	t.Helper()
	query(t, c, "SELECT pg_reload_conf()::text")
	var conns [2]*pgx.Conn
	for i := range conns {
		conn, err := pgx.Connect(t.Context(), c.DSN(Database))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		conns[i] = conn
	}
	victim, witness := conns[0], conns[1]
	if err := syscall.Kill(int(victim.PgConn().PID()), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var last error
	err := poll(t.Context(), 10*time.Second, func() (bool, error) {
		if witness.Ping(t.Context()) == nil {
			return false, nil // postgres has not noticed yet
		}
		again, err := pgx.Connect(t.Context(), c.DSN(Database))
		if last = err; err == nil {
			last = again.Close(t.Context())
		}
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("postgres did not come back: %v, %v", err, last)
	}
}

// testAccount runs a cluster as the account, and then as whom root chooses.
func testAccount(t *testing.T, a account) {
	cfg, err := testConfig(filepath.Join(tempDir(t), "cluster")).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p, err := findPrograms(t.Context(), cfg.BinDir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.enter(t.Context(), p, "/"); err != nil {
		t.Logf("this machine does not let root run a program as %s: %v", a.name, err)
		return
	}
	if err := makeHome(cfg.Dir); err != nil {
		t.Fatal(err)
	}
	lock, err := lockDir(t.Context(), cfg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := startAs(t.Context(), cfg, lock, a, p)
	if err != nil {
		lock.Close()
		t.Fatal(err)
	}
	query(t, c, "CREATE TABLE kept (n int)")
	stop(t, c)
	owner, _, err := ownerOf(cfg.dataDir())
	if uid, _ := a.fileOwner(); err != nil || owner.uid != uid {
		t.Errorf("the data directory belongs to %d, want %d, err %v", owner.uid, uid, err)
	}
	again := start(t, testConfig(cfg.Dir))
	if got := query(t, again, "SELECT coalesce(to_regclass('kept')::text, '')"); got != "kept" {
		t.Error("the table is gone")
	}
}
