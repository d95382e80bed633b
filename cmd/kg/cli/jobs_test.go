package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestJobsApproveAndCancel(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /jobs/job_1/approve", `{"job_id":"job_1","status":"approved","message":"Job approved"}`)
	f.refuse("POST /jobs/job_2/approve", 409, "Job not awaiting approval (status: completed)")
	f.refuse("POST /jobs/job_3/approve", 404, "Job not found: job_3")
	f.answer("DELETE /jobs/job_1", `{"job_id":"job_1","cancelled":true,"message":"Job cancelled successfully"}`)
	c := f.console(t)
	t.Run("one that refuses does not keep the others", func(t *testing.T) {
		c.run(t.Context(), "jobs", "approve", "job_2", "job_1", "job_3")
		if c.code != exit.Failed || c.out != "job_1  Job approved\n" ||
			c.err != "kg: approve job_2: Job not awaiting approval (status: completed)\napprove job_3: Job not found: job_3\n" {
			t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
		}
	})
	t.Run("an unknown job alone", func(t *testing.T) {
		if c.run(t.Context(), "jobs", "approve", "job_3"); c.code != exit.NotFound {
			t.Errorf("code %d", c.code)
		}
	})
	t.Run("the alias, as json", func(t *testing.T) {
		c.run(t.Context(), "job", "cancel", "job_1", "-o", "jsonl")
		if c.code != exit.OK || c.out != `{"job_id":"job_1","cancelled":true,"message":"Job cancelled successfully"}`+"\n" {
			t.Errorf("code %d, stdout %q", c.code, c.out)
		}
	})
}

