package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestGraphConfig(t *testing.T) {
	const path = "/admin/graph/config"
	patch := func(body string) apitest.Request {
		return apitest.Request{Method: "PATCH", Path: path, Body: body}
	}
	t.Run("is shown, and a change says what it was", func(t *testing.T) {
		f := &fake{}
		s := newServer(t, f)
		if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path}); resp.StatusCode != 200 || !strings.Contains(body, `"max_workers":8`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		if resp, body := apitest.Call(t, s, patch(`{"max_workers":4}`)); resp.StatusCode != 200 || !strings.Contains(body, `"max_workers":4`) || len(f.did) != 1 {
			t.Errorf("%d %s, did %v", resp.StatusCode, body, f.did)
		}
	})
	t.Run("what breaks a rule changes nothing", func(t *testing.T) {
		f := &fake{}
		apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
			"an unknown member":                   apitest.Refused(patch(`{"max_worker":4}`), 422, "max_worker: is not a known field", "body.max_worker"),
			"an unknown member beside a good one": apitest.Refused(patch(`{"max_workers":4,"threads":2}`), 422, "threads: is not a known field", ""),
			"workers above the ceiling":           apitest.Refused(patch(`{"max_workers":33}`), 422, "max_workers", "body.max_workers"),
			"a timeout below the floor":           apitest.Refused(patch(`{"timeout_seconds":4}`), 422, "timeout_seconds", "body.timeout_seconds"),
			"text for a number":                   apitest.Refused(patch(`{"max_workers":"4"}`), 422, "max_workers: must be a whole number", "body.max_workers"),
		}, func() int { return len(f.did) })
	})
}
