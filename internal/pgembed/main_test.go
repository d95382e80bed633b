package pgembed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// childRole names what a copy of the test program does that a test starts in
// order to kill it.
const childRole = "KG_PGEMBED_TEST_CHILD"

func TestMain(m *testing.M) {
	switch role, dir, _ := strings.Cut(os.Getenv(childRole), ":"); role {
	case "cluster":
		os.Exit(runChild(func() (int, error) {
			c, err := Start(context.Background(), testConfig(dir))
			if err != nil {
				return 0, err
			}
			return c.process.cmd.Process.Pid, nil
		}))
	case "upgrade":
		os.Exit(runChild(func() (int, error) {
			_, err := Upgrade(context.Background(), UpgradeConfig{
				Config: testConfig(dir), OldBinDir: os.Getenv("KG_TEST_OLD_BIN"), Schema: ownSchema, again: os.Getenv("KG_TEST_AGAIN") != "",
			})
			return 0, err
		}))
	case "watchdog":
		os.Exit(runChild(startWatchedSleep))
	case "connect":
		os.Exit(connectChild(dir))
	}
	os.Exit(withMadeDir(func() int {
		code := m.Run()
		if err := goleak.Find(); code == 0 && err != nil {
			fmt.Fprintln(os.Stderr, "goroutines are left over:", err)
			return 1
		}
		return code
	}))
}

// slowTier skips a test of the slow tier, as pgtest.SlowTier does, which needs this package.
func slowTier(t *testing.T) {
	t.Helper()
	if os.Getenv("KG_TEST_SLOW") == "" {
		t.Skip("slow tier: run make test-all")
	}
}

// startWatchedSleep starts a program that only a watchdog ends.
func startWatchedSleep() (int, error) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_, err := startWatchdog(cmd.Process.Pid, syscall.SIGINT)
	return cmd.Process.Pid, err
}

// runChild starts something, tells its process, and waits to be killed.
func runChild(start func() (int, error)) int {
	pid, err := start()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(pid)
	<-time.After(time.Minute)
	return 2
}

// killedChild runs a child until it has started something, kills it, and returns
// the process of what it had started.
func killedChild(t *testing.T, role string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil {
		t.Fatalf("the child did not start: %s", line)
	}
	return pid
}

// awaitEnd fails the test when the process lives for longer than five seconds.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	begin := time.Now()
	err := poll(t.Context(), 5*time.Second, func() (bool, error) { return !lives(pid), nil })
	if err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Fatalf("process %d outlived its parent", pid)
	}
	t.Logf("process %d ended %s after its parent", pid, time.Since(begin))
}

// lives reports whether a process runs; one that nobody has reaped does not.
func lives(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// testConfig is a cluster that need not survive a power cut.
func testConfig(dir string) Config {
	return Config{Dir: dir, BinDir: os.Getenv("KG_PG_BIN"), Settings: map[string]string{"fsync": "off"}}
}

// tempDir is t.TempDir, but short, open to the account that root's PostgreSQL runs as, and
// in memory where that can be.
func tempDir(t *testing.T) string {
	t.Helper()
	return tempDirIn(t, memory())
}

// tempDirIn is that in a folder; "" is the one for temporary files.
func tempDirIn(t *testing.T, base string) string {
	t.Helper()
	dir, err := makeTempDir(base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// makeTempDir makes such a directory. It is named as those of pgtest, which removes what
// processes have left that could not clean up.
func makeTempDir(base string) (string, error) {
	dir, err := os.MkdirTemp(base, fmt.Sprintf("kg-pgtest-%d-", os.Getpid()))
	if err == nil {
		err = os.Chmod(dir, 0o711)
	}
	return dir, err
}

// start starts a cluster that stops with the test.
func start(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	begin := time.Now()
	c, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started in %s", time.Since(begin))
	t.Cleanup(func() { _ = c.Stop(context.WithoutCancel(t.Context())) })
	return c
}

func stop(t *testing.T, c *Cluster) {
	t.Helper()
	begin := time.Now()
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("stopped in %s", time.Since(begin))
}

// query runs a statement and returns its only value as text.
func query(t *testing.T, c *Cluster, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.DSN(Database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var value string
	err = conn.QueryRow(t.Context(), sql, pgx.QueryExecModeSimpleProtocol).Scan(&value)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatal(err)
	}
	return value
}