func TestJobStatus(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /jobs/job_1", `{"job_id":"job_1","job_type":"ingestion","status":"awaiting_approval","username":"admin","filename":"notes.md","ontology":"demo",
		"created_at":"2026-01-31T08:00:00.123Z","analysis":{"file_stats":{"size_human":"1.5 KB","word_count":1234,"estimated_chunks":2},
		"cost_estimate":{"extraction":{"model":"gpt"},"total":{"cost_low":0.01,"cost_high":0.03}},"warnings":["Very small file - may produce minimal concepts"]}}`)
	f.answer("GET /jobs/job_2", `{"job_id":"job_2","job_type":"ingestion","status":"completed","created_at":"2026-01-31T08:00:00.123Z",
		"result":{"chunks_processed":3,"stats":{"concepts_created":10,"concepts_linked":4,"relationships_created":1}}}`)
	f.answer("GET /jobs/job_3", `{"job_id":"job_3","job_type":"noop","status":"completed","created_at":"2026-01-31T08:00:00.123Z","result":{"slept":1}}`)
	f.answer("GET /jobs/job_4", `{"job_id":"job_4","job_type":"noop","status":"approved","created_at":"2026-01-31T08:00:00.123Z","run_at":"2099-01-01T00:00:00.000Z"}`)
	f.answer("GET /jobs/job_5", `{"job_id":"job_5","job_type":"noop","status":"approved","created_at":"2026-01-31T08:00:00.123Z","run_at":"2026-01-31T09:00:00.000Z"}`)
	f.answer("GET /jobs/job_6", `{"job_id":"job_6","job_type":"noop","status":"approved","created_at":"2026-01-31T08:00:00.123Z","queue_position":7}`)
	f.answer("GET /jobs/job_7", `{"job_id":"job_7","job_type":"extract_chunk","status":"approved","parent_id":"job_6","created_at":"2026-01-31T08:00:00.123Z"}`)
	f.answer("GET /jobs", `[{"job_id":"job_7","status":"completed"},{"job_id":"job_8","status":"approved"},{"job_id":"job_9","status":"completed"}]`)
	c := f.console(t)
	for id, says := range map[string][]string{
		"job_7": {"Part of       job_6"},
		"job_4": {"approved, waits until 20", "(in "},
		"job_5": {"approved, waits for its turn\n"},
		"job_6": {"approved, number 7 in the queue\n", "Parts: 3 jobs (1 approved, 2 completed). List them with: kg jobs list --parent job_6\n"},
		"job_1": {"Job           job_1", "Owner         admin", "1.5 KB, 1,234 words, about 2 chunks", "$0.01–$0.03 with gpt", "Very small file", "Approve with: kg jobs approve job_1"},
		"job_2": {"3 chunks, 10 new concepts, 4 known, 1 relationship"},
		"job_3": {`Result        {"slept":1}`},
	} {
		c.run(t.Context(), "jobs", "status", id)
		for _, want := range says {
			if !strings.Contains(c.out, want) {
				t.Errorf("%s does not say %q:\n%s", id, want, c.out)
			}
		}
	}
}

func TestJobsListFilters(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /jobs", `[]`)
	f.console(t).run(t.Context(), "jobs", "list", "--status", "running", "--ontology", "a b", "--type", "noop", "--limit", "7")
	if len(f.requests) != 1 || f.requests[0] != "GET /jobs?job_type=noop&limit=7&ontology=a+b&status=processing" {
		t.Errorf("asked %q", f.requests)
	}
}

func TestJobsWatch(t *testing.T) {
	f := newFakeAPI(t)
	f.stream("job_1", told1Snapshot, toldStart, toldHalf, toldCompleted)
	f.answer("GET /jobs/job_1", `{"job_id":"job_1","status":"completed","filename":"one.md"}`)
	f.stream("job_2", toldCancelled)
	f.answer("GET /jobs/job_2", `{"job_id":"job_2","status":"cancelled"}`)
	f.stream("job_3", toldFailed)
	f.answer("GET /jobs/job_3", `{"job_id":"job_3","status":"failed"}`)
	f.refuse("GET /jobs/job_4", 404, "Job not found: job_4")
	f.refuse("GET /jobs/job_5/stream", 403, "Not authorized to view this job")
	f.answer("GET /jobs/job_5", `{"job_id":"job_5","status":"processing"}`)
	c := f.console(t)
	for _, tt := range []struct {
		name, line string
		code       int
		says       string
	}{
		{"completed", "jobs watch job_1", exit.OK, ""},
		{"a job twice is one", "jobs watch job_1 job_1", exit.OK, ""},
		{"one cancelled", "jobs watch job_1 job_2", exit.JobCancelled, "job job_2 was cancelled"},
		{"a failed one counts more than a cancelled one", "jobs watch job_2 job_1 job_3", exit.JobFailed, "job job_3 failed: the extractor broke"},
		{"an unknown one", "jobs watch job_1 job_4", exit.NotFound, "watch job_4: Job not found"},
		{"one that may not be watched", "jobs watch job_5", exit.NotAllowed, "watch job_5: Not authorized"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if c.run(t.Context(), strings.Fields(tt.line)...); c.code != tt.code || !strings.Contains(c.err, tt.says) {
				t.Errorf("code %d, want %d; stderr %s", c.code, tt.code, c.err)
			}
		})
	}
	t.Run("jsonl is the events, and nothing else is on standard output", func(t *testing.T) {
		c.run(t.Context(), "jobs", "watch", "job_1", "-o", "jsonl")
		want := `{"job_id":"job_1","seq":1,"event":"snapshot","data":{"job_id":"job_1","status":"approved"}}
{"job_id":"job_1","seq":2,"event":"status","data":{"job_id":"job_1","status":"processing"}}
{"job_id":"job_1","seq":3,"event":"progress","data":{"percent":50,"chunks_total":4,"chunks_processed":2,"concepts_created":7}}
{"job_id":"job_1","seq":4,"event":"completed","data":{"status":"completed"}}
`
		if c.out != want || !strings.Contains(c.err, "one.md: completed") {
			t.Errorf("stdout %s\nstderr %s", c.out, c.err)
		}
	})
}
