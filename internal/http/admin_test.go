package http

import (
	"strings"
	"testing"
)

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
