package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// console is a run of kg in a test: its environment, and what it wrote.
type console struct {
	env      map[string]string
	in       string
	out, err string
	code     int
}

// newConsole returns a console with directories of its own.
func newConsole(t *testing.T) *console {
	t.Helper()
	return &console{env: map[string]string{"HOME": t.TempDir(), "COLUMNS": "80"}}
}

// run runs kg.
func (c *console) run(ctx context.Context, args ...string) *console {
	var out, err bytes.Buffer
	a := New(Config{In: strings.NewReader(c.in), Out: &out, Err: &err, Version: "test", Env: func(name string) (string, bool) {
		value, ok := c.env[name]
		return value, ok
	}})
	c.code = a.Run(ctx, allCommands(a), args)
	c.out, c.err = out.String(), err.String()
	return c
}

// allCommands returns the command line with every command of this package.
func allCommands(a *App) *cobra.Command {
	return a.Root(Group{Commands: []*cobra.Command{
		NewIngestCommand(a), NewSyncCommand(a), NewJobsCommand(a), NewAskCommand(a), NewFindCommand(a), NewChangesCommand(a), NewSearchCommand(a), NewConnectCommand(a), NewGraphCommand(a), NewPolarityCommand(a), NewArtifactsCommand(a), NewQueriesCommand(a), NewProgramsCommand(a), NewSourceCommand(a), NewDataCommand(a), NewOntologyCommand(a), NewVocabCommand(a), NewConceptsCommand(a), NewEdgesCommand(a), NewProjectionCommand(a), NewLoginCommand(a), NewLogoutCommand(a), NewAuthCommand(a),
		NewHealthCommand(a), NewDoctorCommand(a), NewAdminCommand(a), NewTopCommand(a), NewDatabaseCommand(a), NewCatalogCommand(a), NewVersionCommand(a), exit.NewTopic(),
	}})
}

// fakeAPI is a server whose answers a test writes itself. It gives tokens to
// the client "id" with the secret "secret", and records the requests.
type fakeAPI struct {
	*http.ServeMux
	url string

	mu       sync.Mutex
	requests []string
}

func newFakeAPI(t *testing.T) *fakeAPI {
	t.Helper()
	f := &fakeAPI{ServeMux: http.NewServeMux()}
	f.HandleFunc("POST /auth/oauth/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("client_id") != "id" || r.FormValue("client_secret") != "secret" {
			f.problem(w, http.StatusUnauthorized, "Could not validate credentials")
			return
		}
		f.json(w, `{"access_token":"t","expires_in":3600}`)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/auth/oauth/token" {
			f.mu.Lock()
			f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
			f.mu.Unlock()
		}
		f.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// answer lets a route answer with JSON.
func (f *fakeAPI) answer(route, body string) {
	f.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) { f.json(w, body) })
}

// refuse lets a route answer with a problem.
func (f *fakeAPI) refuse(route string, status int, detail string) {
	f.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) { f.problem(w, status, detail) })
}

