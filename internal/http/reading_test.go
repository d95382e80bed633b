package http

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestReadingRoutes(t *testing.T) {
	t.Run("lists are never null", func(t *testing.T) {
		s := newTestServer(t, testConfig(newBackend()))
		for path, want := range map[string]string{
			"/admin/workers/lanes":  `{"lanes":[]}`,
			"/admin/workers/status": `"running_jobs":[],"running_count":0,"queued_by_type":[]`,
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
		for _, path := range []string{"/admin/workers/lanes", "/admin/workers/status"} {
			resp, body := call(t, s, request{method: "GET", path: path})
			wantProblem(t, resp, body, 503)
		}
	})
}

func TestWorkerStatusNamesTheSources(t *testing.T) {
	cfg := testConfig(newBackend())
	cfg.Sources = func() []kappa.EventSource { return []kappa.EventSource{{Name: "wal", Active: true}} }
	if _, body := call(t, newTestServer(t, cfg), request{method: "GET", path: "/admin/workers/status"}); !strings.Contains(body, `"event_sources":[{"name":"wal"`) {
		t.Errorf("status %s", body)
	}
}
