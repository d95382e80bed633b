package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/internal/pgproxy"
)

const (
	serverReady  = 60 * time.Second // until a server is ready, through faults of others
	serverRetry  = 300 * time.Millisecond
	serverExit   = 30 * time.Second // after SIGTERM, before it is killed
	drainSeconds = 1
	password     = "correct horse battery"
)

// server is one kg serve as a process of its own.
type server struct {
	index   int
	program string
	dir     string
	lease   time.Duration
	witness string
	lanes   string // KG_LANES
	proxy   *pgproxy.Proxy
	dsn     string // of the database: through the proxy, if there are faults
	log     *slog.Logger

	busy sync.Mutex // one fault at a time

	mu     sync.Mutex // guards what follows
	cmd    *exec.Cmd
	exited chan struct{} // closed when cmd has ended
	url    string        // empty until it is ready
}

// logPath is the file that all processes of this server have logged to.
func (s *server) logPath() string { return filepath.Join(s.dir, fmt.Sprintf("server%d.log", s.index)) }

// start runs the process until it is ready. One that ends before, because the
// database is away, is started again.
func (s *server) start(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, serverReady)
	defer cancel()
	for {
		err := s.startOnce(limit, "")
		if err == nil {
			return nil
		}
		select {
		case <-limit.Done():
			return fmt.Errorf("server %d did not become ready: %w", s.index, err)
		case <-time.After(serverRetry):
		}
	}
}

// startOnce starts the process, with failpoints, and waits until it is ready or
// has ended.
func (s *server) startOnce(ctx context.Context, failpoints string) error {
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has its own
	cmd := s.command()
	cmd.Env = append(cmd.Env, "KG_FAILPOINTS="+failpoints)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	exited, ready := make(chan struct{}), make(chan string, 1)
	if err := startPinned(cmd, exited); err != nil {
		return err
	}
	go func() {
		defer close(exited)
		readURL(out, ready)
		_ = cmd.Wait() // how it ended does not matter: most are killed
	}()
	s.mu.Lock()
	s.cmd, s.exited, s.url = cmd, exited, ""
	s.mu.Unlock()
	select {
	case url, ok := <-ready:
		if !ok {
			<-exited
			return errors.New("it ended before it was ready; see " + s.logPath())
		}
		s.mu.Lock()
		s.url = url
		s.mu.Unlock()
		return nil
	case <-ctx.Done():
		s.kill()
		return ctx.Err()
	}
}

// command is kg serve with the settings of a campaign, in a process group of
// its own.
func (s *server) command() *exec.Cmd {
	cmd := exec.Command(s.program, "serve") //nolint:noctx // how it ends is what this is about
	cmd.Env = append(cleanEnvironment(),
		"KG_ADDR=127.0.0.1:0", "KG_DATA_DIR="+filepath.Join(s.dir, fmt.Sprintf("server%d", s.index)),
		"DATABASE_URL="+s.dsn, "KG_ADMIN_PASSWORD="+password,
		"KG_TEST_TYPES=1", "KG_TEST_LEASE_SECONDS="+strconv.Itoa(int(s.lease.Seconds())), "KG_TEST_WITNESS="+s.witness,
		"KG_DRAIN_SECONDS="+strconv.Itoa(drainSeconds), "MAX_LANE_SLOTS="+strconv.Itoa(maxLaneSlots),
		"KG_LANES="+s.lanes, "KG_POOL_JOBS=8", "KG_POOL_GRAPH=2", "KG_POOL_AUTH=2")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	return cmd
}

// cleanEnvironment is ours without what would change a server.
func cleanEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "KG_") && !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "DATABASE_URL=") && !strings.HasPrefix(v, "MAX_LANE_SLOTS=") {
			env = append(env, v)
		}
	}
	return env
}

// readURL sends the URL when the server announces it, and reads to the end.
func readURL(out io.Reader, ready chan<- string) {
	defer close(ready)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "kg: serving on "); ok {
			ready <- url
		}
	}
}

// address returns the URL of a ready server, or "".
func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// pid returns the number of the process, or 0.
func (s *server) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// signal signals the process; it may have ended.
func (s *server) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(sig)
	}
}

// kill ends the process as a crash would, and waits for its end.
func (s *server) kill() {
	s.signal(syscall.SIGKILL)
	s.await(serverExit)
}

// stop ends the process as an operator would. It reports false when it had to
// be killed, and whether it ended without an error.
func (s *server) stop() (inTime, clean bool) {
	s.signal(syscall.SIGTERM)
	if inTime = s.await(serverExit); !inTime {
		s.kill()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return inTime, s.cmd == nil || s.cmd.ProcessState.Success()
}

// await waits for the end of the process.
func (s *server) await(most time.Duration) bool {
	s.mu.Lock()
	exited := s.exited
	s.url = ""
	s.mu.Unlock()
	if exited == nil {
		return true
	}
	limit := time.NewTimer(most)
	defer limit.Stop()
	select {
	case <-exited:
		return true
	case <-limit.C:
		return false
	}
}
