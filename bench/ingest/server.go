package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/client"
)

// server is kg serve on a data directory of its own.
type server struct {
	dir     string
	process *exec.Cmd
	api     *client.Client
}

// startServer starts kg serve and logs in.
func startServer(ctx context.Context, kg string) (*server, error) {
	dir, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir}
	password := rand.Text()
	if err := s.start(kg, password); err != nil {
		s.stop()
		return nil, err
	}
	return s, s.login(ctx, password)
}

func (s *server) start(kg, password string) error {
	if err := os.Chmod(s.dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return err
	}
	log, err := os.Create(filepath.Join(s.dir, "serve.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.process = exec.Command(kg, "serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(s.dir, "data"), "--log-level", "warn")
	s.process.Env = append(os.Environ(), "KG_ADMIN_PASSWORD="+password, "DATABASE_URL=")
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
			s.api, err = client.New(client.Config{BaseURL: url})
			return err
		}
	}
	text, _ := os.ReadFile(filepath.Join(s.dir, "serve.log"))
	return fmt.Errorf("the server did not start:\n%s", text)
}

func (s *server) login(ctx context.Context, password string) error {
	anonymous := s.api
	credentials, err := anonymous.Login(ctx, "admin", password, "bench")
	if err != nil {
		return err
	}
	s.api, err = client.New(client.Config{BaseURL: anonymous.BaseURL(), ClientID: credentials.ClientID, ClientSecret: credentials.Secret})
	return err
}

// stop ends the server and removes its data.
func (s *server) stop() {
	if s.process != nil && s.process.Process != nil {
		ended := make(chan error, 1)
		go func() { ended <- s.process.Wait() }()
		if err := s.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			fmt.Fprintln(os.Stderr, "bench: stop the server:", err)
		}
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			_ = s.process.Process.Kill()
			<-ended
		}
	}
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench: remove the data:", err)
	}
}
