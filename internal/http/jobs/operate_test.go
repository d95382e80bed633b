package jobs

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestOperate lists what operators ask for and what they are answered.
func TestOperate(t *testing.T) {
	for name, tt := range map[string]struct {
		apitest.Request
		job    work.Status // of the known job
		status int
		answer string // the body, or the detail of a problem
		does   string // what reaches what is behind the API; "" for nothing
	}{
		"a failed job is submitted again, as a new one": {
			apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/retry", ContentType: http.URLEncodedType},
			work.StatusFailed, 200,
			`{"job_id":"job_00000000000a","status":"approved","message":"Job approved. It starts as soon as a slot is free."}`, "retry " + apitest.KnownJob + " by 1000",
		},
		"a key goes with it": {
			apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/retry", Header: map[string]string{"Idempotency-Key": "-k7"}},
			work.StatusFailed, 200,
			`{"job_id":"job_00000000000a","status":"approved","message":"Job approved. It starts as soon as a slot is free."}`, "retry " + apitest.KnownJob + " by 1000-k7",
		},
		"a key that is none": {
			apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/retry", Header: map[string]string{"Idempotency-Key": "a b"}},
			work.StatusFailed, 422,
			"Idempotency-Key: must be printable ASCII without spaces", "",
		},
		"a completed job is not": {
			apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/retry"},
			work.StatusCompleted, 409,
			"Can only retry failed or cancelled jobs (status: completed)", "",
		},
		"a running job is stopped": {
			apitest.Request{Method: "POST", Path: "/admin/workers/jobs/" + apitest.KnownJob + "/cancel", ContentType: http.URLEncodedType},
			work.StatusProcessing, 200,
			`{"job_id":"` + apitest.KnownJob + `","cancelled":true,"message":"Cancellation flag set. Worker will stop at next yield point."}`, "cancel running " + apitest.KnownJob,
		},
		"a queued job is not stopped": {
			apitest.Request{Method: "POST", Path: "/admin/workers/jobs/" + apitest.KnownJob + "/cancel"},
			work.StatusApproved, 409,
			"Job not running (status: approved). Use DELETE /jobs/" + apitest.KnownJob + " for queued jobs.", "",
		},
		"a priority in the query": {
			apitest.Request{Method: "PATCH", Path: "/admin/workers/jobs/" + apitest.KnownJob + "/priority?priority=-100"},
			work.StatusApproved, 200,
			`{"job_id":"` + apitest.KnownJob + `","old_priority":0,"new_priority":-100}`, "reprioritize " + apitest.KnownJob + " -100",
		},
		"a priority in the body, and an empty one is a priority": {
			apitest.Request{Method: "PATCH", Path: "/admin/workers/jobs/" + apitest.KnownJob + "/priority", Body: `{"priority":0}`},
			work.StatusApproved, 200,
			`{"job_id":"` + apitest.KnownJob + `","old_priority":0,"new_priority":0}`, "reprioritize " + apitest.KnownJob + " 0",
		},
		"a running job keeps its priority": {
			apitest.Request{Method: "PATCH", Path: "/admin/workers/jobs/" + apitest.KnownJob + "/priority?priority=1"},
			work.StatusProcessing, 409,
			"Can only reprioritize approved jobs (status: processing)", "",
		},
		"a job is deleted for good": {
			apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob + "?purge=Yes"},
			work.StatusFailed, 200,
			`{"job_id":"` + apitest.KnownJob + `","deleted":true,"message":"Job permanently deleted"}`, "purge " + apitest.KnownJob + " force false",
		},
		"a running job is not": {
			apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob + "?purge=true"},
			work.StatusProcessing, 409,
			"Cannot delete job in status: processing. Use force=true to override.", "",
		},
		"unless by force": {
			apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob + "?purge=true&force=1"},
			work.StatusProcessing, 200,
			`{"job_id":"` + apitest.KnownJob + `","deleted":true,"message":"Job permanently deleted"}`, "purge " + apitest.KnownJob + " force true",
		},
		"force alone deletes nothing": {
			apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob + "?force=true"},
			work.StatusApproved, 200,
			`{"job_id":"` + apitest.KnownJob + `","cancelled":true,"message":"Job cancelled successfully"}`, "",
		},
		"a preview of a bulk delete": {
			apitest.Request{Method: "DELETE", Path: "/jobs?dry_run=true&status=failed&older_than=7d"},
			"", 200,
			`{"dry_run":true,"jobs_to_delete":3,"jobs":[{"job_id":"` + apitest.KnownJob + `","job_type":"noop","status":"failed","ontology":null,"created_at":"2026-01-31T08:00:00.123Z"}],` +
				`"message":"Would delete 3 jobs; skipped 1 job in status processing"}`, "delete {Status:failed System:false OlderThan:168h0m0s Type:} dry true",
		},
		"a preview wins over a confirmation, and its list is never null": {
			apitest.Request{Method: "DELETE", Path: "/jobs?dry_run=1&confirm=1&job_type=none"},
			"", 200,
			`{"dry_run":true,"jobs_to_delete":3,"jobs":[],"message":"Would delete 3 jobs; skipped 1 job in status processing"}`,
			"delete {Status: System:false OlderThan:0s Type:none} dry true",
		},
		"a bulk delete": {
			apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&status=queued&system=true&job_type=noop"},
			"", 200,
			`{"success":true,"jobs_deleted":3,"filters":{"status":"approved","system":true,"older_than":null,"job_type":"noop"},"message":"Deleted 3 jobs; skipped 1 job in status processing"}`,
			"delete {Status:approved System:true OlderThan:0s Type:noop} dry false",
		},
		"a bulk delete without confirmation": {
			apitest.Request{Method: "DELETE", Path: "/jobs?status=failed"}, "", 400, "Must set confirm=true to delete jobs (or use dry_run=true to preview)", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake(tt.job)
			resp, body := apitest.Call(t, newServer(t, b), tt.Request)
			if tt.status >= 400 {
				if p := apitest.WantProblem(t, resp, body, tt.status); p.Detail != tt.answer {
					t.Errorf("detail %q, want %q", p.Detail, tt.answer)
				}
			} else if resp.StatusCode != tt.status || strings.TrimSpace(body) != tt.answer {
				t.Errorf("%d %s\nwant %d %s", resp.StatusCode, body, tt.status, tt.answer)
			}
			var want []string
			if tt.does != "" {
				want = []string{tt.does}
			}
			if !slices.Equal(b.did, want) {
				t.Errorf("did %q, want %q", b.did, want)
			}
		})
	}
}

// TestRetryAsksTheType has a job whose type is not submitted again, and one whose
// type this server does not know.
func TestRetryAsksTheType(t *testing.T) {
	for jobType, want := range map[string]int{"once": 409, "ingestion": 200, "of-a-newer-server": 200} {
		f := newFake(work.StatusFailed)
		j := f.jobs[apitest.KnownJob]
		j.Type = jobType
		f.jobs[j.ID] = j
		resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/jobs/" + j.ID + "/retry"})
		if resp.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", jobType, resp.StatusCode, body, want)
		}
	}
}
