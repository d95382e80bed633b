package http

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

// TestOperate lists what operators ask for and what they are answered.
func TestOperate(t *testing.T) {
	for name, tt := range map[string]struct {
		request
		job    kappa.Status // of the known job
		status int
		answer string // the body, or the detail of a problem
		does   string // what reaches what is behind the API; "" for nothing
	}{
		"a failed job is submitted again, as a new one": {
			request{method: "POST", path: "/jobs/" + knownJob + "/retry", contentType: URLEncodedType}, kappa.StatusFailed, 200,
			`{"job_id":"job_00000000000a","status":"approved","message":"Job approved. It starts as soon as a slot is free."}`, "retry " + knownJob + " by 1000",
		},
		"a key goes with it": {
			request{method: "POST", path: "/jobs/" + knownJob + "/retry", header: map[string]string{"Idempotency-Key": "-k7"}}, kappa.StatusFailed, 200,
			`{"job_id":"job_00000000000a","status":"approved","message":"Job approved. It starts as soon as a slot is free."}`, "retry " + knownJob + " by 1000-k7",
		},
		"a key that is none": {
			request{method: "POST", path: "/jobs/" + knownJob + "/retry", header: map[string]string{"Idempotency-Key": "a b"}}, kappa.StatusFailed, 422,
			"Idempotency-Key: must be printable ASCII without spaces", "",
		},
		"a completed job is not": {
			request{method: "POST", path: "/jobs/" + knownJob + "/retry"}, kappa.StatusCompleted, 409,
			"Can only retry failed or cancelled jobs (status: completed)", "",
		},
		"a running job is stopped": {
			request{method: "POST", path: "/admin/workers/jobs/" + knownJob + "/cancel", contentType: URLEncodedType}, kappa.StatusProcessing, 200,
			`{"job_id":"` + knownJob + `","cancelled":true,"message":"Cancellation flag set. Worker will stop at next yield point."}`, "cancel running " + knownJob,
		},
		"a queued job is not stopped": {
			request{method: "POST", path: "/admin/workers/jobs/" + knownJob + "/cancel"}, kappa.StatusApproved, 409,
			"Job not running (status: approved). Use DELETE /jobs/" + knownJob + " for queued jobs.", "",
		},
		"a priority in the query": {
			request{method: "PATCH", path: "/admin/workers/jobs/" + knownJob + "/priority?priority=-100"}, kappa.StatusApproved, 200,
			`{"job_id":"` + knownJob + `","old_priority":0,"new_priority":-100}`, "reprioritize " + knownJob + " -100",
		},
		"a priority in the body, and an empty one is a priority": {
			request{method: "PATCH", path: "/admin/workers/jobs/" + knownJob + "/priority", body: `{"priority":0}`}, kappa.StatusApproved, 200,
			`{"job_id":"` + knownJob + `","old_priority":0,"new_priority":0}`, "reprioritize " + knownJob + " 0",
		},
		"a running job keeps its priority": {
			request{method: "PATCH", path: "/admin/workers/jobs/" + knownJob + "/priority?priority=1"}, kappa.StatusProcessing, 409,
			"Can only reprioritize approved jobs (status: processing)", "",
		},
		"a job is deleted for good": {
			request{method: "DELETE", path: "/jobs/" + knownJob + "?purge=Yes"}, kappa.StatusFailed, 200,
			`{"job_id":"` + knownJob + `","deleted":true,"message":"Job permanently deleted"}`, "purge " + knownJob + " force false",
		},
		"a running job is not": {
			request{method: "DELETE", path: "/jobs/" + knownJob + "?purge=true"}, kappa.StatusProcessing, 409,
			"Cannot delete job in status: processing. Use force=true to override.", "",
		},
		"unless by force": {
			request{method: "DELETE", path: "/jobs/" + knownJob + "?purge=true&force=1"}, kappa.StatusProcessing, 200,
			`{"job_id":"` + knownJob + `","deleted":true,"message":"Job permanently deleted"}`, "purge " + knownJob + " force true",
		},
		"force alone deletes nothing": {
			request{method: "DELETE", path: "/jobs/" + knownJob + "?force=true"}, kappa.StatusApproved, 200,
			`{"job_id":"` + knownJob + `","cancelled":true,"message":"Job cancelled successfully"}`, "",
		},
		"a preview of a bulk delete": {
			request{method: "DELETE", path: "/jobs?dry_run=true&status=failed&older_than=7d"}, "", 200,
			`{"dry_run":true,"jobs_to_delete":3,"jobs":[{"job_id":"` + knownJob + `","job_type":"noop","status":"failed","ontology":null,"created_at":"2026-01-31T08:00:00.123Z"}],` +
				`"message":"Would delete 3 jobs; skipped 1 job in status processing"}`, "delete {Status:failed System:false OlderThan:168h0m0s Type:} dry true",
		},
		"a preview wins over a confirmation, and its list is never null": {
			request{method: "DELETE", path: "/jobs?dry_run=1&confirm=1&job_type=none"}, "", 200,
			`{"dry_run":true,"jobs_to_delete":3,"jobs":[],"message":"Would delete 3 jobs; skipped 1 job in status processing"}`,
			"delete {Status: System:false OlderThan:0s Type:none} dry true",
		},
		"a bulk delete": {
			request{method: "DELETE", path: "/jobs?confirm=true&status=queued&system=true&job_type=noop"}, "", 200,
			`{"success":true,"jobs_deleted":3,"filters":{"status":"approved","system":true,"older_than":null,"job_type":"noop"},"message":"Deleted 3 jobs; skipped 1 job in status processing"}`,
			"delete {Status:approved System:true OlderThan:0s Type:noop} dry false",
		},
		"a bulk delete without confirmation": {
			request{method: "DELETE", path: "/jobs?status=failed"}, "", 400, "Must set confirm=true to delete jobs (or use dry_run=true to preview)", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBackend()
			b.jobs[knownJob] = job(tt.job)
			resp, body := call(t, newTestServer(t, testConfig(b)), tt.request)
			if tt.status >= 400 {
				if p := wantProblem(t, resp, body, tt.status); p.Detail != tt.answer {
					t.Errorf("detail %q, want %q", p.Detail, tt.answer)
				}
			} else if resp.StatusCode != tt.status || strings.TrimSpace(body) != tt.answer {
				t.Errorf("%d %s\nwant %d %s", resp.StatusCode, body, tt.status, tt.answer)
			}
			var want []string
			if tt.does != "" {
				want = []string{tt.does}
			}
			if !slices.Equal(b.operated, want) {
				t.Errorf("did %q, want %q", b.operated, want)
			}
		})
	}
}

