package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// TestChunkKilled_Slow kills servers around the transactions of chunks: one when the first
// chunk is stored and the second one is being read, the next one at a point before, inside
// or after a chunk's transaction. A third one ends the document. The graph is that of a
// server that nothing happened to, and no chunk that was stored is read by the model again.
func TestChunkKilled_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	program, err := kgProgram()
	check(t, err)
	want, _ := killedAt(t, newPointLab(t, program), "")
	if want.chunks < 3 || want.concepts == 0 || want.edges == 0 || want.doubles > 0 {
		t.Fatalf("the graph of one that is left alone has %+v", want)
	}
	var group sync.WaitGroup
	defer group.Wait()
	room := make(chan struct{}, 4)
	for _, point := range []string{
		"before SourceReading", "after SourceReading", // before the model is asked
		"before ModelCallStart", "after ModelCallEnd", // it has answered, and nothing is stored
		"before SourceUpsert", "after SourceUpsert", "after InstanceInsert", "after EvidenceInsert", "before JobCheckpoint", "after JobCheckpoint",
		"before SourcesOutdated", "before JobFinish", // every chunk is stored
	} {
		group.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			t.Run(point, func(t *testing.T) {
				if got, lost := killedAt(t, newPointLab(t, program), point); got != want || lost > 2 {
					t.Errorf("the graph has %+v, want %+v; %d answers were paid for and lost, want 2 at most", got, want, lost)
				}
			})
		})
	}
}

// killedGraph is what is in the graph, and what the job says of it.
type killedGraph struct {
	chunks, concepts, quotes, edges, evidence int
	doubles                                   int // quotes of one place that count twice
	result                                    string
}

// killedAt ingests a document while servers die, the second one at a point; at "" none
// does. It returns what became of the graph, and how many answers of the model were lost.
func killedAt(t *testing.T, l *pointLab, point string) (g killedGraph, lost int) {
	t.Helper()
	models := newModels(t)
	var mu sync.Mutex
	calls := map[string]int{} // by the text of the chunk
	var first *pointServer
	begun := make(chan struct{}) // closed when first is known
	models.Answer = func(c llmtest.Call) llmtest.Reply {
		mu.Lock()
		calls[strings.TrimSpace(c.Passage())]++
		all := 0
		for _, n := range calls {
			all += n
		}
		mu.Unlock()
		if all == 2 && point != "" {
			<-begun
			first.kill()
		}
		return llmtest.Reply{Text: llmtest.Read(c.Passage())}
	}
	settings := []string{"KG_EXTRACTOR=openai", "KG_OPENAI_BASE_URL=" + models.URL + "/v1", "OPENAI_API_KEY=k", "KG_EXTRACTION_MODEL=gpt-4.1-mini"}
	first = l.start("", settings...)
	close(begun)
	var text strings.Builder
	for i := range 160 {
		fmt.Fprintf(&text, "Lovelace%c%c wrote to Babbage about Engine%c.\n", 'a'+i/26, 'a'+i%26, 'a'+i%17)
	}
	target, overlap := 300, 60
	submitted, err := login(t, first.url).Documents.Submit(t.Context(), client.Document{
		Body: []byte(text.String()), Filename: "letters.txt", Ontology: "o", AutoApprove: true, Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
	})
	check(t, err)
	paid := map[string]int{} // calls for chunks that were stored when a server died
	if point != "" {
		<-first.exited
		l.settled()
		l.storedCalls(paid, calls, &mu)
		if len(paid) != 1 {
			t.Errorf("%d chunks were stored when the first server died, want 1", len(paid))
		}
		second := l.start(point+"=exit#1", settings...)
		if code := second.exitCode(); code != failpointExit {
			t.Fatalf("the server ended with %d:\n%s", code, second.log())
		}
		l.settled()
		l.storedCalls(paid, calls, &mu)
		l.start("", settings...)
	}
	job := l.ended(submitted.JobID)
	if job.Status != work.StatusCompleted {
		t.Fatalf("the job is %s: %s", job.Status, deref(job.Error))
	}
	mu.Lock()
	defer mu.Unlock()
	for chunk, n := range paid {
		if calls[chunk] != n {
			t.Errorf("a chunk was stored after %d calls of the model, and read again: %d calls; it begins with %.40q", n, calls[chunk], chunk)
		}
	}
	for _, n := range calls {
		lost += n - 1
	}
	count := func(sql string) int { return rows(t, l.dsn, sql) }
	var result struct {
		Stats json.RawMessage `json:"stats"`
	}
	check(t, json.Unmarshal(job.Result, &result))
	return killedGraph{
		chunks: count("SELECT count(*) FROM kg_api.sources"), concepts: count("SELECT count(*) FROM kg_api.concepts"),
		quotes: count("SELECT count(*) FROM kg_api.instances"), edges: count("SELECT count(*) FROM kg_api.edges"),
		evidence: count("SELECT count(*) FROM kg_api.edge_evidence"),
		doubles:  count("SELECT count(*) - count(DISTINCT (concept, start_byte, end_byte)) FROM kg_api.instances"),
		result:   string(result.Stats),
	}, lost
}

// storedCalls records how often the model was asked for each chunk that is stored.
func (l *pointLab) storedCalls(paid, calls map[string]int, mu *sync.Mutex) {
	l.t.Helper()
	conn, err := pgx.Connect(l.t.Context(), l.dsn)
	check(l.t, err)
	defer conn.Close(l.t.Context())
	found, err := conn.Query(l.t.Context(), "SELECT full_text FROM kg_api.sources")
	check(l.t, err)
	texts, err := pgx.CollectRows(found, pgx.RowTo[string])
	check(l.t, err)
	mu.Lock()
	defer mu.Unlock()
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if calls[text] == 0 {
			l.t.Errorf("a chunk is stored that the model was never asked for: %.40q", text)
		}
		if paid[text] == 0 {
			paid[text] = calls[text]
		}
	}
}
