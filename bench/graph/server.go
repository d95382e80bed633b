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

	"github.com/kappagraph/kappa/client"
)

const password = "only-on-loopback" // of the account admin in the private cluster

// server is a kg serve on a database of the private cluster.
type server struct {
	process *exec.Cmd
	url     string
	log     string         // path
	api     *client.Client // of the administrator
}

// startServer starts kg serve and logs in. Settings are NAME=value.
func (b *bench) startServer(ctx context.Context, dsn string, settings ...string) (*server, error) {
	dir, err := os.MkdirTemp(b.dir, "server-")
	if err != nil {
		return nil, err
	}
	s := &server{log: filepath.Join(dir, "serve.log")}
	err = s.start(b.kg, dir, append(settings, "DATABASE_URL="+dsn, "KG_ADMIN_PASSWORD="+password, "KG_DRAIN_SECONDS=0"))
	if err == nil {
		err = s.login(ctx)
	}
	if err != nil {
		s.stop()
	}
	return s, err
}

func (s *server) start(kg, dir string, settings []string) error {
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process = exec.Command(kg, "serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"))
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
			s.url = url
			return nil
		}
	}
	text, _ := os.ReadFile(s.log)
	return fmt.Errorf("the server did not start:\n%s", text)
}

func (s *server) login(ctx context.Context) error {
	anonymous, err := client.New(client.Config{BaseURL: s.url})
	if err != nil {
		return err
	}
	c, err := anonymous.Login(ctx, "admin", password, "bench")
	if err != nil {
		return err
	}
	s.api, err = client.New(client.Config{BaseURL: s.url, ClientID: c.ClientID, ClientSecret: c.Secret})
	return err
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
