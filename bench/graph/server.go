package main

import (
	"context"
	"os"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
)

const password = "only-on-loopback" // of the account admin in the private cluster

// server is a kg serve on a database of the private cluster.
type server struct {
	*serving.Process

	api *client.Client // of the administrator
}

// startServer starts kg serve and logs in. Settings are NAME=value.
func (b *bench) startServer(ctx context.Context, dsn string, settings ...string) (*server, error) {
	dir, err := os.MkdirTemp(b.dir, "server-")
	if err != nil {
		return nil, err
	}
	process, err := serving.Run(b.kg, dir, append(settings, "DATABASE_URL="+dsn, "KG_ADMIN_PASSWORD="+password, "KG_DRAIN_SECONDS=0")...)
	if err != nil {
		return nil, err
	}
	s := &server{Process: process}
	if err := s.login(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *server) login(ctx context.Context) error {
	anonymous, err := client.New(client.Config{BaseURL: s.URL})
	if err != nil {
		return err
	}
	c, err := anonymous.Login(ctx, "admin", password, "bench")
	if err != nil {
		return err
	}
	s.api, err = client.New(client.Config{BaseURL: s.URL, ClientID: c.ClientID, ClientSecret: c.Secret})
	return err
}
