package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// modelCanary is the key of the tests. Nothing shows it.
const modelCanary = "sk-canary-e2e-90210"

// newModels starts a server that speaks the APIs of models.
func newModels(t *testing.T) *llmtest.Server {
	t.Helper()
	s := llmtest.New()
	t.Cleanup(s.Close)
	return s
}

// withModels are the settings of a server whose documents a model reads.
func withModels(s *llmtest.Server, settings map[string]string) map[string]string {
	all := map[string]string{"KG_EXTRACTOR": "openai", "KG_OPENAI_BASE_URL": s.URL + "/v1", "OPENAI_API_KEY": modelCanary, "KG_EXTRACTION_MODEL": "gpt-4.1-mini"}
	maps.Copy(all, settings)
	return all
}

// submitDocument submits a document of some chunks.
func submitDocument(t *testing.T, s *testServer, name string, chunks int) string {
	t.Helper()
	return submitDocumentIn(t, s, work.ModeSerial, name, chunks)
}

// submitDocumentIn is submitDocument in a processing mode.
func submitDocumentIn(t *testing.T, s *testServer, mode, name string, chunks int) string {
	t.Helper()
	var text strings.Builder
	for i := range chunks * 100 {
		fmt.Fprintf(&text, "%s%d wrote to Babbage about %s%d.\n", name, i%40, name, i%30)
	}
	target, overlap := 500, 0
	submitted, err := s.client.Documents.Submit(t.Context(), client.Document{
		Body: []byte(text.String()), Filename: name + ".txt", Ontology: "o", AutoApprove: true, ProcessingMode: mode, Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
	})
	check(t, err)
	return submitted.JobID
}

// TestModels has a model read documents: during an outage they wait and no slot is taken,
// afterwards they go on, and the key is nowhere.
func TestModels(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	var down atomic.Bool
	down.Store(true)
	modelAPI.Answer = func(c llmtest.Call) llmtest.Reply {
		if down.Load() {
			return llmtest.Reply{Status: 429, RetryAfter: "12", Error: "rate limited, key " + modelCanary}
		}
		return llmtest.Reply{Text: llmtest.Read(c.Passage())}
	}
	s := startServer(t, withModels(modelAPI, nil))
	id := submitDocument(t, s, "Lovelace", 3)
	awaitThat(t, "the job waits for the provider", func() bool {
		job, err := s.client.Jobs.Get(t.Context(), id)
		check(t, err)
		return job.Status == work.StatusApproved && job.Attempt == 0 && job.Error != nil && strings.Contains(*job.Error, "waits for openai: openai limits our calls (429)")
	})
	status, err := s.client.Workers.Status(t.Context())
	check(t, err)
	if status.SlotsInUse != 0 {
		t.Errorf("%d slots are in use during the outage", status.SlotsInUse)
	}
	providers, err := s.client.Models.Providers(t.Context())
	check(t, err)
	if p := providers[0]; p.Name != "openai" || p.ThrottledUntil == nil || p.InFlight != 0 || p.Extraction != "gpt-4.1-mini" || p.Images != "gpt-4.1-mini" {
		t.Errorf("the provider is %+v", p)
	}
	down.Store(false)
	checks, err := s.client.Models.CheckProviders(t.Context())
	check(t, err)
	if len(checks) != 2 || !checks[0].OK || !checks[1].OK || checks[1].Purpose != models.ForImage || checks[1].Model != "gpt-4.1-mini" {
		t.Errorf("checked %+v", checks)
	}
	hurry(t, s, id)
	job := awaitEnd(t, s, id)
	if job.Status != work.StatusCompleted || job.Attempt != 1 || job.Retries != 0 {
		t.Errorf("the job is %s after %d attempts and %d retries", job.Status, job.Attempt, job.Retries)
	}
	var result struct {
		Cost struct {
			Total   float64 `json:"total_usd"`
			Calls   int     `json:"model_calls"`
			Seconds float64 `json:"model_seconds"`
		} `json:"cost"`
	}
	check(t, json.Unmarshal(job.Result, &result))
	if c := result.Cost; c.Calls < 4 || c.Total <= 0 || c.Seconds <= 0 { // one call was refused
		t.Errorf("the job cost %+v", c)
	}
	if a := job.Analysis; a == nil || a.Cost.Extraction.TextTokens == 0 || a.Cost.Extraction.TokensLow == 0 || a.Preview != nil {
		t.Errorf("the analysis says %+v", a)
	}
	wantAnswer(t, s, modelAPI)
	config, err := s.client.Models.ExtractionConfig(t.Context())
	check(t, err)
	if config.Provider != "openai" || config.Model != "gpt-4.1-mini" || config.Local {
		t.Errorf("the configuration is %+v", config)
	}
	noCanary(t, s)
}

