package http

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestJobs(t *testing.T) {
	with := func(status kappa.Status) (*Server, *backend) {
		b := newBackend()
		b.jobs[knownJob] = job(status)
		return newTestServer(t, testConfig(b)), b
	}
	t.Run("a list without jobs is empty, not null", func(t *testing.T) {
		s, _ := with(kappa.StatusPending)
		if _, body := call(t, s, request{method: "GET", path: "/jobs?status=running&limit=500"}); strings.TrimSpace(body) != "[]" {
			t.Error(body)
		}
	})
	t.Run("every key is present", func(t *testing.T) {
		s, _ := with(kappa.StatusPending)
		_, body := call(t, s, request{method: "GET", path: "/jobs/" + knownJob})
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
		for _, contentType := range []string{"", URLEncodedType, "application/json"} {
			s, b := with(kappa.StatusAwaitingApproval)
			resp, body := call(t, s, request{method: "POST", path: "/jobs/" + knownJob + "/approve", contentType: contentType})
			if resp.StatusCode != 200 || !strings.Contains(body, `"status":"approved"`) || b.by != "admin" {
				t.Errorf("%d %s by %q", resp.StatusCode, body, b.by)
			}
		}
	})
	t.Run("approving twice is a conflict", func(t *testing.T) {
		s, _ := with(kappa.StatusApproved)
		resp, body := call(t, s, request{method: "POST", path: "/jobs/" + knownJob + "/approve"})
		if p := wantProblem(t, resp, body, 409); p.Detail != "Job not awaiting approval (status: approved)" {
			t.Errorf("detail %q", p.Detail)
		}
	})
	t.Run("cancelling says whether the job is still to stop", func(t *testing.T) {
		for status, message := range map[kappa.Status]string{
			kappa.StatusPending:    "Job cancelled successfully",
			kappa.StatusProcessing: "Cancellation requested. The job stops at its next yield point.",
		} {
			s, _ := with(status)
			_, body := call(t, s, request{method: "DELETE", path: "/jobs/" + knownJob + "?purge=false"})
			want := `{"job_id":"` + knownJob + `","cancelled":true,"message":"` + message + `"}`
			if strings.TrimSpace(body) != want {
				t.Errorf("%s, want %s", body, want)
			}
		}
	})
	t.Run("cancelling a finished job is a conflict", func(t *testing.T) {
		s, _ := with(kappa.StatusCompleted)
		resp, body := call(t, s, request{method: "DELETE", path: "/jobs/" + knownJob})
		if p := wantProblem(t, resp, body, 409); p.Detail != "Cannot cancel job in status: completed" {
			t.Errorf("detail %q", p.Detail)
		}
	})
}

func TestSubmitJob(t *testing.T) {
	t.Run("what is absent, empty or null takes its default", func(t *testing.T) {
		for _, body := range []string{`{"job_type":"noop"}`, `{"job_type":"noop","queue":"","data":null,"run_at":null,"max_retries":null}`} {
			b := newBackend()
			resp, answer := call(t, newTestServer(t, testConfig(b)), request{method: "POST", path: "/jobs", body: body})
			if resp.StatusCode != 200 || len(b.newJobs) != 1 {
				t.Fatalf("%d %s", resp.StatusCode, answer)
			}
			j := b.newJobs[0]
			if j.Queue != "default" || j.Priority != 0 || j.Data != nil || j.RunAt != nil || j.MaxRetries != 3 || j.AutoApprove || j.UserID != kappa.AdminUserID {
				t.Errorf("job %+v", j)
			}
			if !strings.Contains(answer, `"status":"awaiting_approval"`) {
				t.Error(answer)
			}
		}
	})
	t.Run("the key of a submission arrives, and none is fine", func(t *testing.T) {
		b := newBackend()
		h := newTestServer(t, testConfig(b))
		for _, header := range []map[string]string{{"Idempotency-Key": "k-1"}, {"idempotency-key": "k-2"}, nil, {"Idempotency-Key": ""}} {
			if resp, answer := call(t, h, request{method: "POST", path: "/jobs", body: `{"job_type":"noop"}`, header: header}); resp.StatusCode != 200 {
				t.Errorf("%v: %d %s", header, resp.StatusCode, answer)
			}
		}
		if got := b.newJobs[0].Key + b.newJobs[1].Key + b.newJobs[2].Key + b.newJobs[3].Key; got != "k-1k-2" {
			t.Errorf("the keys are %s", got)
		}
	})
	t.Run("what is given arrives", func(t *testing.T) {
		b := newBackend()
		_, answer := call(t, newTestServer(t, testConfig(b)), request{method: "POST", path: "/jobs", body: `{"job_type":"sleep","queue":"q",
			"priority":-5,"data":{"ms":500},"run_at":"2026-01-31T09:00:00+01:00","auto_approve":true,"max_retries":0}`})
		j := b.newJobs[0]
		if j.Type != "sleep" || j.Queue != "q" || j.Priority != -5 || string(j.Data) != `{"ms":500}` || j.MaxRetries != 0 || !j.AutoApprove ||
			j.RunAt.String() != "2026-01-31T08:00:00.000Z" {
			t.Errorf("job %+v", j)
		}
		if !strings.Contains(answer, `"status":"approved"`) {
			t.Error(answer)
		}
	})
}
