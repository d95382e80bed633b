package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const oneLane = `{"name":"interactive","job_types":["ingestion","noop"],"max_slots":2,"poll_interval_ms":2000,"stale_timeout_minutes":30,"enabled":false,"running_jobs":1,"queued_jobs":3,"slots_available":1}`

func TestAdminWorkers(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /admin/workers/lanes", `{"lanes":[`+oneLane+`]}`)
	f.answer("GET /admin/workers/status", `{"running_jobs":[{"job_id":"job_1","job_type":"noop","lane":"interactive","claimed_by":"w1","claimed_at":"2020-01-01T00:00:00Z"}],
		"running_count":1,"queued_by_type":[{"job_type":"noop","count":3,"oldest":"2020-01-01T00:00:00Z"}],"total_queued":3,"lanes":[],"total_slots":2,"slots_in_use":1,"unclaimed_types":["noop"]}`)
	c := f.console(t).run(t.Context(), "admin", "workers")
	for _, says := range []string{"1 of 2 slots in use, 3 jobs queued\n", "interactive    1/2       3  2000 ms  30 min  disabled  ingestion noop\n", "job_1    noop  interactive", "noop       3"} {
		if !strings.Contains(c.out, says) {
			t.Errorf("does not say %q:\n%s", says, c.out)
		}
	}
	if c.err != "No enabled lane claims: noop\n" {
		t.Errorf("stderr %q", c.err)
	}
	if c.run(t.Context(), "admin", "workers", "-o", "jsonl"); !strings.HasPrefix(c.out, `{"running_jobs":[{"job_id":"job_1"`) || strings.Count(c.out, "\n") != 1 {
		t.Errorf("jsonl: %s", c.out)
	}
	if c.run(t.Context(), "admin", "workers", "lanes", "-o", "jsonl"); c.out != oneLane+"\n" {
		t.Errorf("jsonl of the lanes: %s", c.out)
	}
}

func TestLanesSet(t *testing.T) {
	f := newFakeAPI(t)
	var sent string
	f.HandleFunc("PATCH /admin/workers/lanes/interactive", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		f.json(w, `{"lane":{"name":"interactive"},"changed":{"max_slots":{"old":2,"new":0},"enabled":{"old":true,"new":false}}}`)
	})
	c := f.console(t).run(t.Context(), "admin", "workers", "lanes", "set", "interactive", "--max-slots", "0", "--disable")
	if sent != `{"max_slots":0,"enabled":false}` {
		t.Errorf("sent %s", sent)
	}
	if c.code != exit.OK || c.out != "interactive: enabled true → false\ninteractive: max_slots 2 → 0\n" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	for flag, want := range map[string]string{"--enable=false": `{"enabled":false}`, "--disable=false": `{"enabled":true}`, "--enable": `{"enabled":true}`} {
		sent = ""
		if c.run(t.Context(), "admin", "workers", "lanes", "set", "interactive", flag); c.code != exit.OK || sent != want {
			t.Errorf("%s: code %d, sent %q, stderr %q", flag, c.code, sent, c.err)
		}
	}
	f.refuse("PATCH /admin/workers/lanes/other", http.StatusUnprocessableEntity, "max_slots: must be at most 16, got 99")
	if c.run(t.Context(), "admin", "workers", "lanes", "set", "other", "--max-slots", "99"); c.code != exit.Misused || !strings.Contains(c.err, "must be at most 16") {
		t.Errorf("out of range: code %d, stderr %q", c.code, c.err)
	}
}

func TestHealthExitCode(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /health", `{"status":"degraded","components":{"database":{"status":"unhealthy","error":"no answer"}}}`)
	c := f.console(t).run(t.Context(), "health")
	if c.code != exit.Failed || !strings.Contains(c.out, "database    unhealthy  no answer") || c.err != "kg: the server is degraded\n" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
}

func TestDatabaseStats(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /database/stats", `{"nodes":{"concepts":1234,"sources":5,"instances":6,"documents":2},"relationships":{"total":7,"by_type":[{"rel_type":"PART_OF","count":7}]}}`)
	c := f.console(t).run(t.Context(), "database", "stats")
	want := "WHAT           COUNT\nconcepts       1,234\ndocuments          2\nchunks             5\nquotes             6\nrelationships      7\n\nRELATIONSHIP  COUNT\nPART_OF           7\n"
	if c.out != want {
		t.Errorf("got\n%s", c.out)
	}
}
