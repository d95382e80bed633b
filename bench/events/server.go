package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

const password = "only-on-loopback" // of the account admin in the private cluster

// server is a kg serve on a database of the private cluster.
type server struct {
	*serving.Process

	addr string         // of its URL
	api  *client.Client // as nobody until login
}

// errRefused is the error of a server that does not take a setting.
var errRefused = errors.New("the server refuses the setting")

// startServer starts kg serve with the test job types. Settings are NAME=value.
// The error is errRefused when the program does not take one of them.
func (b *bench) startServer(dsn string, settings ...string) (*server, error) {
	dir, err := os.MkdirTemp(b.dir, "server-")
	if err != nil {
		return nil, err
	}
	process, err := serving.Run(b.kg, dir, append(settings, "DATABASE_URL="+dsn, "KG_ADMIN_PASSWORD="+password, "KG_TEST_TYPES=1", "KG_DRAIN_SECONDS=0", "KG_MAX_STREAMS_PER_USER=20000")...)
	if err != nil {
		return nil, orRefused(err)
	}
	s := &server{Process: process, addr: strings.TrimPrefix(process.URL, "http://")}
	if err := s.login(api.Credentials{}); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// orRefused returns errRefused with what a server has logged about a setting of events.
func orRefused(err error) error {
	if ended, ok := errors.AsType[*serving.NotStarted](err); ok {
		for line := range strings.Lines(ended.Log) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "KG_EVENTS") || strings.HasPrefix(line, "KG_NATS") {
				return fmt.Errorf("%w: %s", errRefused, line)
			}
		}
	}
	return err
}

// login makes the further calls with credentials.
func (s *server) login(c api.Credentials) (err error) {
	s.api, err = client.New(client.Config{BaseURL: s.URL, ClientID: c.ClientID, ClientSecret: c.Secret})
	return err
}

// submit stores a job that waits for its approval, and returns its id.
func (s *server) submit(ctx context.Context, job work.NewJob) (string, error) {
	job.Queue = work.DefaultQueue
	reply, err := s.api.Jobs.Submit(ctx, job)
	return reply.JobID, err
}
