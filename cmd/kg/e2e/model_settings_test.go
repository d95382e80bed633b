package e2e

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/serve"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/backup"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// otherCanary is the second key of the tests. Nothing shows it either.
const otherCanary = "sk-canary-second-77123"

// atModels are the settings of a server that reaches openai at a server of the tests, and
// says nothing of which model is used.
func atModels(s *llmtest.Server, settings map[string]string) map[string]string {
	all := map[string]string{"KG_OPENAI_BASE_URL": s.URL + "/v1"}
	maps.Copy(all, settings)
	return all
}

// keysOf returns the keys that calls came with, each once.
func keysOf(s *llmtest.Server) []string {
	var keys []string
	for _, c := range s.Calls() {
		if key := strings.TrimPrefix(c.Header.Get("Authorization"), "Bearer "); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// extraction returns what reads documents on a server.
func extraction(t *testing.T, c *client.Client) models.ExtractionConfig {
	t.Helper()
	config, err := c.Models.ExtractionConfig(t.Context())
	check(t, err)
	return config
}

// settingsPoll is how often a server reads the settings of models without a notification.
const settingsPoll = 15 * time.Second

// TestModelSettings sets model and key on one of two servers: the other one uses them as soon
// as it is notified, they survive a restart, and the key is nowhere.
func TestModelSettings(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	dsn, keyFile := newDSN(t), filepath.Join(t.TempDir(), "secrets.key")
	settings := atModels(modelAPI, map[string]string{"DATABASE_URL": dsn, "KG_SECRETS_KEY_FILE": keyFile})
	one, two := startServer(t, settings), startServer(t, settings)
	if config := extraction(t, two.client); config.Provider != "local" || config.ConfigID != 0 {
		t.Fatalf("the server begins with %+v", config)
	}

	check(t, one.client.Models.SetKey(t.Context(), "openai", modelCanary))
	set, err := one.client.Models.Set(t.Context(), models.SlotExtraction, client.NewModel{Provider: "openai", Model: "gpt-first"})
	check(t, err)
	if set.ConfigID == 0 || set.Model != "gpt-first" || extraction(t, one.client).ConfigID != set.ConfigID {
		t.Errorf("set %+v", set)
	}
	beforeThePoll(t, settingsPoll, "the model on the other server", func() bool {
		c := extraction(t, two.client)
		return c.Provider == "openai" && c.Model == "gpt-first" && c.ConfigID == set.ConfigID && c.Vision
	})
	_, err = two.client.Models.SetProvider(t.Context(), "openai", models.ProviderChange{Calls: new(3)})
	check(t, err)
	check(t, two.client.Models.SetPrice(t.Context(), models.Price{Provider: "openai", Model: "gpt-first", Input: 7, Output: 9}))
	beforeThePoll(t, settingsPoll, "limits and price on the first server", func() bool {
		c := extraction(t, one.client)
		return c.MaxCalls == 3 && c.Input == 7 && c.Output == 9
	})

	id := submitDocument(t, two, "Lovelace", 2)
	job := awaitEnd(t, two, id)
	if job.Status != work.StatusCompleted || job.Analysis.Cost.Extraction.Model != "openai/gpt-first" || job.Analysis.Cost.Extraction.CostLow < 0.005 {
		t.Errorf("the job is %s, its estimate %+v", job.Status, job.Analysis.Cost.Extraction)
	}
	if keys := keysOf(modelAPI); !slices.Equal(keys, []string{modelCanary}) {
		t.Errorf("calls came with the keys %q", keys)
	}

	one.stop()
	again := startServer(t, settings)
	if c := extraction(t, again.client); c.Model != "gpt-first" || c.ConfigID != set.ConfigID || c.MaxCalls != 3 || c.Input != 7 {
		t.Errorf("after a restart: %+v", c)
	}
	keys, err := again.client.Models.Keys(t.Context())
	check(t, err)
	for _, k := range keys {
		if k.Provider == "openai" && (!k.Configured || k.Source != "stored" || k.MaskedKey == nil || *k.MaskedKey != "…0210" && *k.MaskedKey != "…"+modelCanary[len(modelCanary)-4:]) {
			t.Errorf("the key is shown as %+v", k)
		}
	}
	wantNoKey(t, again, modelCanary, one, two)
}

// wantNoKey searches for a key in what the servers say, log, store, record and back up.
func wantNoKey(t *testing.T, s *testServer, key string, others ...*testServer) {
	t.Helper()
	var said strings.Builder
	for _, o := range append(others, s) {
		said.WriteString(o.logs.String())
	}
	bearer := s.token(t)
	for _, path := range []string{"/admin/keys", "/admin/models", "/admin/extraction/config", "/extraction/config", "/admin/embedding/configs", "/admin/vision/config", "/admin/providers", "/admin/status", "/admin/audit", "/jobs", "/metrics"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
		check(t, err)
		req.Header.Set("Authorization", "Bearer "+bearer)
		resp, err := http.DefaultClient.Do(req)
		check(t, err)
		body, err := io.ReadAll(resp.Body)
		check(t, err)
		resp.Body.Close()
		said.Write(body)
	}
	if !strings.Contains(said.String(), "key.set") {
		t.Error("the audit log does not say that a key was set")
	}
	var archive bytes.Buffer
	_, err := s.client.Backups.Download(t.Context(), "", &archive)
	check(t, err)
	lines, err := backup.Reopen(bytes.NewReader(archive.Bytes()))
	check(t, err)
	_ = lines
	said.Write(archive.Bytes())
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'kg_api' AND table_type = 'BASE TABLE'`)
	check(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	for _, table := range tables {
		var text *string
		check(t, conn.QueryRow(t.Context(), `SELECT string_agg(x::text, E'\n') FROM kg_api.`+pgx.Identifier{table}.Sanitize()+` x`).Scan(&text))
		if text != nil {
			said.WriteString(*text)
		}
	}
	if at := strings.Index(said.String(), key); at >= 0 {
		t.Errorf("the key is shown: …%s…", said.String()[max(0, at-200):at])
	}
	if at := strings.Index(said.String(), key[3:]); at >= 0 {
		t.Errorf("the key is shown without its beginning: …%s…", said.String()[max(0, at-200):at])
	}
}

// TestModelIsNotTaken sets what does not answer, breaks a rule, or is fixed: nothing changes.
func TestModelIsNotTaken(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	modelAPI.Answer = func(c llmtest.Call) llmtest.Reply {
		if key := c.Header.Get("Authorization"); key != "Bearer "+modelCanary {
			return llmtest.Reply{Status: 401, Error: "Incorrect API key provided: " + strings.TrimPrefix(key, "Bearer ")}
		}
		if c.Body["model"] == "gpt-none" {
			return llmtest.Reply{Status: 404, Error: "no such model gpt-none"}
		}
		return llmtest.Reply{Text: "yes"}
	}
	s := startServer(t, atModels(modelAPI, map[string]string{"KG_EMBEDDER": "local", "ANTHROPIC_API_KEY": otherCanary}))
	check(t, s.client.Models.SetKey(t.Context(), "openai", modelCanary))
	before, err := s.client.Models.InUse(t.Context())
	check(t, err)
	set := func(slot models.Slot, m client.NewModel) error {
		_, err := s.client.Models.Set(t.Context(), slot, m)
		return err
	}
	nowhere := "http://127.0.0.1:1"
	for name, c := range map[string]struct {
		err      error
		code     kappa.Code
		contains string
	}{
		"a model that there is not":     {set(models.SlotExtraction, client.NewModel{Provider: "openai", Model: "gpt-none"}), kappa.CodeConflict, "no such model gpt-none"},
		"a provider that is away":       {set(models.SlotExtraction, client.NewModel{Provider: "ollama"}), kappa.CodeConflict, "ollama cannot be reached"},
		"a key that is refused":         {s.client.Models.SetKey(t.Context(), "openai", otherCanary), kappa.CodeConflict, "openai refuses the key (401)"},
		"a key of two lines":            {s.client.Models.SetKey(t.Context(), "openai", otherCanary+"\nx"), kappa.CodeInvalid, "api_key: must be one line"},
		"a provider that there is not":  {set(models.SlotExtraction, client.NewModel{Provider: "gemini"}), kappa.CodeInvalid, "must be one of local, openai, anthropic, ollama"},
		"a slot that there is not":      {set("dreaming", client.NewModel{Provider: "openai"}), kappa.CodeInvalid, "must be extraction, embedding or vision"},
		"a fixed provider":              {set(models.SlotEmbedding, client.NewModel{Provider: "openai"}), kappa.CodeConflict, "is fixed by KG_EMBEDDER"},
		"a fixed address":               {second(s.client.Models.SetProvider(t.Context(), "openai", models.ProviderChange{URL: &nowhere})), kappa.CodeConflict, "is fixed by KG_OPENAI_BASE_URL"},
		"a fixed key":                   {s.client.Models.SetKey(t.Context(), "anthropic", modelCanary), kappa.CodeConflict, "is fixed by ANTHROPIC_API_KEY"},
		"a fixed key, deleted":          {s.client.Models.DeleteKey(t.Context(), "anthropic"), kappa.CodeConflict, "is fixed by ANTHROPIC_API_KEY"},
		"limits that are none":          {second(s.client.Models.SetProvider(t.Context(), "openai", models.ProviderChange{Calls: new(0)})), kappa.CodeInvalid, "max_calls: must be from 1 to 1000"},
		"a price below zero":            {s.client.Models.SetPrice(t.Context(), models.Price{Provider: "openai", Input: -1}), kappa.CodeInvalid, "from 0 to 1000000"},
		"a key sent to another address": {second(s.client.Models.Try(t.Context(), models.Trial{Slot: models.SlotExtraction, Provider: "openai", URL: nowhere})), kappa.CodeConflict, "is sent to no other address"},
		"an address that is none":       {second(s.client.Models.SetProvider(t.Context(), "ollama", models.ProviderChange{URL: new("localhost")})), kappa.CodeInvalid, "url: must be http"},
	} {
		if kappa.ErrorCode(c.err) != c.code || !strings.Contains(kappa.ErrorMessage(c.err), c.contains) {
			t.Errorf("%s: %s %v, want %s %q", name, kappa.ErrorCode(c.err), c.err, c.code, c.contains)
		}
		if c.err != nil && (strings.Contains(c.err.Error(), modelCanary) || strings.Contains(c.err.Error(), otherCanary)) {
			t.Errorf("%s: the key is shown: %v", name, c.err)
		}
	}
	after, err := s.client.Models.InUse(t.Context())
	check(t, err)
	if after.Revision != before.Revision {
		t.Errorf("the settings were changed: %+v", after)
	}
	if logs := s.logs.String(); strings.Contains(logs, otherCanary) || strings.Contains(logs, modelCanary) {
		t.Error("a key is in the log")
	}
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var calls int
	check(t, conn.QueryRow(t.Context(), `SELECT coalesce(sum(calls), 0) FROM kg_api.model_usage WHERE job_id = '' AND model LIKE 'openai/%'`).Scan(&calls))
	if calls < 3 {
		t.Errorf("%d trials of openai are counted, want 3 at least", calls)
	}
}

func second[T any](_ T, err error) error { return err }

// TestStoredKeys loses the file with the key, rotates it, and moves rows.
func TestStoredKeys(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	dsn, keyFile := newDSN(t), filepath.Join(t.TempDir(), "secrets.key")
	settings := atModels(modelAPI, map[string]string{"DATABASE_URL": dsn, "KG_SECRETS_KEY_FILE": keyFile})
	s := startServer(t, settings)
	check(t, s.client.Models.SetKey(t.Context(), "openai", modelCanary))
	_, err := s.client.Models.Set(t.Context(), models.SlotExtraction, client.NewModel{Provider: "openai"})
	check(t, err)
	mode, err := os.Stat(keyFile)
	check(t, err)
	if mode.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v", mode.Mode())
	}
	first, err := os.ReadFile(keyFile)
	check(t, err)
	n, err := s.client.Models.RotateKeys(t.Context())
	check(t, err)
	rotated, err := os.ReadFile(keyFile)
	check(t, err)
	if n != 1 || bytes.Equal(first, rotated) {
		t.Errorf("%d keys were rotated", n)
	}
	s.stop()
	s = startServer(t, settings)
	checks, err := s.client.Models.CheckProviders(t.Context())
	check(t, err)
	if len(checks) == 0 || !checks[0].OK {
		t.Errorf("after a rotation and a restart: %+v", checks)
	}
	s.stop()

	check(t, os.WriteFile(keyFile, first, 0o600)) // a wrong file
	s = startServer(t, settings)
	keys, err := s.client.Models.Keys(t.Context())
	check(t, err)
	i := slices.IndexFunc(keys, func(k models.KeyStatus) bool { return k.Provider == "openai" })
	if k := keys[i]; *k.Status != "invalid" || k.Error == nil || !strings.Contains(*k.Error, keyFile) || !strings.Contains(*k.Error, "KG_SECRETS_KEY_FILE") || !strings.Contains(*k.Error, "kg admin models keys delete openai") {
		t.Errorf("with a wrong file: %+v", k)
	}
	if err := s.client.Models.SetKey(t.Context(), "openai", modelCanary); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("a key is set beside one that cannot be read: %v", err)
	}
	if _, err := s.client.Models.RotateKeys(t.Context()); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("rotated what cannot be read: %v", err)
	}
	if _, err := s.client.Models.EmbeddingConfig(t.Context()); err != nil {
		t.Errorf("the rest of the server: %v", err)
	}
	calls := modelAPI.Chats()
	id := submitDocument(t, s, "Babbage", 1)
	awaitThat(t, "the document waits, and says why", func() bool {
		job, err := s.client.Jobs.Get(t.Context(), id)
		check(t, err)
		return job.Error != nil && strings.Contains(*job.Error, "holds another key")
	})
	if modelAPI.Chats() != calls {
		t.Error("calls were made without the key")
	}
	check(t, os.WriteFile(keyFile, rotated, 0o600)) // put back
	hurry(t, s, id)
	if job := awaitEnd(t, s, id); job.Status != work.StatusCompleted {
		t.Errorf("with the file put back the job is %s", job.Status)
	}
	check(t, s.client.Models.DeleteKey(t.Context(), "openai"))
	if keys, err = s.client.Models.Keys(t.Context()); err != nil || keys[i].Configured {
		t.Errorf("after its deletion: %+v, %v", keys[i], err)
	}
}

// TestModelChangesWhileItReads changes the model while a document is read: that is read to
// its end by the model that it began with, and the next one by the new model. The estimate of
// the next one is made for the new model.
func TestModelChangesWhileItReads(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	hold := make(chan struct{})
	var reading atomic.Int32
	modelAPI.Answer = func(c llmtest.Call) llmtest.Reply {
		if c.Passage() == "" {
			return llmtest.Reply{Text: "yes"}
		}
		if reading.Add(1) == 1 {
			<-hold
		}
		return llmtest.Reply{Text: llmtest.Read(c.Passage())}
	}
	s := startServer(t, atModels(modelAPI, nil))
	for _, m := range []string{"gpt-old"} {
		_, err := s.client.Models.Set(t.Context(), models.SlotExtraction, client.NewModel{Provider: "openai", Model: m})
		check(t, err)
	}
	first := submitDocument(t, s, "Lovelace", 4)
	awaitThat(t, "the first document is read", func() bool { return reading.Load() == 1 })
	_, err := s.client.Models.Set(t.Context(), models.SlotExtraction, client.NewModel{Provider: "openai", Model: "gpt-new"})
	check(t, err)
	close(hold)
	if job := awaitEnd(t, s, first); job.Status != work.StatusCompleted {
		t.Fatalf("the first job is %s", job.Status)
	}
	before := readBy(modelAPI)
	if len(before) != 1 || before["gpt-old"] < 4 {
		t.Errorf("the first document was read by %v", before)
	}
	job := awaitEnd(t, s, submitDocument(t, s, "Babbage", 2))
	if by := readBy(modelAPI); by["gpt-new"] < 2 || by["gpt-old"] != before["gpt-old"] {
		t.Errorf("the second document was read by %v", by)
	}
	if model := job.Analysis.Cost.Extraction.Model; model != "openai/gpt-new" {
		t.Errorf("the estimate is for %s", model)
	}
}

// readBy counts the passages that each model was asked about.
func readBy(s *llmtest.Server) map[string]int {
	by := map[string]int{}
	for _, c := range s.Calls() {
		if model, _ := c.Body["model"].(string); c.Passage() != "" {
			by[model]++
		}
	}
	return by
}

// TestEmbeddingModelChanges activates another model that embeds: that is asked for, the graph
// is embedded anew, documents wait for that, and searches find by it.
func TestEmbeddingModelChanges(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	s := startServer(t, atModels(modelAPI, nil))
	if job := awaitEnd(t, s, submitDocument(t, s, "Lovelace", 1)); job.Status != work.StatusCompleted {
		t.Fatalf("the job is %s", job.Status)
	}
	m := client.NewModel{Provider: "openai", Model: "embed-large"}
	if _, err := s.client.Models.Set(t.Context(), models.SlotEmbedding, m); kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(kappa.ErrorMessage(err), "the graph is embedded with") {
		t.Errorf("another model is taken without a word: %v", err)
	}
	m.Reembed = true
	set, err := s.client.Models.Set(t.Context(), models.SlotEmbedding, m)
	check(t, err)
	if job := awaitEnd(t, s, set.JobID); job.Status != work.StatusCompleted {
		t.Fatalf("the graph is not embedded anew: %s", job.Status)
	}
	config, err := s.client.Models.EmbeddingConfig(t.Context())
	check(t, err)
	if config.GraphModel != "openai/embed-large" || !config.Matches || config.Dimensions != 8 || config.ConfigID != set.ConfigID {
		t.Errorf("the graph is %+v", config)
	}
	if job := awaitEnd(t, s, submitDocument(t, s, "Babbage", 1)); job.Status != work.StatusCompleted {
		t.Errorf("the next document is %s", job.Status)
	}
	found, err := s.client.Graph.Search(t.Context(), questions.SearchQuery{Query: "Lovelace", Limit: 3, MinSimilarity: new(0.1)})
	check(t, err)
	if len(found.Results) == 0 {
		t.Error("a search finds nothing")
	}
}

// TestNoKey starts a server whose environment chooses a provider, and has no key of it: it
// starts only once a key is stored.
func TestNoKey(t *testing.T) {
	t.Parallel()
	dsn, keyFile := newDSN(t), filepath.Join(t.TempDir(), "secrets.key")
	settings := map[string]string{"DATABASE_URL": dsn, "KG_EXTRACTOR": "anthropic", "KG_DATA_DIR": t.TempDir(), "KG_ADDR": "127.0.0.1:0", "KG_SECRETS_KEY_FILE": keyFile}
	var environ []string
	for name, value := range settings {
		environ = append(environ, name+"="+value)
	}
	cmd := serve.NewCommand(version, environ, cli.ExamineServer)
	cmd.SetArgs([]string{"--config", os.DevNull})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	err := cmd.ExecuteContext(t.Context())
	if err == nil || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY: must be set, or KG_ANTHROPIC_API_KEY_FILE, since anthropic reads") {
		t.Errorf("it starts without a key: %v", err)
	}
}
