package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestLogin(t *testing.T) {
	s := newFakeServer(t)
	s.HandleFunc("POST /auth/oauth/clients/personal", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the login carries a token")
		}
		if r.FormValue("username") != "admin" || r.FormValue("password") != "p&ss w=rd" {
			writeProblem(w, http.StatusUnauthorized, "Invalid username or password")
			return
		}
		w.WriteHeader(http.StatusCreated)
		writeJSON(w, map[string]any{"client_id": "kg-cli-admin-1", "client_secret": "s3cret", "scopes": []string{"read:*"}, "client_name": r.FormValue("client_name")})
	})
	c, err := New(Config{BaseURL: s.url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Run("the credentials come back", func(t *testing.T) {
		got, err := c.Login(t.Context(), "admin", "p&ss w=rd", "kg CLI (admin)")
		if err != nil || got.ClientID != "kg-cli-admin-1" || got.Secret != "s3cret" || got.Name != "kg CLI (admin)" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("a wrong password", func(t *testing.T) {
		if _, err := c.Login(t.Context(), "admin", "x", ""); kappa.ErrorCode(err) != kappa.CodeUnauthenticated || err.Error() != "Invalid username or password" {
			t.Errorf("got %v", err)
		}
	})
}

func TestClientsOfAUser(t *testing.T) {
	s := newFakeServer(t)
	s.HandleFunc("GET /auth/oauth/clients/personal", s.authorized(func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"clients": []any{map[string]any{"client_id": "a b"}}, "total": 1})
	}))
	s.HandleFunc("POST /auth/oauth/clients/personal/new", s.authorized(func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"client_id": "new", "client_name": r.FormValue("client_name"), "client_secret": "x", "scopes": []string{r.FormValue("scope")}})
	}))
	s.HandleFunc("DELETE /auth/oauth/clients/personal/{id}", s.authorized(func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != "a b" {
			writeProblem(w, http.StatusNotFound, "OAuth client 'X' not found")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	s.HandleFunc("POST /auth/oauth/clients/personal/{id}/rotate-secret", s.authorized(func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"client_secret": "rotated " + r.PathValue("id")})
	}))
	s.HandleFunc("POST /auth/oauth/revoke", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("token") != "t" {
			t.Errorf("revoked %q", r.FormValue("token"))
		}
		writeJSON(w, map[string]any{})
	})
	c := s.client(t)
	clients, err := c.Account.OAuthClients(t.Context())
	if err != nil || len(clients) != 1 || clients[0].ClientID != "a b" {
		t.Fatalf("got %+v, %v", clients, err)
	}
	made, err := c.Account.NewOAuthClient(t.Context(), "robot", "read:*")
	if err != nil || made.Name != "robot" || made.Scopes[0] != "read:*" || made.Secret != "x" {
		t.Errorf("made %+v, %v", made, err)
	}
	if secret, err := c.Account.RotateSecret(t.Context(), "a b"); err != nil || secret != "rotated a b" {
		t.Errorf("rotated to %q, %v", secret, err)
	}
	if err := c.Account.DeleteOAuthClient(t.Context(), "a b"); err != nil {
		t.Errorf("delete: %v", err)
	}
	if err := c.Account.DeleteOAuthClient(t.Context(), "other"); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("delete an unknown one: %v", err)
	}
	if err := c.Account.RevokeToken(t.Context(), "t"); err != nil {
		t.Errorf("revoke: %v", err)
	}
}

func TestProbe(t *testing.T) {
	kappaRoot := func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]any{"service": "Kappa"}) }
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>"))
	}
	for _, tt := range []struct {
		name      string
		root, api http.HandlerFunc
		want      string // path; "none" = no Kappa there
	}{
		{"at the address", kappaRoot, http.NotFound, ""},
		{"below /api", page, kappaRoot, "/api"},
		{"below /api of a server that knows no root", http.NotFound, kappaRoot, "/api"},
		{"an older server says only that it is healthy", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]string{"status": "healthy"}) }, http.NotFound, ""},
		{"some other JSON", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]string{"hello": "world"}) }, http.NotFound, "none"},
		{"a web page", page, page, "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /{$}", tt.root)
			mux.HandleFunc("GET /api/{$}", tt.api)
			server := httptest.NewServer(mux)
			defer server.Close()
			got, err := Probe(t.Context(), Config{}, server.URL+"/")
			switch {
			case tt.want == "none":
				if err == nil || errors.Is(err, ErrUnreachable) {
					t.Errorf("found %q, error %v; want an error that is not unreachable", got, err)
				}
			case err != nil || got != server.URL+tt.want:
				t.Errorf("found %q, %v, want %q", got, err, server.URL+tt.want)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		if _, err := Probe(t.Context(), Config{}, server.URL); !errors.Is(err, ErrUnreachable) {
			t.Errorf("got %v", err)
		}
	})
}