// wantAnswer has the model answer a question from the document.
func wantAnswer(t *testing.T, s *testServer, models *llmtest.Server) {
	t.Helper()
	before := models.Answer
	defer func() { models.Answer = before }()
	models.Answer = func(llmtest.Call) llmtest.Reply {
		return llmtest.Reply{Text: "Lovelace wrote to Babbage [1]. He never answered. It was about Lovelace2 [1][2]."}
	}
	var offer *questions.AnswerOffer
	var sentences []string
	var end *questions.AnswerEnd
	for part, err := range s.client.Graph.Answer(t.Context(), questions.Question{Text: "Who wrote to Babbage?", Limit: 2}) {
		check(t, err)
		switch {
		case part.Offer != nil:
			offer = part.Offer
		case part.Sentence != nil:
			sentences = append(sentences, part.Sentence.Text)
		case part.End != nil:
			end = part.End
		}
	}
	if offer == nil || offer.CostAtMost <= 0 || len(sentences) != 2 || sentences[0] != "Lovelace wrote to Babbage." || end == nil || end.Dropped != 1 || end.Cost <= 0 || end.Cost > offer.CostAtMost {
		t.Errorf("offered %+v, told %q, ended %+v", offer, sentences, end)
	}
}

// noCanary searches the key in the log, the metrics and every row.
func noCanary(t *testing.T, s *testServer) {
	t.Helper()
	if strings.Contains(s.logs.String(), modelCanary) {
		t.Error("the key is in the log")
	}
	resp, err := http.Get(s.url + "/metrics")
	check(t, err)
	body, err := io.ReadAll(resp.Body)
	check(t, err)
	resp.Body.Close()
	if strings.Contains(string(body), modelCanary) {
		t.Error("the key is in the metrics")
	}
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'kg_api' AND c.relkind = 'r'`)
	check(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	for _, table := range tables {
		var found int
		check(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM kg_api.`+pgx.Identifier{table}.Sanitize()+` r WHERE r::text LIKE '%'||$1||'%'`, modelCanary).Scan(&found))
		if found > 0 {
			t.Errorf("the key is in %d rows of %s", found, table)
		}
	}
	if len(tables) < 10 {
		t.Errorf("only %d tables were searched", len(tables))
	}
}

// TestModelLimitsOfTwoServers has two servers share the limit of a provider.
func TestModelLimitsOfTwoServers(t *testing.T) {
	t.Parallel()
	models := newModels(t)
	var chats atomic.Int64
	reached := make(chan struct{})
	models.Answer = func(c llmtest.Call) llmtest.Reply { // none is answered until the limit is reached, and a call too many has time to come
		if chats.Add(1) == 3 {
			close(reached)
		}
		select {
		case <-reached:
		case <-t.Context().Done():
		}
		return llmtest.Reply{Text: llmtest.Read(c.Passage()), Wait: 100 * time.Millisecond}
	}
	first := startServer(t, withModels(models, map[string]string{"KG_OPENAI_CALLS": "3"}))
	second := startServer(t, withModels(models, map[string]string{"KG_OPENAI_CALLS": "3", "DATABASE_URL": first.dsn}))
	_, err := first.client.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: new(6)})
	check(t, err)
	var ids []string
	for i := range 6 {
		ids = append(ids, submitDocument(t, []*testServer{first, second}[i%2], fmt.Sprintf("Person%c", 'A'+i), 4))
	}
	for _, id := range ids {
		if job := awaitEnd(t, first, id); job.Status != work.StatusCompleted {
			t.Errorf("the job is %s", job.Status)
		}
	}
	if models.Most() != 3 {
		t.Errorf("%d calls ran at once, the limit is 3", models.Most())
	}
}

