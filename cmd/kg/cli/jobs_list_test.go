package cli

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestJobsFind sends every flag of a filter, and goes on until there are as many jobs as were
// asked for, or no more.
func TestJobsFind(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /jobs", `[]`)
	line := `jobs list --status failed,cancelled --age >1h --error timed_out --lane maintenance --queue slow --owner anna --priority 5..9 --attempt >1 --started-from 7d
		--ended-to 2026-01-31 --file report --data url=x --data a.b=y --quarantined true --sort ended --count exact --limit 500`
	c := f.console(t)
	c.run(t.Context(), strings.Fields(line)...)
	want := "GET /jobs?attempt=2..&client_id=anna&count=exact&data=url%3Dx&data=a.b%3Dy&ended_to=2026-01-31T00%3A00%3A00Z&error=timed_out&file=report&lane=maintenance&limit=500&priority=5..9&quarantined=true&queue=slow&sort=ended&started_from=1w&status=failed%2Ccancelled&submitted_to=1h"
	if c.code != exit.OK || len(f.requests) != 1 || f.requests[0] != want {
		t.Errorf("code %d %s, asked %q,\nwant %q", c.code, c.err, f.requests, want)
	}
	for line, says := range map[string]string{
		"jobs list --dead --status completed":     "contradicts another filter",
		"jobs list --age 1h":                      "must be an age with < or >",
		"jobs list --waits-for rain":              "must be one of time, pause, limit, slot, budget",
		"jobs list --sort size":                   "must be one of newest, oldest",
		"jobs dead --priority high":               "must be a number or a range",
		"jobs list --priority 9..5 --data nought": "must be NAME=VALUE",
	} {
		c.run(t.Context(), strings.Fields(line)...)
		if c.code != exit.Misused || !strings.Contains(c.err, says) {
			t.Errorf("%s: code %d, %q does not say %q", line, c.code, c.err, says)
		}
	}
	pages := newFakeAPI(t)
	pages.HandleFunc("GET /jobs", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		if n < 9 {
			w.Header().Set("X-Next-Cursor", strconv.Itoa(n+1))
		}
		w.Header().Set("X-Total-Count", "1234")
		w.Header().Set("X-Total-Count-Is", "at_least")
		if n%3 == 2 {
			fmt.Fprintf(w, `[{"job_id":"job_%d","status":"failed"}]`, n)
			return
		}
		fmt.Fprint(w, "[]")
	})
	c = pages.console(t)
	for _, l := range []struct {
		line string
		jobs []string
	}{
		{"jobs list --error x --limit 2 --count exact", []string{"job_2", "job_5"}}, {"jobs list --error x --limit 50", []string{"job_2", "job_5", "job_8"}}, {"jobs list --error x --all", []string{"job_2", "job_5", "job_8"}},
	} {
		c.run(t.Context(), strings.Fields(l.line)...)
		for _, id := range l.jobs {
			if !strings.Contains(c.out, id) {
				t.Errorf("%s does not list %s: %s%s", l.line, id, c.out, c.err)
			}
		}
		if strings.Contains(l.line, "--count") && !strings.Contains(c.err, "At least 1,234 jobs in all.") {
			t.Errorf("%s says %q", l.line, c.err)
		}
	}
}

func TestJobsDead(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /jobs/errors", `{"errors":[{"job_type":"ingestion","error_key":"provider … timed out after #","count":700000,"first":"2026-01-31T08:00:00.123Z",
		"last":"2026-02-01T08:00:00.123Z","job_id":"job_1","error":"provider \"a\" timed out after 3 s"}],"jobs":700003,"more":true,"partial":false}`)
	c := f.console(t)
	c.run(t.Context(), "jobs", "dead", "--type", "ingestion")
	if c.code != exit.OK || f.requests[0] != "GET /jobs/errors?dead=true&job_type=ingestion" {
		t.Errorf("code %d %s, asked %q", c.code, c.err, f.requests)
	}
	for _, want := range []string{"700,000", "job_1", "provider … timed out after #", "700,003 jobs have failed"} {
		if !strings.Contains(c.out, want) {
			t.Errorf("does not say %q:\n%s", want, c.out)
		}
	}
	if !strings.Contains(c.err, "There are more errors") {
		t.Errorf("says %q", c.err)
	}
}

// TestJobReasons lists jobs that wait, that have failed and that need no explanation.
func TestJobReasons(t *testing.T) {
	for job, want := range map[string]string{
		`"status":"failed","error":"provider ollama timed out\nafter 60 s"`:    "  provider ollama timed out after 60 s",
		`"status":"awaiting_approval"`:                                         "  until it is approved",
		`"status":"awaiting_approval","expires_at":"2020-01-31T08:00:00.000Z"`: "  until it is approved; expires 2020-01-31",
		`"status":"awaiting_approval","pause_reason":"its budget is spent"`:    "  its budget is spent",
		`"status":"processing","cancel_requested":true`:                        "  it is being cancelled",
		`"status":"approved","queue_position":3`:                               "  for a slot, as number 3 of its queue",
		`"status":"approved","run_at":"2999-01-31T08:00:00.000Z"`:              "  until 2999-01-31",
		`"status":"approved","run_at":"2999-01-31T08:00:00.000Z","error":"no"`: "  tried again 2999-01-31",
		`"status":"approved","waiting_for":{"provider":"ollama","reason":"refused","since":"2020-01-31T08:00:00Z","until":"2999-01-31T08:00:00Z"}`: "  for ollama until 2999-01-31",
		`"status":"processing"`:                          "",
		`"status":"completed","error":"was tried again"`: "",
	} {
		f := newFakeAPI(t)
		c := f.console(t)
		f.answer("GET /jobs", `[{"job_id":"job_0123456789ab","job_type":"ingestion","created_at":"2020-01-31T08:00:00.123Z",`+job+`}]`)
		c.run(t.Context(), "jobs", "list")
		lines := strings.Split(strings.TrimRight(c.out, "\n"), "\n")
		if want == "" && len(lines) != 2 || want != "" && (len(lines) != 3 || !strings.HasPrefix(lines[2], want)) {
			t.Errorf("%s: want %q below\n%s%s", job, want, c.out, c.err)
		}
	}
}
