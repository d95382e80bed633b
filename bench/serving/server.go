// Package serving starts a kg serve for a benchmark, on a private PostgreSQL.
package serving

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
)

// Server is kg serve on a data directory of its own.
type Server struct {
	API *client.Client // of the administrator

	id, secret string // of the administrator's client

	dir     string
	process *Process
}

// Start starts the program kg with settings, which are NAME=value, and logs in; without a
// DATABASE_URL among them the server has a private cluster. Stop ends
// the server.
func Start(ctx context.Context, kg string, settings ...string) (*Server, error) {
	dir, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := s.start(ctx, kg, settings); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// PID returns the number of the server's process.
func (s *Server) PID() int { return s.process.PID() }

// Cluster returns the data directory of the private PostgreSQL.
func (s *Server) Cluster() string { return filepath.Join(s.dir, "data", "postgres", "data") }

func (s *Server) start(ctx context.Context, kg string, settings []string) (err error) {
	if err := os.Chmod(s.dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return err
	}
	password := rand.Text()
	if s.process, err = Run(kg, s.dir, append([]string{"KG_ADMIN_PASSWORD=" + password, "DATABASE_URL="}, settings...)...); err != nil {
		return err
	}
	return s.login(ctx, password)
}

func (s *Server) login(ctx context.Context, password string) error {
	anonymous, err := client.New(client.Config{BaseURL: s.process.URL})
	if err != nil {
		return err
	}
	credentials, err := anonymous.Login(ctx, "admin", password, "bench")
	if err != nil {
		return err
	}
	s.id, s.secret = credentials.ClientID, credentials.Secret
	s.API, err = client.New(client.Config{BaseURL: anonymous.BaseURL(), ClientID: s.id, ClientSecret: s.secret})
	return err
}

// User makes an account with a role, and returns the client that acts for it.
func (s *Server) User(ctx context.Context, name, role string) (*client.Client, error) {
	password := rand.Text()
	if _, err := s.API.Users.Create(ctx, access.NewUser{Username: name, Password: password, Role: role}); err != nil {
		return nil, err
	}
	anonymous, err := client.New(client.Config{BaseURL: s.process.URL})
	if err != nil {
		return nil, err
	}
	credentials, err := anonymous.Login(ctx, name, password, "bench")
	if err != nil {
		return nil, err
	}
	return client.New(client.Config{BaseURL: s.process.URL, ClientID: credentials.ClientID, ClientSecret: credentials.Secret})
}

// Token returns a token of the administrator, for what the client does not do.
func (s *Server) Token() (string, error) {
	resp, err := http.PostForm(s.API.BaseURL()+"/auth/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {s.id}, "client_secret": {s.secret}})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	err = json.NewDecoder(resp.Body).Decode(&answer)
	return answer.Token, err
}

// Stop ends the server and removes its data.
func (s *Server) Stop() {
	if s.process != nil {
		s.process.Stop()
	}
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench: remove the data:", err)
	}
}
