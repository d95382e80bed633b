package pgembed

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), "deep", "cluster")
	cfg := testConfig(dir)
	cfg.Settings["work_mem"] = "7MB"
	cfg.Settings["listen_addresses"] = "*"
	c := start(t, cfg)

	t.Run("the settings are those that were asked for", func(t *testing.T) {
		for name, want := range map[string]string{
			"listen_addresses": "", "wal_level": "logical", "max_slot_wal_keep_size": "1GB",
			"server_encoding": "UTF8", "work_mem": "7MB", "max_connections": "100", "data_checksums": "on",
		} {
			if got := query(t, c, "SHOW "+name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	})
	t.Run("only its user reaches the socket", func(t *testing.T) {
		entry, err := os.Stat(c.socketDir)
		if err != nil {
			t.Fatal(err)
		}
		if entry.Mode().Perm() != 0o700 {
			t.Errorf("the mode of the socket's directory is %o, want 700", entry.Mode().Perm())
		}
	})
	t.Run("it has a process group of its own", func(t *testing.T) {
		group, err := syscall.Getpgid(c.process.cmd.Process.Pid)
		if err != nil || group == syscall.Getpgrp() {
			t.Errorf("group %d, ours %d, err %v", group, syscall.Getpgrp(), err)
		}
	})
	t.Run("a second start of the directory names the first", func(t *testing.T) {
		_, err := Start(t.Context(), cfg)
		locked, ok := errors.AsType[*LockedError](err)
		if !ok || locked.Dir != dir || locked.PID != os.Getpid() || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v", err)
		}
	})
	query(t, c, "CREATE TABLE kept (n int)")
	t.Run("it stops, and a second time too", func(t *testing.T) {
		if c.Err() != nil {
			t.Errorf("error while it runs: %v", c.Err())
		}
		stop(t, c)
		stop(t, c)
		<-c.Done()
		if _, err := os.Stat(c.socketDir); c.Err() != nil || !os.IsNotExist(err) {
			t.Errorf("after the stop: err %v, socket %v", c.Err(), err)
		}
	})
	t.Run("the next start finds the data", func(t *testing.T) {
		again := start(t, testConfig(dir))
		if got := query(t, again, "SELECT coalesce(to_regclass('kept')::text, '')"); got != "kept" {
			t.Error("the table is gone")
		}
	})
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"a path too long for a socket":     strings.Repeat("long/", 25),
		"signs with a meaning elsewhere":   `a b'c"d\e dätä%20`,
		"a comma, which a DSN cannot have": "a,b",
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, testConfig(filepath.Join(tempDir(t), path)))
			if got := query(t, c, "SELECT current_user"); got != Superuser {
				t.Errorf("connected as %q", got)
			}
			stop(t, c)
			if _, err := os.Stat(c.socketDir); !os.IsNotExist(err) {
				t.Errorf("the socket's directory %s is left over: %v", c.socketDir, err)
			}
		})
	}
}

func TestKilledServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), "cluster")
	t.Run("postgres ends with it", func(t *testing.T) {
		awaitEnd(t, killedChild(t, "cluster:"+dir))
	})
	t.Run("where the kernel does not see to it, a watchdog does", func(t *testing.T) {
		awaitEnd(t, killedChild(t, "watchdog"))
	})
	t.Run("the next start works at once", func(t *testing.T) {
		pid := killedChild(t, "cluster:"+dir)
		c := start(t, testConfig(dir))
		if lives(pid) {
			t.Errorf("the old postgres %d still runs", pid)
		}
		stop(t, c)
	})
}

func TestStalePID(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	c := start(t, testConfig(dir))
	stop(t, c)
	// After a power cut the file names a process that is something else now.
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	stale := strconv.Itoa(other.Process.Pid) + "\n" + c.cfg.dataDir() + "\n"
	if err := os.WriteFile(filepath.Join(c.cfg.dataDir(), "postmaster.pid"), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	stop(t, start(t, testConfig(dir)))
}

func TestStopInVain(t *testing.T) {
	t.Parallel()
	c := start(t, testConfig(newCluster(t)))
	conn, err := pgx.Connect(t.Context(), c.DSN(Database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	// A backend that does not react holds up the shutdown.
	backend := int(conn.PgConn().PID())
	if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := c.Stop(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took < 100*time.Millisecond || took > 30*time.Second {
		t.Errorf("the stop took %s", took)
	}
	if lives(backend) || lives(c.process.cmd.Process.Pid) {
		t.Error("postgres still runs")
	}
}

func TestCrash(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	c := start(t, testConfig(dir))
	query(t, c, "CREATE TABLE kept (n int)")
	if err := syscall.Kill(c.process.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.Done():
	case <-time.After(time.Minute):
		t.Fatal("nobody noticed the crash")
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the reason is %v", err)
	}
	if err := c.Stop(t.Context()); err == nil {
		t.Error("stopping what has crashed reports no error")
	}

	t.Run("nothing is lost", func(t *testing.T) {
		again := start(t, testConfig(dir))
		if got := query(t, again, "SELECT coalesce(to_regclass('kept')::text, '')"); got != "kept" {
			t.Error("the table is gone")
		}
		stop(t, again)
	})
	t.Run("a start that fails shows the last lines of the log", func(t *testing.T) {
		cfg := testConfig(dir)
		cfg.Settings["work_mem"] = "plenty"
		_, err := Start(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), `"work_mem": "plenty"`) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a start whose time is over leaves nothing that runs", func(t *testing.T) {
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Start(over, testConfig(dir)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		stop(t, start(t, testConfig(dir)))
	})
}
