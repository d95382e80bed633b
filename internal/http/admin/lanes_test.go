package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestReading(t *testing.T) {
	t.Run("lists are never null", func(t *testing.T) {
		s := newServer(t, &fake{})
		for path, want := range map[string]string{
			"/admin/workers/lanes":  `{"lanes":[]}`,
			"/admin/workers/status": `"running_jobs":[],"running_count":0,"queued_by_type":[]`,
		} {
			if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path}); resp.StatusCode != 200 || !strings.Contains(body, want) || strings.Contains(body, ":null,") && !strings.Contains(body, `"leader":null`) {
				t.Errorf("%s: %d %s, want %s", path, resp.StatusCode, body, want)
			}
		}
	})
	t.Run("every failure behind them is a problem", func(t *testing.T) {
		s := newServer(t, &fake{err: kappa.NewError(kappa.CodeUnavailable, "the database is busy")})
		for _, path := range []string{"/admin/workers/lanes", "/admin/workers/status"} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path})
			apitest.WantProblem(t, resp, body, 503)
		}
	})
	t.Run("the status names the sources of events", func(t *testing.T) {
		s := newServer(t, &fake{sources: []work.EventSource{{Name: "wal", Active: true}}})
		if _, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/workers/status"}); !strings.Contains(body, `"event_sources":[{"name":"wal"`) {
			t.Errorf("status %s", body)
		}
	})
}
