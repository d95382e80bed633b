package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// TestWorkerIsKilledInAChunk_Slow kills a worker with -9 while a model reads chunks for it:
// another one reads them, and the graph is that of a server which nothing happened to.
// Every chunk counts once.
func TestWorkerIsKilledInAChunk_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	const answered, slots = 3, 4
	models := newModels(t)
	reading, killed := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	asked := map[string]int{} // of the killed document, by chunk
	calls, held := 0, 0
	models.Answer = func(c llmtest.Call) llmtest.Reply {
		reply := llmtest.Reply{Text: llmtest.Read(c.Passage())}
		mu.Lock()
		calls++
		asked[strings.TrimSpace(c.Passage())]++
		hold := calls > answered && held < slots
		if hold {
			held++
			if held == slots {
				close(reading)
			}
		}
		mu.Unlock()
		if hold {
			<-killed
		}
		return reply
	}
	var body strings.Builder
	for i := range 160 {
		fmt.Fprintf(&body, "Lovelace%c%c wrote to Babbage about Engine%c.\n", 'a'+i/26, 'a'+i%26, 'a'+i%17)
	}
	target, overlap := 100, 0
	submit := func(s *testServer) string {
		submitted, err := s.client.Documents.Submit(t.Context(), client.Document{
			Body: []byte(body.String()), Filename: "letters.txt", Ontology: "o", AutoApprove: true, Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
		})
		check(t, err)
		return submitted.JobID
	}
	far := startServer(t, map[string]string{"KG_WORKER_SECRET": remoteSecret, "KG_EXTRACTOR": "remote", "KG_REMOTE_TYPES": "extract_chunk"})
	args := []string{"--queues", fmt.Sprintf("*:%d", slots), "--lease", "15s", "--extractor", "openai", "--model-url", models.URL + "/v1", "--model", "gpt-4.1-mini"}
	first := startWorker(t, far, remoteSecret, args...)
	id := submit(far)
	<-reading
	first.kill()
	close(killed)
	if n := rows(t, far.dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_type = 'extract_chunk' AND status = 'processing'"); n != slots {
		t.Errorf("%d chunks were read when the worker was killed, want %d", n, slots)
	}
	second := startWorker(t, far, remoteSecret, args...)
	await(t, far.client, id, work.StatusCompleted)

	chunks := rows(t, far.dsn, "SELECT count(*) FROM kg_api.sources")
	for what, sql := range map[string]string{
		"chunks that were read":              "SELECT count(*) FROM kg_api.jobs WHERE job_type = 'extract_chunk' AND status = 'completed'",
		"jobs for chunks":                    "SELECT count(*) FROM kg_api.jobs WHERE job_type = 'extract_chunk'",
		"claims that have completed a chunk": "SELECT count(*) FROM kg_api.run_claims WHERE outcome = 'completed'",
	} {
		if n := rows(t, far.dsn, sql); n != chunks {
			t.Errorf("%d %s, of %d chunks; %s", n, what, chunks, second.text())
		}
	}
	if n := rows(t, far.dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_type = 'extract_chunk' AND attempt = 2"); n != slots {
		t.Errorf("%d chunks took two attempts, want the %d that were being read", n, slots)
	}
	mu.Lock()
	again := 0
	for _, n := range asked {
		again += n - 1
	}
	mu.Unlock()
	if again != slots {
		t.Errorf("%d answers of the model were lost, want those to %d chunks", again, slots)
	}

	here := startServer(t, withModels(models, nil))
	await(t, here.client, submit(here), work.StatusCompleted)
	got, want := graphLines(t, far.dsn), graphLines(t, here.dsn)
	t.Logf("%d chunks, and %d concepts, quotes and relationships", chunks, len(want))
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the graph has %d concepts, quotes and relationships, and %d where nobody was killed, or others", len(got), len(want))
	}
}
