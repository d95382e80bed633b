package demo

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	readyLine      = "kg: serving on " // then the address, on standard output
	startTime      = 2 * time.Minute
	stopTime       = 45 * time.Second // to drain and to stop PostgreSQL
	logLines       = 15               // shown when the server fails
	serverLog      = "server.log"
	removeAttempts = 5
	removeAfter    = 200 * time.Millisecond
	secretBytes    = 24
)

// server is a kg serve that runs as a child process.
type server struct {
	url        string
	dir        string
	cmd        *exec.Cmd
	stopWithin time.Duration // for a stop in good order
	done       chan struct{} // closed when the child has ended
}

// startServer starts program as a server with its data below dir and settings, and waits
// until it is ready. It has a process group of its own, so that Ctrl-C reaches only us.
func startServer(ctx context.Context, program, dir, databaseURL, password string, settings ...string) (*server, error) {
	args := []string{"serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"), "--config", os.DevNull}
	if databaseURL != "" {
		args = append(args, "--database-url", databaseURL)
	}
	log, err := os.OpenFile(filepath.Join(dir, serverLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the server's log: %w", err)
	}
	defer log.Close()                                                                                            //nolint:errcheck // the child has its own
	s := &server{dir: dir, stopWithin: stopTime, done: make(chan struct{}), cmd: exec.Command(program, args...)} //nolint:noctx // it is stopped in order
	s.cmd.Env = append(append(environment(os.Environ()), "KG_ADMIN_PASSWORD="+password), settings...)
	s.cmd.Stderr = log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return s, s.start(ctx)
}

// start starts the child and reads its address.
func (s *server) start(ctx context.Context) error {
	out, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	s.cmd.Stdout = in
	started := make(chan error, 1)
	go s.runChild(started)
	err = <-started
	_ = in.Close()
	if err != nil {
		_ = out.Close()
		return fmt.Errorf("start the server: %w", err)
	}
	ready := make(chan string, 1)
	go readReady(out, ready)
	timeout := time.NewTimer(startTime)
	defer timeout.Stop()
	select {
	case s.url = <-ready:
		if s.url != "" {
			return nil
		}
		err = errors.New("the server ended before it was ready")
	case <-timeout.C:
		err = fmt.Errorf("the server was not ready after %s", startTime)
	case <-ctx.Done():
		err = ctx.Err()
	}
	stopErr := s.stop(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		return errors.Join(err, stopErr)
	}
	return s.explain(err)
}

// runChild runs the child to its end. Linux ties the signal that the child gets
// when we die to the thread that started it, so this thread must live as long.
func (s *server) runChild(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dieWithParent(s.cmd.SysProcAttr)
	err := s.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = s.cmd.Wait() // how it ended is in its log
	close(s.done)
}

// readReady sends the address that the server prints when it is ready, "" when
// it never does, and reads on so that the server can write.
func readReady(out io.ReadCloser, ready chan<- string) {
	defer out.Close()
	defer close(ready)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), readyLine); ok {
			ready <- strings.TrimSpace(url)
			break
		}
	}
	_, _ = io.Copy(io.Discard, out)
}

// stop asks the server to end, and kills it when it does not.
func (s *server) stop(ctx context.Context) error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
	limit, cancel := context.WithTimeout(ctx, s.stopWithin)
	defer cancel()
	select {
	case <-s.done:
		return nil
	case <-limit.Done():
	}
	_ = s.cmd.Process.Kill()
	<-s.done
	return fmt.Errorf("the server did not stop within %s and was killed", s.stopWithin)
}

// explain adds the end of the server's log to an error.
func (s *server) explain(err error) error {
	if err == nil {
		return nil
	}
	if tail := lastLines(filepath.Join(s.dir, serverLog), logLines); tail != "" {
		return fmt.Errorf("%w; the end of the server's log:\n%s", err, tail)
	}
	return err
}

// lastLines returns the last lines of a file, "" when it cannot be read.
func lastLines(path string, most int) string {
	body, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimRight(string(body), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// environment returns the environment without the settings of other
// servers: the demo must not touch them, nor their databases. Those of tests
// stay.
func environment(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		ours := strings.HasPrefix(name, "KG_") || name == "DATABASE_URL" || name == "MAX_LANE_SLOTS"
		if !ours || name == "KG_PG_BIN" || strings.HasPrefix(name, "KG_TEST_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// randomPassword returns a password that nobody has to type.
func randomPassword() (string, error) {
	secret := make([]byte, secretBytes)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("make a password: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(secret), nil
}

// removeAll removes a directory. A PostgreSQL that was killed may still be
// writing its last file, so it tries again.
func removeAll(dir string) (err error) {
	for range removeAttempts {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		<-time.After(removeAfter)
	}
	return fmt.Errorf("remove the demo's data: %w", err)
}
