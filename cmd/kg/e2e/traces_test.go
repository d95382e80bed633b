package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	awaits "github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/otlp/otlptest"
	"github.com/kappagraph/kappa/work"
)

// findSpan waits for a span that is as wanted.
func findSpan(t *testing.T, c *otlptest.Collector, what string, wanted func(s otlptest.Span) bool) (found otlptest.Span) {
	t.Helper()
	awaits.That(t, what, func() bool {
		for _, s := range c.Spans() {
			if wanted(s) {
				found = s
				return true
			}
		}
		return false
	})
	return found
}

// of returns what wants the span of a job.
func of(operation, job, attempt string) func(otlptest.Span) bool {
	return func(s otlptest.Span) bool {
		a := s.Attributes
		return a["messaging.operation.name"] == operation && a["messaging.message.id"] == job && a["kappa.job.attempt"] == attempt
	}
}

// TestTraces runs servers and a worker that send their spans to a collector.
func TestTraces(t *testing.T) {
	t.Parallel()
	t.Run("a document", func(t *testing.T) {
		t.Parallel()
		c := otlptest.Start(t)
		s := startServer(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.GRPC, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})
		overlap, target := 0, 100
		submitted, err := s.client.Documents.Submit(t.Context(), client.Document{
			Body: []byte(strings.Repeat("Lanes claim approved jobs. PostgreSQL stores events. ", 60)), Filename: "a.txt", Ontology: "o", AutoApprove: true,
			Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
		})
		check(t, err)
		awaitJob(t, s, submitted.JobID)
		s.stop() // which sends what is left
		submit := findSpan(t, c, "the submission", of("submit", submitted.JobID, ""))
		request := findSpan(t, c, "the request", func(s otlptest.Span) bool { return s.ID == submit.Parent })
		if request.Kind != "SERVER" || request.Name != "POST /ingest" || request.Attributes["http.response.status_code"] == "" {
			t.Errorf("the request is %+v", request)
		}
		attempt := findSpan(t, c, "the attempt", of("process", submitted.JobID, "1"))
		if attempt.Parent != submit.ID || attempt.Trace != request.Trace || len(attempt.Links) != 1 || attempt.Links[0] != submit.ID || attempt.Name != "process ingestion" {
			t.Errorf("the attempt is %+v", attempt)
		}
		for _, name := range []string{"read chunk", "store chunk"} {
			chunk := findSpan(t, c, name, func(s otlptest.Span) bool {
				return s.Name == name && s.Parent == attempt.ID && s.Attributes["kappa.chunk.number"] == "2"
			})
			if name == "store chunk" {
				findSpan(t, c, "a statement that stores a chunk", func(s otlptest.Span) bool {
					return s.Parent == chunk.ID && s.Attributes["db.system.name"] == "postgresql" && s.Attributes["db.query.summary"] == s.Name
				})
			}
		}
		if !strings.Contains(s.logs.String(), "trace_id="+request.Trace) {
			t.Error("no line of the log has the id of the trace")
		}
		for _, span := range c.Spans() {
			if span.Attributes["http.route"] == "/readyz" || span.Attributes["http.route"] == "/metrics" {
				t.Errorf("a probe is recorded: %+v", span)
			}
		}
	})
	t.Run("a remote worker, and a retry", func(t *testing.T) {
		t.Parallel()
		c := otlptest.Start(t)
		variables := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "KG_WORKER_SECRET": remoteSecret, "KG_REMOTE_TYPES": "exec"}
		s := startServer(t, variables)
		job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: "exec", AutoApprove: true, MaxRetries: 3})
		check(t, err)
		startWorkerWith(t, s, remoteSecret, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL}, "--queues", "*:1", "--types", "exec", "--exec", "sh", "--", "-c",
			`test "$KG_ATTEMPT" = 2 || exit 75; read line; echo "{\"result\":{\"traceparent\":\"$TRACEPARENT\"}}"`)
		done := awaitJob(t, s, job.JobID)
		submit := findSpan(t, c, "the submission", of("submit", job.JobID, ""))
		for _, attempt := range []string{"1", "2"} {
			span := findSpan(t, c, "attempt "+attempt, of("process", job.JobID, attempt))
			if span.Resource["service.name"] != "kappa-worker" || span.Trace != submit.Trace || span.Parent != submit.ID || len(span.Links) != 1 || span.Failed != (attempt == "1") {
				t.Errorf("attempt %s is %+v", attempt, span)
			}
			if attempt == "2" {
				var result struct{ Traceparent string }
				check(t, json.Unmarshal(done.Result, &result))
				if result.Traceparent != "00-"+span.Trace+"-"+span.ID+"-01" {
					t.Errorf("the program was given %q by %+v", result.Traceparent, span)
				}
			}
		}
	})
	t.Run("a collector that is down", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "200"})
		for range 3 {
			job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: "noop", AutoApprove: true})
			check(t, err)
			awaitJob(t, s, job.JobID)
		}
		s.stop()
		if n := strings.Count(s.logs.String(), "traces do not arrive"); n != 1 {
			t.Errorf("it was said %d times", n)
		}
	})
	t.Run("off", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, nil)
		job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: "noop", AutoApprove: true})
		check(t, err)
		awaitJob(t, s, job.JobID)
		if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE traceparent IS NOT NULL"); n != 0 {
			t.Errorf("%d jobs have a traceparent", n)
		}
		if strings.Contains(s.logs.String(), "trace_id") {
			t.Error("the log names a trace")
		}
	})
	t.Run("the trace of the caller", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": otlptest.Start(t).URL})
		const caller = "4bf92f3577b34da6a3ce929d0e0e4736"
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/jobs", strings.NewReader(`{"job_type":"noop","auto_approve":true}`))
		check(t, err)
		req.Header.Set("Authorization", "Bearer "+s.token(t))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Traceparent", "00-"+caller+"-00f067aa0ba902b7-00")
		resp, err := http.DefaultClient.Do(req)
		check(t, err)
		resp.Body.Close()
		// What is not sampled says so to whoever works on the job.
		if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE traceparent LIKE '00-"+caller+"-%-00'"); n != 1 {
			t.Errorf("%d jobs are part of the caller's trace, after an answer of %s", n, resp.Status)
		}
	})
}

// awaitJob waits until a job is completed.
func awaitJob(t *testing.T, s *testServer, id string) work.Job {
	t.Helper()
	return await(t, s.client, id, work.StatusCompleted)
}
