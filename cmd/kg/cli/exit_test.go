package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestErrorsOfTheServer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		detail string
		code   int
		stderr string
	}{
		{"not found", 404, "Job not found: job_1", exit.NotFound, "kg: show the job: Job not found: job_1\n"},
		{"no login", 401, "Not authenticated", exit.NotAllowed, "kg: show the job: Not authenticated\n    log in with: kg login -u admin\n"},
		{"not allowed", 403, "Permission denied: read on jobs", exit.NotAllowed, "kg: show the job: Permission denied: read on jobs\n"},
		{"a broken rule", 422, "job_id: must be a job id", exit.Misused, "kg: show the job: job_id: must be a job id\n"},
		{"busy", 503, "the database is busy", exit.Unreachable, "kg: show the job: the database is busy\n    try again in a moment; kg doctor shows what is wrong\n"},
		{"internal", 500, "Internal error (request 7)", exit.Failed, "kg: show the job: Internal error (request 7)\n"},
		{"control characters", 409, "evil \x1b[2Jtext", exit.Failed, "kg: show the job: evil [2Jtext\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.refuse("GET /jobs/job_1", tt.status, tt.detail)
			c := f.console(t).run(t.Context(), "jobs", "status", "job_1")
			if c.code != tt.code || c.err != tt.stderr || c.out != "" {
				t.Errorf("code %d, stdout %q, stderr %q, want code %d and %q", c.code, c.out, c.err, tt.code, tt.stderr)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c := newConsole(t)
	c.env["KG_API_URL"] = server.URL
	for _, line := range []string{"jobs list", "health", "login -u admin -p x", "search query x", "ontology list", "jobs watch job_1", "ingest text x --ontology demo"} {
		t.Run(line, func(t *testing.T) {
			c.run(t.Context(), strings.Fields(line)...)
			if c.code != exit.Unreachable || !strings.Contains(c.err, server.URL) || !strings.HasSuffix(c.err, "\n    start it with: kg serve, or set KG_API_URL\n") {
				t.Errorf("code %d, stderr %q", c.code, c.err)
			}
		})
	}
}

func TestInterruptedCall(t *testing.T) {
	f := newFakeAPI(t)
	f.HandleFunc("GET /jobs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	interrupted, interrupt := context.WithCancel(t.Context())
	context.AfterFunc(ctx, interrupt)
	if c := f.console(t).run(interrupted, "jobs", "list"); c.code != exit.Interrupted || c.err != "kg: interrupted\n" {
		t.Errorf("code %d, stderr %q", c.code, c.err)
	}
}