// TestOllamaEmbedsOneAtATime has two servers embed several documents with a model of Ollama:
// one request at a time reaches it.
func TestOllamaEmbedsOneAtATime(t *testing.T) {
	t.Parallel()
	models := newModels(t)
	var running, most, calls atomic.Int64
	models.EmbedAnswer = func(llmtest.Call) llmtest.Reply {
		now := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		calls.Add(1)
		time.Sleep(10 * time.Millisecond) // what another one would overlap with
		return llmtest.Reply{}
	}
	settings := map[string]string{"KG_EMBEDDER": "ollama", "KG_OLLAMA_URL": models.URL, "KG_EMBEDDING_MODEL": "e"}
	first := startServer(t, settings)
	second := startServer(t, withDatabase(settings, first.dsn))
	_, err := first.client.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: new(4)})
	check(t, err)
	var ids []string
	for i := range 4 {
		ids = append(ids, submitDocument(t, []*testServer{first, second}[i%2], fmt.Sprintf("Person%c", 'A'+i), 1))
	}
	for _, id := range ids {
		if job := awaitEnd(t, first, id); job.Status != work.StatusCompleted {
			t.Errorf("the job is %s", job.Status)
		}
	}
	if most.Load() != 1 || calls.Load() < int64(len(ids)) {
		t.Errorf("of %d requests for embeddings, %d ran at once", calls.Load(), most.Load())
	}
}

// withDatabase are settings of a server in the database of another one.
func withDatabase(settings map[string]string, dsn string) map[string]string {
	all := maps.Clone(settings)
	all["DATABASE_URL"] = dsn
	return all
}

