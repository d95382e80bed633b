package cli

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestJobsActOnMany asks before it acts on what flags select, and refuses what selects nothing.
func TestJobsActOnMany(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /jobs/actions", `{"act":"cancel","selected":700,"done":0,"refused":0,"job_id":"job_9","message":"700 jobs selected","outcomes":[],"jobs":[]}`)
	for _, tt := range []struct {
		line, in string
		code     int
		asked    int
	}{
		{"jobs cancel --status approved --yes", "", exit.OK, 1},
		{"jobs cancel --status approved", "yes\n", exit.OK, 2},
		{"jobs cancel --status approved", "no\n", exit.Failed, 1},
		{"jobs cancel --status approved --dry-run", "", exit.OK, 1},
		{"jobs cancel --all --yes", "", exit.OK, 1},
		{"jobs cancel", "", exit.Misused, 0},
		{"jobs cancel job_1 --status approved", "", exit.Misused, 0},
		{"jobs cancel --status failed", "", exit.Misused, 0},
		{"jobs delete --all --status failed", "", exit.Misused, 0},
		{"jobs retry --from middle --status failed", "", exit.Misused, 0},
		{"jobs run-now", "", exit.Misused, 0},
	} {
		f.requests = nil
		c := f.console(t)
		c.in = tt.in
		c.run(t.Context(), strings.Fields(tt.line)...)
		if c.code != tt.code || len(f.requests) != tt.asked || slices.ContainsFunc(f.requests, func(r string) bool { return r != "POST /jobs/actions" }) {
			t.Errorf("%s: code %d, asked %q, stderr %q", tt.line, c.code, f.requests, c.err)
		}
	}
}

// TestJobsPlace gives single jobs another priority and another queue, by the act that does it to
// many.
func TestJobsPlace(t *testing.T) {
	f := newFakeAPI(t)
	sent, answer := "", ""
	f.HandleFunc("POST /jobs/actions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		f.json(w, answer)
	})
	const done, refused = `{"done":1,"message":"Changed 1 job"}`, `{"refused":1,"message":"Changed 0 jobs, 1 refused","outcomes":[{"job_id":"job_0123456789ab","outcome":"refused","reason":"it runs"}]}`
	for _, c := range []struct {
		line, answer string
		code         int
		sent, out    string
	}{
		{"jobs priority job_0123456789ab -- -5", done, exit.OK, `"act":"priority"|"priority":-5|"ids":["job_0123456789ab"]`, "Changed 1 job\n"},
		{"jobs move job_0123456789ab fast", done, exit.OK, `"act":"move-to-queue"|"queue":"fast"|"ids":["job_0123456789ab"]`, "Changed 1 job\n"},
		{"jobs move job_0123456789ab fast", refused, exit.Failed, "", "job_0123456789ab  refused  it runs\nChanged 0 jobs, 1 refused\n"},
		{"jobs priority job_0123456789ab high", done, exit.Misused, "", ""},
		{"jobs priority job_0123456789ab 101", done, exit.Misused, "", ""},
		{"jobs priority job_0123456789ab", done, exit.Misused, "", ""},
		{"jobs move job_0123456789ab no-queue", done, exit.Misused, "", ""},
	} {
		answer = c.answer
		got := f.console(t).run(t.Context(), strings.Fields(c.line)...)
		says := !slices.ContainsFunc(strings.Split(c.sent, "|"), func(part string) bool { return !strings.Contains(sent, part) })
		if got.code != c.code || got.out != c.out || !says {
			t.Errorf("%s: code %d, sent %s, stdout %q, stderr %q", c.line, got.code, sent, got.out, got.err)
		}
	}
}

// TestJobsActOnNone asks for nothing when nothing is selected.
func TestJobsActOnNone(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /jobs/actions", `{"act":"cancel","dry_run":true,"selected":0,"done":0,"refused":0,"message":"Would cancel 0 jobs","outcomes":[],"jobs":[]}`)
	c := f.console(t)
	if c.run(t.Context(), "jobs", "cancel", "--status", "approved"); c.code != exit.OK || c.out != "Would cancel 0 jobs\n" || c.err != "" || len(f.requests) != 1 {
		t.Errorf("code %d, stdout %q, stderr %q, asked %q", c.code, c.out, c.err, f.requests)
	}
}
