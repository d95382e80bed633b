package jobs

import (
	"encoding/json"
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestJobs(t *testing.T) {
	with := func(status work.Status) (*http.Server, *fake) {
		f := newFake(status)
		return newServer(t, f), f
	}
	t.Run("a list without jobs is empty, not null", func(t *testing.T) {
		s, _ := with(work.StatusPending)
		if _, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/jobs?status=running&limit=500"}); strings.TrimSpace(body) != "[]" {
			t.Error(body)
		}
	})
	t.Run("every key is present", func(t *testing.T) {
		s, _ := with(work.StatusPending)
		_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/jobs/" + apitest.KnownJob})
		for _, key := range []string{
			`"progress":null`, `"result":null`, `"error":null`, `"analysis":null`, `"approved_by":null`, `"queue_position":null`,
			`"created_at":"2026-01-31T08:00:00.123Z"`, `"started_at":null`, `"cancel_requested":false`, `"lane":null`,
		} {
			if !strings.Contains(body, key) {
				t.Errorf("%s lacks %s", body, key)
			}
		}
	})
	t.Run("approving takes an empty body of any kind", func(t *testing.T) {
		for _, contentType := range []string{"", http.URLEncodedType, "application/json"} {
			s, b := with(work.StatusAwaitingApproval)
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/approve", ContentType: contentType})
			if resp.StatusCode != 200 || !strings.Contains(body, `"status":"approved"`) || b.by != "admin" {
				t.Errorf("%d %s by %q", resp.StatusCode, body, b.by)
			}
		}
	})
	t.Run("approving twice is a conflict", func(t *testing.T) {
		s, _ := with(work.StatusApproved)
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/approve"})
		if p := apitest.WantProblem(t, resp, body, 409); p.Detail != "Job not awaiting approval (status: approved)" {
			t.Errorf("detail %q", p.Detail)
		}
	})
	t.Run("cancelling says whether the job is still to stop", func(t *testing.T) {
		for status, message := range map[work.Status]string{
			work.StatusPending:    "Job cancelled successfully",
			work.StatusProcessing: "Cancellation requested. The job stops at its next yield point.",
		} {
			s, _ := with(status)
			_, body := apitest.Call(t, s, apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob + "?purge=false"})
			want := `{"job_id":"` + apitest.KnownJob + `","cancelled":true,"message":"` + message + `"}`
			if strings.TrimSpace(body) != want {
				t.Errorf("%s, want %s", body, want)
			}
		}
	})
	t.Run("cancelling a finished job is a conflict", func(t *testing.T) {
		s, _ := with(work.StatusCompleted)
		resp, body := apitest.Call(t, s, apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob})
		if p := apitest.WantProblem(t, resp, body, 409); p.Detail != "Cannot cancel job in status: completed" {
			t.Errorf("detail %q", p.Detail)
		}
	})
}

func TestSubmitJob(t *testing.T) {
	t.Run("what is absent, empty or null takes its default", func(t *testing.T) {
		for _, body := range []string{`{"job_type":"noop"}`, `{"job_type":"noop","queue":"","data":null,"run_at":null,"max_retries":null}`} {
			b := newFake(work.StatusPending)
			resp, answer := apitest.Call(t, newServer(t, b), apitest.Request{Method: "POST", Path: "/jobs", Body: body})
			if resp.StatusCode != 200 || len(b.added) != 1 {
				t.Fatalf("%d %s", resp.StatusCode, answer)
			}
			j := b.added[0]
			if j.Queue != "default" || j.Priority != 0 || j.Data != nil || j.RunAt != nil || j.MaxRetries != 3 || j.RetriesAsked || j.AutoApprove || j.UserID != access.AdminUserID {
				t.Errorf("job %+v", j)
			}
			if !strings.Contains(answer, `"status":"awaiting_approval"`) {
				t.Error(answer)
			}
		}
	})
	t.Run("the key of a submission arrives, and none is fine", func(t *testing.T) {
		b := newFake(work.StatusPending)
		h := newServer(t, b)
		for _, header := range []map[string]string{{"Idempotency-Key": "k-1"}, {"idempotency-key": "k-2"}, nil, {"Idempotency-Key": ""}} {
			if resp, answer := apitest.Call(t, h, apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"noop"}`, Header: header}); resp.StatusCode != 200 {
				t.Errorf("%v: %d %s", header, resp.StatusCode, answer)
			}
		}
		if got := b.added[0].Key + b.added[1].Key + b.added[2].Key + b.added[3].Key; got != "k-1k-2" {
			t.Errorf("the keys are %s", got)
		}
	})
	t.Run("a submission that names no priority has that of its type", func(t *testing.T) {
		for body, want := range map[string]int{`{"job_type":"once"}`: 7, `{"job_type":"once","priority":null}`: 7, `{"job_type":"once","priority":0}`: 0, `{"job_type":"noop"}`: 0} {
			b := newFake(work.StatusPending)
			apitest.Call(t, newServer(t, b), apitest.Request{Method: "POST", Path: "/jobs", Body: body})
			if len(b.added) != 1 || b.added[0].Priority != want {
				t.Errorf("%s: submitted %+v, want the priority %d", body, b.added, want)
			}
		}
	})
	t.Run("what is given arrives", func(t *testing.T) {
		b := newFake(work.StatusPending)
		_, answer := apitest.Call(t, newServer(t, b), apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"sleep","queue":"q",
			"priority":-5,"data":{"ms":500},"run_at":"2026-01-31T09:00:00+01:00","auto_approve":true,"max_retries":0}`})
		j := b.added[0]
		if j.Type != "sleep" || j.Queue != "q" || j.Priority != -5 || string(j.Data) != `{"ms":500}` || j.MaxRetries != 0 || !j.RetriesAsked || !j.AutoApprove ||
			j.RunAt.String() != "2026-01-31T08:00:00.000Z" {
			t.Errorf("job %+v", j)
		}
		if !strings.Contains(answer, `"status":"approved"`) {
			t.Error(answer)
		}
	})
}

// listed returns the jobs of a list.
func listed(t *testing.T, s *http.Server, query string) []work.Job {
	t.Helper()
	_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/jobs" + query})
	var list []work.Job
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return list
}

func TestApproveWithABudget(t *testing.T) {
	f := newFake(work.StatusAwaitingApproval)
	s := newServer(t, f)
	approve := func(query string) (*nethttp.Response, string) {
		return apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/approve" + query})
	}
	for query, want := range map[string]string{"": "", "?budget=2.50": "$2.5", "?budget=100tokens": "100 tokens", "?budget=none": "none"} {
		f.budget = nil
		if resp, body := approve(query); resp.StatusCode != 200 {
			t.Errorf("%q: %d %s", query, resp.StatusCode, body)
		}
		if got := f.budget; (got == nil) != (want == "") || got != nil && got.String() != want {
			t.Errorf("%q gives the budget %v, want %s", query, got, want)
		}
	}
	f.by = ""
	resp, body := approve("?budget=much")
	apitest.WantProblem(t, resp, body, 422)
	if f.by != "" {
		t.Error("a job was approved with a budget that is none")
	}
}
