package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/cli"
	kgmcp "github.com/kappagraph/kappa/cmd/kg/mcp"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// TestStatements_Slow holds the README to its word: every relationship of the documents of
// the demo leads to its sentence, over HTTP, on the command line and for agents.
func TestStatements_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	statements(t, 1, 500)
}

// TestStatements reads one of every six documents.
func TestStatements(t *testing.T) { statements(t, 6, 80) }

// statements reads one of every so many documents, which have at least so many relationships.
func statements(t *testing.T, every, least int) {
	t.Helper()
	t.Parallel()
	s := startServer(t, nil)
	texts := ingestDocumentation(t, s, every)
	var edges []questions.ListedEdge
	for cursor := ""; ; {
		page, err := s.client.Edges.List(t.Context(), questions.EdgeFilter{Limit: 500, Cursor: cursor, IncludeEvidence: true})
		check(t, err)
		edges = append(edges, page.Edges...)
		if page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	if len(edges) < least {
		t.Fatalf("only %d relationships were read", len(edges))
	}
	counts := map[knowledge.MarkKind]int{}
	for _, e := range edges {
		name := e.FromLabel + " " + e.Type + " " + e.ToLabel
		if len(e.Evidence) == 0 || len(e.Evidence) > knowledge.SampleEdgeEvidence || e.Evidence[0].Confidence != e.Confidence {
			t.Errorf("%s: %d sentences, the surest %v of %v", name, len(e.Evidence), e.Evidence, e.Confidence)
		}
		for _, v := range e.Evidence {
			counts[v.From.Kind]++
			counts[v.To.Kind]++
			if wrong := wrongStatement(texts[v.DocumentID], v); wrong != "" {
				t.Errorf("%s: %s: %+v", name, wrong, v)
			}
		}
	}
	t.Logf("%d relationships; ends by kind of mark: %v", len(edges), counts)
	if counts[knowledge.MarkName] < len(edges) {
		t.Errorf("only %d ends are named in their sentence", counts[knowledge.MarkName])
	}
	// Of two relationships of one pair, answers show the surest alone.
	pairs := map[[2]string]int{}
	for _, e := range edges {
		pairs[[2]string{min(e.FromID, e.ToID), max(e.FromID, e.ToID)}]++
	}
	alone := slices.DeleteFunc(slices.Clone(edges), func(e questions.ListedEdge) bool {
		return pairs[[2]string{min(e.FromID, e.ToID), max(e.FromID, e.ToID)}] > 1
	})
	some := slices.Collect(func(yield func(questions.ListedEdge) bool) {
		for i := 0; i < len(alone) && yield(alone[i]); i += 1 + len(alone)/25 {
		}
	})
	t.Run("HTTP, one by one", func(t *testing.T) {
		for _, e := range some {
			found, err := s.client.Edges.Get(t.Context(), questions.EdgeEvidenceQuery{FromID: e.FromID, Type: e.Type, ToID: e.ToID, Limit: 3})
			check(t, err)
			if !reflect.DeepEqual(found.Evidence, e.Evidence) || found.Total < len(e.Evidence) || found.FromLabel != e.FromLabel || found.Sources != e.Sources {
				t.Errorf("got %+v, want %+v", found, e)
			}
		}
		_, err := s.client.Edges.Get(t.Context(), questions.EdgeEvidenceQuery{FromID: some[0].FromID, Type: "NO_SUCH_TYPE", ToID: some[0].ToID})
		refused(t, "a relationship that is not there", kappa.CodeNotFound)(err, err)
	})
	t.Run("command line", func(t *testing.T) { statementsOnCommandLine(t, s, some) })
	t.Run("agents", func(t *testing.T) { statementsForAgents(t, s, some) })
	t.Run("answers", func(t *testing.T) { statementsInAnswers(t, s, edges) })
}

// ingestDocumentation ingests one of every so many documents of the demo, and returns their
// texts by id.
func ingestDocumentation(t *testing.T, s *testServer, every int) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../../docs/*.md")
	check(t, err)
	texts := map[string]string{}
	var jobs []string
	for n, file := range files {
		if n%every != 0 {
			continue
		}
		body, err := os.ReadFile(file)
		check(t, err)
		texts[corpus.ContentHash(body)] = string(body)
		submitted, err := s.client.Documents.Submit(t.Context(), client.Document{Body: body, Filename: filepath.Base(file), Ontology: "docs", AutoApprove: true})
		check(t, err)
		jobs = append(jobs, submitted.JobID)
	}
	for _, id := range jobs {
		await(t, s.client, id, work.StatusCompleted)
	}
	return texts
}

// wrongStatement says what is wrong with a sentence of a document, or "".
func wrongStatement(text string, v knowledge.EdgeEvidence) string {
	switch {
	case v.Quote == "" || v.End > len(text) || text[v.Start:v.End] != v.Quote:
		return "the quote is not the document at its bytes"
	case v.JobID == nil || v.Reader == nil || *v.Reader != "local" || v.MadeBy != nil || v.CreatedAt.IsZero():
		return "nobody has read it"
	}
	for _, end := range []knowledge.MarkedEnd{v.From, v.To} {
		switch {
		case end.Kind == knowledge.MarkUnknown:
			return "an end stands nowhere"
		case end.Kind.InQuote() && (end.Text == "" || v.Quote[end.Start:end.End] != end.Text):
			return "a mark is not what stands in the quote"
		case end.Kind != knowledge.MarkName && (v.Before == nil || text[v.Before.Start:v.Before.End] != v.Before.Quote || v.Before.Start >= v.Start):
			return "no sentence before says what the quote refers to"
		}
	}
	return ""
}

// runKG runs a command line as the administrator, and returns what it prints.
func runKG(t *testing.T, s *testServer, columns int, args ...string) string {
	t.Helper()
	out, errs, code := tryKG(t, s, columns, args...)
	if code != 0 {
		t.Fatalf("kg %s: %d, %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// tryKG runs a command line as the administrator, and returns what it prints, what it says of an
// error, and its exit code.
func tryKG(t *testing.T, s *testServer, columns int, args ...string) (printed, said string, code int) {
	t.Helper()
	login, err := client.New(client.Config{BaseURL: s.url})
	check(t, err)
	made, err := login.Login(t.Context(), "admin", testPassword, "test")
	check(t, err)
	env := map[string]string{"HOME": t.TempDir(), "COLUMNS": strconv.Itoa(columns), "KG_API_URL": s.url, "KG_CLIENT_ID": made.ClientID, "KG_CLIENT_SECRET": made.Secret}
	var out, errs bytes.Buffer
	a := cli.New(cli.Config{In: strings.NewReader(""), Out: &out, Err: &errs, Version: version, Env: func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}})
	root := a.Root(cli.Group{Commands: nil}, cli.Group{Commands: nil})
	root.AddCommand(cli.NewEdgesCommand(a), cli.NewSearchCommand(a), cli.NewConnectCommand(a), cli.NewConceptsCommand(a), cli.NewAskCommand(a), cli.NewFindCommand(a), cli.NewGraphCommand(a))
	code = a.Run(t.Context(), root, args)
	return out.String(), errs.String(), code
}

// flat is a text with its white space folded, as terminals show it.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func statementsOnCommandLine(t *testing.T, s *testServer, edges []questions.ListedEdge) {
	for _, e := range edges[:5] {
		shown := runKG(t, s, 80, "edges", "show", e.FromID, e.Type, e.ToID)
		for _, want := range []string{flat(e.Evidence[0].Quote), *e.Evidence[0].Filename, "with local", *e.Evidence[0].JobID} {
			if !strings.Contains(flat(shown), want) {
				t.Errorf("%s\nlacks %s", shown, want)
			}
		}
		var found questions.EdgeDetails
		check(t, json.Unmarshal([]byte(runKG(t, s, 80, "edges", "show", e.FromLabel, e.Type, e.ToID, "-o", "json")), &found))
	}
	e := edges[0]
	quote := flat(e.Evidence[0].Quote)
	for _, args := range [][]string{
		{"edges", "list", "--from", e.FromID, "--to", e.ToID, "--evidence"},
		{"search", "related", e.FromID, "--depth", "1", "--weak", "--evidence"},
		{"search", "show", e.FromID, "--evidence"},
		{"concepts", "show", e.FromID, "--evidence"},
		{"connect", e.FromID, e.ToID, "--max-hops", "1", "--weak", "--evidence"},
		{"search", "connect", e.FromID, e.ToID, "--max-hops", "1", "--weak", "--evidence"},
		{"graph", "neighborhood", e.FromID, "--max-hops", "1", "--weak", "--evidence"},
		{"graph", "enriched-path", e.FromID, e.ToID, "--max-hops", "1", "--weak", "--evidence"},
	} {
		if got := runKG(t, s, 120, args...); !strings.Contains(flat(got), quote) {
			t.Errorf("kg %s:\n%s\nlacks %s", strings.Join(args, " "), got, quote)
		}
		without := args[:len(args)-1]
		if got := runKG(t, s, 120, without...); strings.Contains(flat(got), quote) && args[1] != "show" {
			t.Errorf("kg %s shows sentences that nobody asked for", strings.Join(without, " "))
		}
	}
}

func statementsForAgents(t *testing.T, s *testServer, edges []questions.ListedEdge) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() { _ = kgmcp.Serve(t.Context(), s.client, version, in, out) }()
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	check(t, err)
	defer agent.Close()
	use := func(tool string, arguments map[string]any) string {
		t.Helper()
		result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		check(t, err)
		return result.Content[0].(*mcp.TextContent).Text
	}
	for _, e := range edges {
		quote := strconv.Quote(flat(e.Evidence[0].Quote))
		if got := use("edge", map[string]any{"from": e.FromID, "type": e.Type, "to": e.ToID}); !strings.Contains(got, quote) && len(quote) < 600 || !strings.Contains(got, "with local") {
			t.Errorf("edge:\n%s\nlacks %s", got, quote)
		}
	}
	e := edges[0]
	for tool, arguments := range map[string]map[string]any{
		"related": {"id": e.FromID, "include_weak": true, "limit": 200}, "concept": {"id": e.FromID},
		"connect": {"from": e.FromID, "to": e.ToID, "max_hops": 1, "include_weak": true},
	} {
		if got := use(tool, arguments); !strings.Contains(got, "source src_") && !strings.Contains(got, ", bytes ") {
			t.Errorf("%s shows no sentence:\n%s", tool, got)
		}
	}
}

// statementsInAnswers compares what answers show of relationships with what the list does.
func statementsInAnswers(t *testing.T, s *testServer, edges []questions.ListedEdge) {
	known := map[string][]knowledge.EdgeEvidence{}
	for _, e := range edges {
		known[e.FromID+" "+e.Type+" "+e.ToID] = e.Evidence
	}
	compare := func(where, from, kind, to string, forward bool, got []knowledge.EdgeEvidence) {
		t.Helper()
		if !forward {
			from, to = to, from
		}
		if want := known[from+" "+kind+" "+to]; len(want) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s %s %s has %+v, want %+v", where, from, kind, to, got, want)
		}
	}
	typed := slices.IndexFunc(edges, func(e questions.ListedEdge) bool { return e.Type != vocabulary.TypeRelatedTo }) // which answers show unasked
	ctx, from := t.Context(), edges[typed].FromID
	concept, err := s.client.Concepts.Stated(ctx, from, questions.Measures{})
	check(t, err)
	for _, r := range concept.Relationships {
		compare("the concept", from, r.Type, r.ToID, true, r.Evidence)
	}
	related, err := s.client.Graph.Related(ctx, questions.RelatedQuery{ConceptID: from, MaxDepth: 2, IncludeEvidence: true})
	check(t, err)
	for _, r := range related.Results {
		compare("related", r.Via.ConceptID, r.PathTypes[len(r.PathTypes)-1], r.ConceptID, r.Via.Forward, r.Via.Evidence)
	}
	around, err := s.client.Graph.Neighborhood(ctx, questions.NeighborhoodQuery{ConceptID: from, IncludeEvidence: true})
	check(t, err)
	for _, e := range around.Edges {
		compare("the neighbourhood", e.FromID, e.Type, e.ToID, true, e.Evidence)
	}
	far := related.Results[len(related.Results)-1].ConceptID
	enriched, err := s.client.Graph.EnrichedPath(ctx, questions.EnrichedPathQuery{FromID: from, ToID: far, IncludeEvidence: true})
	check(t, err)
	connected, err := s.client.Graph.Connect(ctx, questions.ConnectQuery{FromID: from, ToID: far, IncludeEvidence: true})
	check(t, err)
	for _, p := range append(enriched.Paths, connected.Paths...) {
		for i, kind := range p.Relationships {
			compare("a path", p.Nodes[i].ID, kind, p.Nodes[i+1].ID, p.Forward[i], p.Evidence[i])
		}
	}
	for _, around := range enriched.Surroundings {
		for _, n := range around.Neighbors {
			compare("the surroundings", around.ConceptID, n.Type, n.ConceptID, n.Forward, n.Evidence)
		}
	}
	answer, err := s.client.Graph.Ask(ctx, questions.Question{Text: "What does a job use?", Limit: 3, IncludeEvidence: true})
	check(t, err)
	if len(answer.Relationships) == 0 || len(connected.Paths) == 0 || len(around.Edges) == 0 {
		t.Errorf("%d relationships of the answer, %d paths, %d around", len(answer.Relationships), len(connected.Paths), len(around.Edges))
	}
	for _, r := range answer.Relationships {
		compare("the answer", r.FromID, r.Type, r.ToID, true, r.Evidence)
	}
	var exported bytes.Buffer
	check(t, s.client.Graph.Export(ctx, questions.ExportQuery{Format: questions.ExportJSON, IncludeEvidence: true, MaxHops: 2}, &exported))
	var all struct{ Edges []questions.SubgraphEdge }
	check(t, json.Unmarshal(exported.Bytes(), &all))
	if len(all.Edges) != len(edges) {
		t.Errorf("%d relationships are exported, of %d", len(all.Edges), len(edges))
	}
	for _, e := range all.Edges {
		compare("the export", e.FromID, e.Type, e.ToID, true, e.Evidence)
	}
}

// TestStatementByHand wants a relationship that was made by hand to say by whom.
func TestStatementByHand(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	written, err := s.client.Graph.WriteBatch(t.Context(), client.Batch{
		Ontology: "memory", Concepts: []knowledge.NewConcept{{Label: "Replica"}, {Label: "Write-ahead log"}},
		Edges: []knowledge.NewEdge{{FromLabel: "Replica", ToLabel: "Write-ahead log", Type: "DEPENDS_ON"}},
	})
	check(t, err)
	e := written.Edges[0]
	found, err := s.client.Edges.Get(t.Context(), questions.EdgeEvidenceQuery{FromID: e.FromID, Type: "depends_on", ToID: e.ToID})
	check(t, err)
	if v := found.Evidence[0]; v.MadeBy == nil || *v.MadeBy != "admin" || v.JobID != nil || v.Reader != nil || v.From.Text != "Replica" || v.To.Text != "Write-ahead log" {
		t.Errorf("got %+v", found)
	}
	if got := runKG(t, s, 80, "edges", "show", e.FromID, "DEPENDS_ON", e.ToID); !strings.Contains(got, "by hand, by admin") {
		t.Errorf("shown:\n%s", got)
	}
}
