package http

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

func TestHealth(t *testing.T) {
	t.Run("a good database", func(t *testing.T) {
		_, body := call(t, newTestServer(t, testConfig(newBackend())), request{method: "GET", path: "/health", token: "-"})
		want := `{"status":"healthy","components":{"api":{"status":"healthy"},"database":{"status":"healthy"},"storage":{"status":"healthy"},"events":{"status":"healthy"}}}`
		if strings.TrimSpace(body) != want {
			t.Errorf("%s, want %s", body, want)
		}
	})
	t.Run("a database that is down is said without its secrets", func(t *testing.T) {
		b := newBackend()
		b.err = errors.New("dial postgres://user:hush@db")
		s := newTestServer(t, testConfig(b))
		for _, path := range []string{"/health", "/", "/database/health"} {
			resp, body := call(t, s, request{method: "GET", path: path})
			if resp.StatusCode != 200 || strings.Contains(body, "hush") || strings.Contains(body, `"status":"healthy","epoch"`) || strings.Contains(body, "null") {
				t.Errorf("%s: %d %s", path, resp.StatusCode, body)
			}
		}
	})
	t.Run("a database that does not answer is waited for less than a second", func(t *testing.T) {
		for _, path := range []string{"/health", "/", "/database/health"} {
			synctest.Test(t, func(t *testing.T) {
				b := newBackend()
				b.wait = make(chan struct{})
				s := newTestServer(t, testConfig(b))
				started := time.Now()
				for range 5 { // one look serves them all
					w := httptest.NewRecorder()
					r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
					r.Header.Set("Authorization", "Bearer good")
					s.Handler().ServeHTTP(w, r)
					if w.Code != 200 {
						t.Errorf("%s: %d %s", path, w.Code, w.Body)
					}
					if path == "/database/health" {
						break
					}
				}
				if took := time.Since(started); took >= time.Second {
					t.Errorf("%s took %s", path, took)
				}
			})
		}
	})
}

func TestService(t *testing.T) {
	for _, accept := range []string{"application/json", "text/html", "*/*"} {
		resp, body := call(t, newTestServer(t, testConfig(newBackend())), request{method: "GET", path: "/", token: "-", header: map[string]string{"Accept": accept}})
		if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
			t.Errorf("Content-Type %q", resp.Header.Get("Content-Type"))
		}
		for _, want := range []string{`"service":"Kappa"`, `"version":"test"`, `"status":"healthy"`, `"epoch":7`,
			`"queue":{"type":"postgresql","pending":0,"awaiting_approval":0,"approved":3,"processing":0}`, `"endpoints":{`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s", body, want)
			}
		}
	}
}

func TestReadingRoutes(t *testing.T) {
	t.Run("lists are never null", func(t *testing.T) {
		s := newTestServer(t, testConfig(newBackend()))
		for path, want := range map[string]string{
			"/admin/workers/lanes":    `{"lanes":[]}`,
			"/admin/workers/status":   `"running_jobs":[],"running_count":0,"queued_by_type":[]`,
			"/database/health":        `{"status":"healthy","responsive":true,"checks":{"connection":"ok","graph":"ok"}}`,
			"/jobs?status=queued":     `[]`,
			"/jobs/" + knownJob + "/": `"job_id":"` + knownJob + `"`,
		} {
			if resp, body := call(t, s, request{method: "GET", path: path}); resp.StatusCode != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: %d %s, want %s", path, resp.StatusCode, body, want)
			}
		}
	})
	t.Run("every failure behind them is a problem", func(t *testing.T) {
		b := newBackend()
		b.err = kappa.NewError(kappa.CodeUnavailable, "the database is busy")
		s := newTestServer(t, testConfig(b))
		for _, path := range []string{"/admin/workers/lanes", "/admin/workers/status", "/jobs", "/auth/oauth/clients/personal"} {
			resp, body := call(t, s, request{method: "GET", path: path})
			wantProblem(t, resp, body, 503)
		}
	})
}
