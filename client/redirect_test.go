package client

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/work"
)

// TestNoRedirectElsewhere has a server send the client to another one, with the
// secret, a token or a document in the request: nothing arrives there.
func TestNoRedirectElsewhere(t *testing.T) {
	var mu sync.Mutex
	var arrived []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		arrived = append(arrived, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
	}))
	defer other.Close()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		for name, redirect := range map[string]string{"the token": "/auth/oauth/token", "a call": "/jobs"} {
			t.Run(http.StatusText(status)+" of "+name, func(t *testing.T) {
				s := newFakeServer(t)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == redirect {
						http.Redirect(w, r, other.URL+r.URL.Path, status)
						return
					}
					s.ServeHTTP(w, r)
				}))
				defer server.Close()
				c, err := New(Config{BaseURL: server.URL, ClientID: "kg-cli-admin-1", ClientSecret: "s3cret"})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if _, err := c.Jobs.List(t.Context(), work.JobFilter{}); err == nil || !strings.Contains(err.Error(), other.URL) {
					t.Errorf("error %v, want one that names the other address", err)
				}
			})
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(arrived) > 0 {
		t.Errorf("another server was sent %q", arrived)
	}
}

// TestRedirectOnTheSameServer follows one to another path of the server.
func TestRedirectOnTheSameServer(t *testing.T) {
	s := newFakeServer(t)
	s.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/new", http.StatusTemporaryRedirect)
	})
	s.HandleFunc("GET /new", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]any{"status": "healthy"}) })
	if health, err := s.client(t).Health(t.Context()); err != nil || health.Status != "healthy" {
		t.Errorf("got %+v, %v", health, err)
	}
}
