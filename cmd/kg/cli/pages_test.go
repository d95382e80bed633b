package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestJobsListAll lists the jobs of two pages.
func TestJobsListAll(t *testing.T) {
	f := newFakeAPI(t)
	f.HandleFunc("GET /jobs", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") != "500" || r.URL.Query().Get("status") != "failed" {
			t.Errorf("asked for %s", r.URL.RawQuery)
		}
		if r.URL.Query().Get("cursor") == "" {
			w.Header().Set("X-Next-Cursor", "two")
			f.json(w, `[{"job_id":"job_000000000001","job_type":"noop","status":"failed"}]`)
			return
		}
		f.json(w, `[{"job_id":"job_000000000002","job_type":"noop","status":"failed"}]`)
	})
	c := f.console(t).run(t.Context(), "jobs", "list", "--all", "--status", "failed", "-o", "jsonl")
	if c.code != exit.OK || strings.Count(c.out, "\n") != 2 || !strings.Contains(c.out, "job_000000000001") || !strings.Contains(c.out, "job_000000000002") {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	if c.run(t.Context(), "jobs", "list", "--all", "--status", "failed"); !strings.Contains(c.out, "job_000000000001") || !strings.Contains(c.out, "job_000000000002") {
		t.Errorf("table %q", c.out)
	}
}