// TestReembed changes the model that embeds the graph.
func TestReembed(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	s := startServer(t, nil)
	if job := awaitEnd(t, s, submitDocument(t, s, "Lovelace", 2)); job.Status != work.StatusCompleted {
		t.Fatalf("the job is %s", job.Status)
	}
	again := submitDocument(t, s, "Lovelace", 3) // other chunks of the same words
	if a := awaitEnd(t, s, again).Analysis; a == nil || a.Preview == nil || a.Preview.ConceptsMatched == 0 || a.Preview.ChunksRead == 0 || a.Cost.Total.CostHigh != 0 {
		t.Errorf("the analysis of a known text says %+v", a)
	}
	s.stop()
	s = startServer(t, map[string]string{"DATABASE_URL": s.dsn, "KG_EMBEDDER": "ollama", "KG_OLLAMA_URL": modelAPI.URL, "KG_EMBEDDING_MODEL": "e"})
	config, err := s.client.Models.EmbeddingConfig(t.Context())
	check(t, err)
	if config.Matches || config.GraphModel != "local-ngram-768" || config.GraphDimensions != 768 || config.Model != "ollama/e" {
		t.Errorf("the configuration is %+v", config)
	}
	if !strings.Contains(s.logs.String(), "the graph is embedded with another model") {
		t.Error("the log says nothing")
	}
	waiting := submitDocument(t, s, "Curie", 1)
	awaitThat(t, "the document waits", func() bool {
		job, err := s.client.Jobs.Get(t.Context(), waiting)
		check(t, err)
		return job.Error != nil && strings.Contains(*job.Error, "waits until the graph is embedded with ollama/e")
	})
	submitted, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: models.TypeReembed, AutoApprove: true})
	check(t, err)
	if job := awaitEnd(t, s, submitted.JobID); job.Status != work.StatusCompleted {
		t.Fatalf("the job is %s: %v", job.Status, job.Error)
	}
	config, err = s.client.Models.EmbeddingConfig(t.Context())
	check(t, err)
	if !config.Matches || config.GraphDimensions != 8 {
		t.Errorf("afterwards the configuration is %+v", config)
	}
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer conn.Close(t.Context())
	var old, all int
	check(t, conn.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE model <> 'ollama/e'), count(*) FROM kg_api.concept_embeddings`).Scan(&old, &all))
	if old != 0 || all == 0 {
		t.Errorf("%d of %d embeddings are of the old model", old, all)
	}
	_, err = conn.Exec(t.Context(), `UPDATE kg_api.concept_embeddings SET model = 'another'`)
	if err == nil || !strings.Contains(err.Error(), "embeddings of another model") {
		t.Errorf("embeddings were mixed: %v", err)
	}
	awaitThat(t, "a search finds a concept by meaning", func() bool {
		found, err := s.client.Graph.Search(t.Context(), questions.SearchQuery{Query: "wrote Lovelace7", Limit: 5, MinSimilarity: new(0.3)})
		check(t, err)
		return len(found.Results) > 0
	})
	hurry(t, s, waiting)
	if job := awaitEnd(t, s, waiting); job.Status != work.StatusCompleted {
		t.Errorf("the document that waited is %s", job.Status)
	}
}

// hurry has a job that waits for something be tried again now: that it waits was seen, and
// how long it would is no matter of the test.
func hurry(t *testing.T, s *testServer, id string) {
	t.Helper()
	rows(t, s.dsn, `WITH due AS (UPDATE kg_api.jobs SET run_at = now() WHERE job_id = $1 AND status = 'approved' RETURNING 1),
		open AS (UPDATE kg_api.providers SET throttled_until = NULL RETURNING 1) SELECT count(*) FROM due, open`, id)
}

// TestBudgetPausesAJob_Slow gives a job whose chunks are read at once less than it takes.
func TestBudgetPausesAJob_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	const atOnce, chunks = 3, 12
	models := newModels(t)
	var mu sync.Mutex
	asked := map[string]int{}
	models.Answer = func(c llmtest.Call) llmtest.Reply {
		mu.Lock()
		asked[c.Passage()]++
		mu.Unlock()
		return llmtest.Reply{Text: llmtest.Read(c.Passage())}
	}
	calls := func() (passages, all int) {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range asked {
			all += n
		}
		return len(asked), all
	}
	s := startServer(t, withModels(models, map[string]string{"KG_OPENAI_CALLS": strconv.Itoa(atOnce), "KG_JOB_BUDGET": "1tokens"}))
	id := submitDocumentIn(t, s, work.ModeParallel, "Lovelace", chunks)
	paused := func() (job work.Job) {
		awaitThat(t, "the job pauses", func() bool {
			var err error
			job, err = s.client.Jobs.Get(t.Context(), id)
			check(t, err)
			return job.PauseReason != nil
		})
		return job
	}
	job := paused()
	if job.Status != work.StatusAwaitingApproval || job.Error != nil || job.Budget == nil || *job.Budget.Tokens != 1 || job.Attempt != 0 ||
		!strings.Contains(*job.PauseReason, "the budget of 1 tokens is reached") {
		t.Errorf("the paused job is %+v", job)
	}
	if _, n := calls(); n < 1 || n > atOnce {
		t.Errorf("%d calls were made before the pause, want at most the %d that run at once", n, atOnce)
	}
	if _, err := s.client.Jobs.Approve(t.Context(), id); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("approving a job that would pause at once: %v", err)
	}
	if _, err := s.client.Jobs.ApproveWithBudget(t.Context(), id, "much"); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("a budget that is none: %v", err)
	}
	_, before := calls()
	_, err := s.client.Jobs.ApproveWithBudget(t.Context(), id, fmt.Sprintf("%dtokens", spentTokens(t, s, id)+1))
	check(t, err)
	awaitThat(t, "it goes on and pauses again", func() bool { _, n := calls(); return n > before && paused().PauseReason != nil })
	_, err = s.client.Jobs.ApproveWithBudget(t.Context(), id, "none")
	check(t, err)
	job = awaitEnd(t, s, id)
	if job.Status != work.StatusCompleted || job.Budget != nil || job.PauseReason != nil {
		t.Errorf("the job has ended as %+v", job)
	}
	if passages, all := calls(); all != passages {
		t.Errorf("%d passages were read in %d calls, want each one once", passages, all)
	}
}

// spentTokens returns what a job has used so far.
func spentTokens(t *testing.T, s *testServer, id string) (n int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer conn.Close(t.Context())
	check(t, conn.QueryRow(t.Context(), `SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM kg_api.model_usage WHERE job_id = $1`, id).Scan(&n))
	return n
}