// stream lets the stream of a job tell events, and then hang until the reader
// goes.
func (f *fakeAPI) stream(id string, events ...string) {
	f.HandleFunc("GET /jobs/"+id+"/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i, e := range events {
			kind, data, _ := strings.Cut(e, " ")
			fmt.Fprintf(w, "event: %s\nid: %d\ndata: %s\n\n", kind, i+1, data)
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
}

func (f *fakeAPI) json(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write([]byte(body))
}

func (f *fakeAPI) problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

// console returns a console that is logged in at f.
func (f *fakeAPI) console(t *testing.T) *console {
	t.Helper()
	c := newConsole(t)
	c.env["KG_API_URL"], c.env["KG_CLIENT_ID"], c.env["KG_CLIENT_SECRET"] = f.url, "id", "secret"
	return c
}

func TestWrongArguments(t *testing.T) {
	for _, tt := range []struct{ line, says string }{
		{"frobnicate", `unknown command "frobnicate" for "kg"`},
		{"whoami", "did you mean: kg auth whoami"},
		{"jbs", "did you mean: kg jobs"},
		{"admin lanes", "did you mean: kg admin workers lanes"},
		{"jobs frobnicate", `unknown command "frobnicate" for "kg jobs"`},
		{"admin workers frobnicate", `unknown command "frobnicate"`},
		{"jobs list --frobnicate", "unknown flag: --frobnicate"},
		{"jobs list --limit many", "invalid argument"},
		{"jobs list --limit 501", "--limit must be between 1 and 500, got 501"},
		{"jobs list --status asleep", "must be one of pending"},
		{"jobs list --age 3x", "--age: must be an age"},
		{"jobs list --submitted-from 1h --submitted-to 2h", "--submitted-to: must be after submitted_from"},
		{"jobs list --sort size", "--sort: must be one of newest"},
		{"jobs dead --status completed", "--status: contradicts another filter"},
		{"jobs list extra", "unknown command"},
		{"jobs status", "accepts 1 arg(s), received 0"},
		{"jobs list -o xml", `--output must be one of table, json, jsonl, yaml, csv, name, got "xml"`},
		{"ingest text hello", "the ontology is missing"},
		{"ingest text hello --ontology demo --mode sideways", "--mode must be serial or parallel"},
		{"ingest text hello --ontology demo --target-words 50", "target_words: must be at least 100"},
		{"ingest dataset http://x/t.parquet --ontology demo", "--text-column NAME"},
		{"ingest dataset http://x/t.parquet --text-column t", "the ontology is missing"},
		{"ingest dataset --ontology demo --text-column t", "accepts 1 arg(s), received 0"},
		{"ingest dataset http://x/t.parquet --ontology demo --text-column t --after=", "--after must be the key of a row"},
		{"data validate", "give either a URL or --upload FILE"},
		{"data schema http://x/t.parquet --upload t.parquet", "give either a URL or --upload FILE"},
		{"data query", "give the SQL either as an argument or with --file"},
		{"data query SELECT --file q.sql", "give the SQL either as an argument or with --file"},
		{"data query --file missing.sql", "missing.sql"},
		{"data query SELECT --table http://x/t.parquet", "--table must be NAME=URL"},
		{"data query SELECT --table 1t=http://x/t.parquet", "table_name: must be a letter"},
		{"data query SELECT --table t=http://x/a --upload T=b.parquet", "must differ from the other names"},
		{"data query SELECT --limit 1001", "limit: must be at most 1000, got 1001"},
		{"data query SELECT --wait", "--format, --wait and --save are for --job"},
		{"data query SELECT --job --limit 5", "--limit cannot be used with --job"},
		{"data query SELECT --job --upload t.parquet", "--upload cannot be used with --job"},
		{"data query SELECT --job --format xml", `--format must be parquet or csv, got "xml"`},
		{"admin workers lanes set interactive", "nothing to change"},
		{"admin workers lanes set interactive --enable --disable", "exclude each other"},
		{"admin limit set --running 2 --reason r", "say one of --type, --queue"},
		{"admin limit set --user a --each type --running 2 --reason r", "say one of --type, --queue"},
		{"admin limit set --user a --reason r", "say --running, --per-second or both"},
		{"admin limit set --user a --running 2", "reason"},
		{"admin limit set --user a --running 0 --reason r", "--running: must be at least 1, got 0"},
		{"admin limit set --user a --per-second -1 --reason r", "--per-second: must be from 0.001 to 1000, got -1"},
		{"admin limit set --data host --running 1 --reason r", "--data takes KEY=VALUE"},
		{"admin limit set --each lane --running 1 --reason r", "must be one of type, queue, user, ontology, data"},
		{"admin limit set --each data --running 1 --reason r", "--each: must not be empty"},
		{"admin workers --watch --interval 10ms", "--interval must be at least 200ms, got 10ms"},
		{"admin workers priority job_1 high", `the priority must be a whole number, got "high"`},
		{"admin schedules set n", "nothing to change"},
		{"admin schedules set n --enable --disable", "exclude each other"},
		{"admin schedules set n --data {", "--data must be JSON"},
		{"admin schedules add n --type noop", "a schedule needs --type and --cron"},
		{"admin schedules runs n --limit 0", "--limit must be between 1 and 500, got 0"},
		{"jobs prune", "nothing is selected"},
		{"jobs prune --yes", "nothing is selected"},
		{"jobs prune --older-than= --status failed", "--older-than must not be empty"},
		{"jobs prune --status asleep", "must be one of pending"},
		{"search query x --limit 0", "limit: must be at least 1"},
		{"search connect a", "accepts 2 arg(s)"},
		{"login -p x --password-stdin", "exclude each other"},
		{"health --api-url localhost:8000", "--api-url: server address must look like"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			c := newConsole(t).run(t.Context(), strings.Fields(tt.line)...)
			if c.code != exit.Misused || !strings.HasPrefix(c.err, "kg: ") || !strings.Contains(c.err, tt.says) || c.out != "" {
				t.Errorf("code %d, stdout %q, stderr %q; want %d and %q", c.code, c.out, c.err, exit.Misused, tt.says)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, tt := range []struct{ line, says string }{
		{"", "kg [command]"},
		{"jobs", "Available Commands"},
		{"job", "Available Commands"},
		{"help exit-codes", "130  interrupted while watching"},
		{"version", "kg "},
		{"--version", "kg "},
		{"completion bash", "bash completion"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			c := newConsole(t).run(t.Context(), strings.Fields(tt.line)...)
			if c.code != exit.OK || !strings.Contains(c.out, tt.says) || c.err != "" {
				t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
			}
		})
	}
}
