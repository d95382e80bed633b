package admin

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestReading(t *testing.T) {
	t.Run("lists are never null", func(t *testing.T) {
		s := newServer(t, &fake{})
		for path, want := range map[string]string{
			"/admin/workers/lanes":  `{"lanes":[]}`,
			"/admin/workers/status": `"running_jobs":[],"running_count":0,"queued_by_type":[]`,
		} {
			if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path}); resp.StatusCode != 200 || !strings.Contains(body, want) || strings.Contains(body, ":null,") && !strings.Contains(body, `"leader":null`) {
				t.Errorf("%s: %d %s, want %s", path, resp.StatusCode, body, want)
			}
		}
	})
	t.Run("every failure behind them is a problem", func(t *testing.T) {
		s := newServer(t, &fake{err: kappa.NewError(kappa.CodeUnavailable, "the database is busy")})
		for _, path := range []string{"/admin/workers/lanes", "/admin/workers/status"} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path})
			apitest.WantProblem(t, resp, body, 503)
		}
	})
	t.Run("the status names the sources of events", func(t *testing.T) {
		s := newServer(t, &fake{sources: []work.EventSource{{Name: "wal", Active: true}}})
		if _, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/workers/status"}); !strings.Contains(body, `"event_sources":[{"name":"wal"`) {
			t.Errorf("status %s", body)
		}
	})
}

// TestLaneRows makes a lane, gives it types and deletes it.
func TestLaneRows(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	for _, c := range []struct {
		method, path, body string
		status             int
		says, does         string
	}{
		{"POST", "", `{"name":"own","max_slots":3,"job_types":["noop"]}`, 201, `"max_slots":3`, "create lane {Name:own JobTypes:[] MaxSlots:3 PollIntervalMS:2000 StaleTimeoutMinutes:30 Enabled:true"},
		{"POST", "", `{"name":"own","enabled":false}`, 201, `"enabled":false`, "Enabled:false"},
		{"POST", "/own/types", `{"job_types":["a","b"]}`, 200, `"moved":{}`, "move [a b] to own"},
		{"DELETE", "/own?move_to=other", "", 200, `"unclaimed_types":["a","b"]`, "delete own, types to other, home is map[noop:interactive]"},
	} {
		f.did = nil
		resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: "/admin/workers/lanes" + c.path, Body: c.body})
		if resp.StatusCode != c.status || !strings.Contains(body, c.says) || len(f.did) != 1 || !strings.Contains(f.did[0], c.does) {
			t.Errorf("%s %s %s: %d %s, did %q", c.method, c.path, c.body, resp.StatusCode, body, f.did)
		}
	}
}

// TestJobTypes lists the policies of job types, and changes one.
func TestJobTypes(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	_, body := apitest.Call(t, s, apitest.Request{Path: "/admin/job-types"})
	for _, says := range []string{
		`"job_type":"far","summary":"","remote":true,"policy":{"max_retries":3,"backoff_first_ms":1000,"backoff_most_ms":60000,"backoff_factor":2,"jitter":0.2,"deadline_ms":1800000},"changed":[]`,
		`"job_type":"noop","summary":"","remote":false,"policy":{"max_retries":7,`, `"deadline_ms":null},"changed":["max_retries"]`,
	} {
		if !strings.Contains(body, says) {
			t.Errorf("%s does not say %s", body, says)
		}
	}
	resp, body := apitest.Call(t, s, apitest.Request{Method: "PATCH", Path: "/admin/job-types/noop", Body: `{"deadline_ms":5000,"reset":["max_retries"]}`})
	if resp.StatusCode != 200 || !strings.Contains(body, `"deadline_ms":5000},"changed":["deadline_ms"]`) || len(f.did) != 1 || f.did[0] != `policy of noop: {"deadline_ms":5000,"reset":["max_retries"]}` {
		t.Errorf("%d %s, did %q", resp.StatusCode, body, f.did)
	}
}

// TestStats asks how long attempts took: within the times that are kept, and no others.
func TestStats(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	for query, want := range map[string]work.StatsFilter{
		"":                                {Since: time.Hour},
		"?since=5m":                       {Since: 5 * time.Minute},
		"?since=24h&lane=a&job_type=noop": {Since: 24 * time.Hour, Lane: "a", JobType: "noop"},
		"?since=1h30m&job_type=no%20such": {Since: 90 * time.Minute, JobType: "no such"},
	} {
		resp, body := apitest.Call(t, s, apitest.Request{Path: "/admin/workers/stats" + query})
		if resp.StatusCode != 200 || f.stats != want || !strings.Contains(body, `"stats":[]`) {
			t.Errorf("%q: %d %s, asked for %+v", query, resp.StatusCode, body, f.stats)
		}
	}
	for _, filter := range []string{"lane=a%00b", "job_type=a%00b", "lane=%FF%FE", "job_type=%E2%80%AEa"} {
		resp, body := apitest.Call(t, s, apitest.Request{Path: "/admin/workers/stats?" + filter})
		if name, _, _ := strings.Cut(filter, "="); !strings.HasPrefix(apitest.WantProblem(t, resp, body, 422).Detail, name+": must ") {
			t.Errorf("%s: %s", filter, body)
		}
	}
	for _, since := range []string{"59s", "24h1s", "soon", "-1h", "1d", ""} {
		resp, body := apitest.Call(t, s, apitest.Request{Path: "/admin/workers/stats?since=" + since})
		if since != "" && !strings.Contains(apitest.WantProblem(t, resp, body, 422).Detail, "must be a duration from 1m to 24h") {
			t.Errorf("%q: %s", since, body)
		}
	}
}
