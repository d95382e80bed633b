package cli

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestJobsRetryAndDelete(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /jobs/job_1/retry", `{"job_id":"job_9","status":"approved","message":"Job approved."}`)
	f.refuse("POST /jobs/job_2/retry", 409, "Can only retry failed or cancelled jobs (status: completed)")
	f.answer("DELETE /jobs/job_1", `{"job_id":"job_1","deleted":true,"message":"Job permanently deleted"}`)
	c := f.console(t)
	t.Run("a retry names the new job", func(t *testing.T) {
		c.run(t.Context(), "jobs", "retry", "job_2", "job_1")
		if c.code != exit.Failed || c.out != "job_1  → job_9 Job approved.\n" || c.err != "kg: retry job_2: Can only retry failed or cancelled jobs (status: completed)\n" {
			t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
		}
	})
	t.Run("only --force deletes by force", func(t *testing.T) {
		f.requests = nil
		c.run(t.Context(), "jobs", "delete", "job_1")
		c.run(t.Context(), "jobs", "delete", "job_1", "--force")
		if c.out != "job_1  Job permanently deleted\n" || !slices.Equal(f.requests, []string{"DELETE /jobs/job_1?purge=true", "DELETE /jobs/job_1?force=true&purge=true"}) {
			t.Errorf("stdout %q, asked %q", c.out, f.requests)
		}
	})
}

func TestJobsPrune(t *testing.T) {
	const preview, confirmed = "DELETE /jobs?dry_run=true&older_than=7d&status=failed", "DELETE /jobs?confirm=true&older_than=7d&status=failed"
	for _, tt := range []struct {
		name, flags, in string
		code            int
		out, err        string // contained
		asked           []string
	}{
		{"a dry run shows the jobs and deletes nothing", "--dry-run", "", exit.OK, "job_1  failed  noop", "", []string{preview}},
		{"yes", "", "yes\n", exit.OK, "Deleted 3 jobs\n", "Would delete 3 jobs. Type yes to go on: \n", []string{preview, confirmed}},
		{"no", "", "no\n", exit.Failed, "", "nothing was deleted", []string{preview}},
		{"no answer is no", "", "", exit.Failed, "", "nothing was deleted", []string{preview}},
		{"--yes does not ask", "--yes", "", exit.OK, "Deleted 3 jobs\n", "", []string{confirmed}},
		{"--dry-run wins over --yes", "--yes --dry-run", "", exit.OK, "Would delete 3 jobs\n", "", []string{preview}},
		{"jsonl of a dry run is a line for each job", "--dry-run -o jsonl", "", exit.OK, `{"job_id":"job_1","job_type":"noop","status":"failed","created_at":"2026-01-31T08:00:00.123Z"}` + "\n", "", []string{preview}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.HandleFunc("DELETE /jobs", func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("confirm") == "true" {
					f.json(w, `{"success":true,"jobs_deleted":3,"message":"Deleted 3 jobs"}`)
					return
				}
				f.json(w, `{"dry_run":true,"jobs_to_delete":3,"message":"Would delete 3 jobs","jobs":[{"job_id":"job_1","job_type":"noop","status":"failed","created_at":"2026-01-31T08:00:00.123Z"}]}`)
			})
			c := f.console(t)
			c.in = tt.in
			c.run(t.Context(), append(strings.Fields("jobs prune --older-than 7d --status failed"), strings.Fields(tt.flags)...)...)
			if c.code != tt.code || !strings.Contains(c.out, tt.out) || tt.out == "" && c.out != "" || !strings.Contains(c.err, tt.err) || tt.err == "" && c.err != "" {
				t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
			}
			if !slices.Equal(f.requests, tt.asked) {
				t.Errorf("asked %q, want %q", f.requests, tt.asked)
			}
		})
	}
}

// TestEmptyArguments gives the empty argument that a variable makes which is not
// set. As a part of a path it would ask for something else, such as all jobs.
func TestEmptyArguments(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /jobs/", `[]`)
	c := f.console(t)
	for _, line := range []string{"jobs status", "jobs watch job_1", "jobs cancel", "jobs delete", "admin workers lanes set --max-slots 1", "admin schedules remove"} {
		c.run(t.Context(), append(strings.Fields(line), "")...)
		if c.code != exit.Misused || !strings.Contains(c.err, "an argument is empty") || !strings.Contains(c.err, "--help") {
			t.Errorf("%s: code %d, stderr %q", line, c.code, c.err)
		}
	}
	if len(f.requests) > 0 {
		t.Errorf("asked %q", f.requests)
	}
}

// TestSubmitWithoutData submits a job that takes nothing, and one that does.
func TestSubmitWithoutData(t *testing.T) {
	for data, want := range map[string]string{"": `"data":null`, `{"n":1}`: `"data":{"n":1}`} {
		f := newFakeAPI(t)
		f.HandleFunc("POST /jobs", func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || !strings.Contains(string(body), want) {
				t.Errorf("submitted %s (%v), want %s", body, err, want)
			}
			f.json(w, `{"job_id":"job_9","status":"approved","message":"Job approved."}`)
		})
		if c := f.console(t).run(t.Context(), "jobs", "submit", "--type", "noop", "--data", data); c.code != exit.OK {
			t.Errorf("with %q: code %d, stderr %q", data, c.code, c.err)
		}
	}
}
