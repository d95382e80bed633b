package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestCounters(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	t.Run("the snapshot is made of the counters", func(t *testing.T) {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/database/counters"})
		if resp.StatusCode != 200 || !strings.Contains(body, `"current_snapshot":{"concepts":5,"edges":3,"sources":0,"vocab_types":0,"total_objects":8}`) || !strings.Contains(body, `"activity":[]`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
	t.Run("refreshing says what has changed", func(t *testing.T) {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/database/counters/refresh", ContentType: "application/x-www-form-urlencoded"})
		if resp.StatusCode != 200 || !strings.Contains(body, `"changed_count":1`) || !strings.Contains(body, "1 of 2 counters have changed: a") || len(f.did) != 1 {
			t.Errorf("%d %s, did %v", resp.StatusCode, body, f.did)
		}
	})
}