func TestScheduler(t *testing.T) {
	b := newBackend()
	s := newTestServer(t, testConfig(b))
	t.Run("its status has numbers for durations and every status", func(t *testing.T) {
		_, body := call(t, s, request{method: "GET", path: "/admin/scheduler/status"})
		want := `{"running":true,"config":{"cleanup_interval":3600,"approval_timeout":24,"completed_retention":48,"failed_retention":168},` +
			`"stats":{"jobs_by_status":{"approved":0,"awaiting_approval":0,"cancelled":0,"completed":0,"failed":2,"pending":0,"processing":0},"last_cleanup":null,"next_cleanup":null}}`
		if strings.TrimSpace(body) != want {
			t.Errorf("%s\nwant %s", body, want)
		}
	})
	t.Run("a cleanup says what it did", func(t *testing.T) {
		_, body := call(t, s, request{method: "POST", path: "/admin/scheduler/cleanup", contentType: URLEncodedType})
		want := `{"success":true,"message":"Cleanup completed successfully","note":"1 job expired, 0 jobs taken back, 7 jobs deleted",` +
			`"expired":1,"recovered":0,"jobs_deleted":7,"contents_deleted":0,"schedule_runs_deleted":0}`
		if strings.TrimSpace(body) != want {
			t.Errorf("%s\nwant %s", body, want)
		}
	})
	t.Run("a cleanup without a leader is unavailable", func(t *testing.T) {
		b.noLeader = true
		resp, body := call(t, s, request{method: "POST", path: "/admin/scheduler/cleanup"})
		wantProblem(t, resp, body, 503)
		if resp.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	})
}

func TestSchedules(t *testing.T) {
	for name, tt := range map[string]struct {
		request
		status int
		says   string // in the answer
		does   string
	}{
		"a list without schedules is empty": {request{method: "GET", path: "/admin/schedules"}, 200, `{"schedules":[]}`, ""},
		"what is absent or null takes its default": {
			request{method: "POST", path: "/admin/schedules", body: `{"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":null,"enabled":null,"condition":null,"data":null,"priority":null}`},
			201, `"time_zone":"UTC","enabled":true,"condition":null,"data":null,"priority":0`,
			`add {"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":"","enabled":null,"condition":"","data":null,"priority":0}`,
		},
		"what is given arrives": {
			request{method: "POST", path: "/admin/schedules", body: `{"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":"Europe/Berlin","enabled":false,"condition":"queue_idle","data":{"a":1},"priority":-5}`},
			201, `"enabled":false,"condition":"queue_idle","data":{"a":1},"priority":-5`,
			`add {"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":"Europe/Berlin","enabled":false,"condition":"queue_idle","data":{"a":1},"priority":-5}`,
		},
		"an update carries only what changes": {
			request{method: "PATCH", path: "/admin/schedules/a%2Fb", body: `{"cron":"* * * * *","condition":"","data":null,"enabled":null}`},
			200, `"name":"a/b"`, `update a/b {"cron":"* * * * *","condition":""}`,
		},
		"a removal has no body": {request{method: "DELETE", path: "/admin/schedules/n"}, 204, "", "remove n"},
		"a run by hand names who wants it": {
			request{method: "POST", path: "/admin/schedules/n/run", contentType: URLEncodedType}, 200, `"job_id":"` + knownJob + `","status":"approved"`, "run n by admin",
		},
		"its runs": {request{method: "GET", path: "/admin/schedules/n/runs?limit=500"}, 200, `{"runs":[]}`, "runs of n, 500"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBackend()
			resp, body := call(t, newTestServer(t, testConfig(b)), tt.request)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) || tt.says == "" && body != "" {
				t.Errorf("%d %s\nwant %d with %s", resp.StatusCode, body, tt.status, tt.says)
			}
			if got := strings.Join(b.operated, "\n"); got != tt.does {
				t.Errorf("did %s\nwant %s", got, tt.does)
			}
		})
	}
}

// TestPermissionsBeyondTheRoute lacks a permission that a request needs besides that
// of its route.
func TestPermissionsBeyondTheRoute(t *testing.T) {
	for _, tt := range []struct {
		request
		detail string
	}{
		{request{method: "DELETE", path: "/jobs/" + knownJob + "?purge=true"}, "Permission denied: delete on jobs"},
	} {
		b := newBackend()
		b.jobs[knownJob] = job(kappa.StatusProcessing)
		b.user = kappa.User{ID: kappa.AdminUserID, Username: "admin", Role: kappa.RoleContributor}
		resp, body := call(t, newTestServer(t, testConfig(b)), tt.request)
		if p := wantProblem(t, resp, body, 403); p.Detail != tt.detail {
			t.Errorf("detail %q, want %q", p.Detail, tt.detail)
		}
		if len(b.operated) != 0 {
			t.Errorf("did %q all the same", b.operated)
		}
	}
}
