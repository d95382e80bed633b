package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestScheduler(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	t.Run("its status has numbers for durations and every status", func(t *testing.T) {
		_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/scheduler/status"})
		want := `{"running":true,"config":{"cleanup_interval":3600,"approval_timeout":24,"completed_retention":48,"failed_retention":168},` +
			`"stats":{"jobs_by_status":{"approved":0,"awaiting_approval":0,"cancelled":0,"completed":0,"failed":2,"pending":0,"processing":0},"last_cleanup":null,"next_cleanup":null}}`
		if strings.TrimSpace(body) != want {
			t.Errorf("%s\nwant %s", body, want)
		}
	})
	t.Run("a cleanup says what it did", func(t *testing.T) {
		_, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/admin/scheduler/cleanup", ContentType: http.URLEncodedType})
		want := `{"success":true,"message":"Cleanup completed successfully","note":"1 job expired, 0 jobs taken back, 7 jobs deleted",` +
			`"expired":1,"recovered":0,"jobs_deleted":7,"contents_deleted":0,"schedule_runs_deleted":0}`
		if strings.TrimSpace(body) != want {
			t.Errorf("%s\nwant %s", body, want)
		}
	})
	t.Run("a cleanup without a leader is unavailable", func(t *testing.T) {
		f.noLeader = true
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/admin/scheduler/cleanup"})
		apitest.WantProblem(t, resp, body, 503)
		if resp.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	})
}

func TestSchedules(t *testing.T) {
	for name, tt := range map[string]struct {
		apitest.Request
		status int
		says   string // in the answer
		does   string
	}{
		"a list without schedules is empty": {apitest.Request{Method: "GET", Path: "/admin/schedules"}, 200, `{"schedules":[]}`, ""},
		"what is absent or null takes its default": {
			apitest.Request{Method: "POST", Path: "/admin/schedules", Body: `{"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":null,"enabled":null,"condition":null,"data":null,"priority":null}`},
			201, `"time_zone":"UTC","enabled":true,"condition":null,"data":null,"priority":0`,
			`add {"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":"","enabled":null,"condition":"","data":null,"priority":0}`,
		},
		"what is given arrives": {
			apitest.Request{Method: "POST", Path: "/admin/schedules", Body: `{"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":"Europe/Berlin","enabled":false,"condition":"queue_idle","data":{"a":1},"priority":-5}`},
			201, `"enabled":false,"condition":"queue_idle","data":{"a":1},"priority":-5`,
			`add {"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":"Europe/Berlin","enabled":false,"condition":"queue_idle","data":{"a":1},"priority":-5}`,
		},
		"an update carries only what changes": {
			apitest.Request{Method: "PATCH", Path: "/admin/schedules/a%2Fb", Body: `{"cron":"* * * * *","condition":"","data":null,"enabled":null}`},
			200, `"name":"a/b"`, `update a/b {"cron":"* * * * *","condition":""}`,
		},
		"a removal has no body": {apitest.Request{Method: "DELETE", Path: "/admin/schedules/n"}, 204, "", "remove n"},
		"a run by hand names who wants it": {
			apitest.Request{Method: "POST", Path: "/admin/schedules/n/run", ContentType: http.URLEncodedType}, 200, `"job_id":"` + apitest.KnownJob + `","status":"approved"`, "run n by admin",
		},
		"its runs": {apitest.Request{Method: "GET", Path: "/admin/schedules/n/runs?limit=500"}, 200, `{"runs":[]}`, "runs of n, 500"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			resp, body := apitest.Call(t, newServer(t, f), tt.Request)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) || tt.says == "" && body != "" {
				t.Errorf("%d %s\nwant %d with %s", resp.StatusCode, body, tt.status, tt.says)
			}
			if got := strings.Join(f.did, "\n"); got != tt.does {
				t.Errorf("did %s\nwant %s", got, tt.does)
			}
		})
	}
}
