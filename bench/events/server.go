package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

const password = "only-on-loopback" // of the account admin in the private cluster

// server is a kg serve on a database of the private cluster.
type server struct {
	process *exec.Cmd
	url     string
	addr    string         // of url
	api     *client.Client // as nobody until login
}

// startServer starts kg serve with the test job types. Settings are NAME=value.
// The error is errRefused when the program does not take one of them.
func (b *bench) startServer(dsn string, settings ...string) (*server, error) {
	dir, err := os.MkdirTemp(b.dir, "server-")
	if err != nil {
		return nil, err
	}
	s := &server{}
	err = s.start(b.kg, dir, append(settings, "DATABASE_URL="+dsn, "KG_ADMIN_PASSWORD="+password, "KG_TEST_TYPES=1", "KG_DRAIN_SECONDS=0", "KG_MAX_STREAMS_PER_USER=20000"))
	if err == nil {
		err = s.login(client.Credentials{})
	}
	if err != nil {
		s.stop()
	}
	return s, err
}

// login makes the further calls with credentials.
func (s *server) login(c client.Credentials) (err error) {
	s.api, err = client.New(client.Config{BaseURL: s.url, ClientID: c.ClientID, ClientSecret: c.Secret})
	return err
}

// errRefused is the error of a server that does not take a setting.
var errRefused = errors.New("the server refuses the setting")

func (s *server) start(kg, dir string, settings []string) error {
	logPath := filepath.Join(dir, "serve.log")
	log, err := os.Create(logPath)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process = exec.Command(kg, "serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"), "--log-level", "warn")
	s.process.Env = append(os.Environ(), settings...)
	s.process.Stderr = log
	out, err := s.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("start %s: %w (build it with: make build)", kg, err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "kg: serving on "); ok {
			s.url, s.addr = url, strings.TrimPrefix(url, "http://")
			return nil
		}
	}
	text, _ := os.ReadFile(logPath)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "KG_EVENTS") || strings.HasPrefix(line, "KG_NATS") {
			return fmt.Errorf("%w: %s", errRefused, line)
		}
	}
	return fmt.Errorf("the server did not start:\n%s", text)
}

// stop ends the server.
func (s *server) stop() {
	if s.process == nil || s.process.Process == nil {
		return
	}
	ended := make(chan struct{})
	go func() {
		_ = s.process.Wait() // how it ended does not matter any more
		close(ended)
	}()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintln(os.Stderr, "bench: stop the server:", err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		_ = s.process.Process.Kill() // unless it ends just now
		<-ended
	}
}

// submit stores a job that waits for its approval, and returns its id.
func (s *server) submit(ctx context.Context, job kappa.NewJob) (string, error) {
	job.Queue = kappa.DefaultQueue
	reply, err := s.api.SubmitJob(ctx, job)
	return reply.JobID, err
}
