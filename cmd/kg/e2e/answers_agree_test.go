package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	handbook = `# Lanes

A lane is a named group of job types. Each lane has slots of its own. A lane uses a lease.

The lanes of the server are:

- the lane interactive, for people
- the lane system, for the leader
- the lane slow, with one slot

# Leases

A lease says how long a worker counts as alive: 15 seconds from its last heartbeat. A lease requires a heartbeat.

# Errors

When the disk is full, the server says "no space left on device" and stops. The flag --keep-free reserves some.`
	guide = "Eine Spur ist eine benannte Gruppe von Arbeiten. Jede Spur hat eigene Plätze, und ein Platz ist für eine Arbeit.\n\nDie Frist eines Arbeiters endet nach fünfzehn Sekunden ohne Herzschlag."
)

// everyForm are questions of every form.
var everyForm = []string{
	"What is a lane?", "how long is a lease?", "list all lanes of the server", "How does a lane relate to a heartbeat?", "what is the difference between a lane and a lease?",
	"what does \"no space left on device\" mean", "--keep-free", "Was ist eine Spur?", "who invented the telephone?", "how long is a laese?",
}

// TestAnswersAgree asks the same by REST, by the event stream, as an agent and on the command
// line, and wants the same answer.
func TestAnswersAgree(t *testing.T) {
	t.Parallel()
	modelAPI := newModels(t)
	modelAPI.Answer = func(llmtest.Call) llmtest.Reply { return llmtest.Reply{Text: "So it is [1]."} }
	s := startServer(t, map[string]string{"KG_OPENAI_BASE_URL": modelAPI.URL + "/v1", "OPENAI_API_KEY": modelCanary})
	ingestText(t, s, "docs", "handbook.md", handbook)
	ingestText(t, s, "docs", "guide.md", guide)
	_, err := s.client.Models.Set(t.Context(), models.SlotExtraction, client.NewModel{Provider: "openai", Model: "gpt-4.1-mini"})
	check(t, err)
	agent := agentOf(t, s)
	for _, text := range everyForm {
		q := questions.Question{Text: text, Limit: 3}
		rest, err := s.client.Graph.Ask(t.Context(), q)
		check(t, err)
		if len(rest.Passages) == 0 && rest.Found {
			t.Errorf("%s: %+v", text, rest)
		}
		var streamed *questions.AskAnswer
		for part, err := range s.client.Graph.Answer(t.Context(), q) {
			check(t, err)
			if part.Found != nil {
				streamed = part.Found
			}
		}
		if streamed == nil || !reflect.DeepEqual(*streamed, rest) {
			t.Errorf("%s: the stream says\n%+v\nand REST\n%+v", text, streamed, rest)
		}
		var printed questions.AskAnswer
		check(t, json.Unmarshal([]byte(runKG(t, s, 80, "ask", "--limit", "3", "-o", "json", "--", text)), &printed))
		if !reflect.DeepEqual(printed, rest) {
			t.Errorf("%s: kg ask says\n%+v\nand REST\n%+v", text, printed, rest)
		}
		result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": text, "limit": 3}})
		check(t, err)
		said := result.Content[0].(*mcp.TextContent).Text
		var want []string
		for _, p := range rest.Passages {
			want = append(want, fmt.Sprintf("bytes %d-%d, source %s", p.Start, p.End, p.SourceID))
		}
		if got := agentPlaces.FindAllString(said, -1); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: the agent is told\n%s\nand REST has %q", text, said, want)
		}
	}
}

var agentPlaces = regexp.MustCompile(`bytes \d+-\d+, source \S+`)

// agentOf connects an agent with the rights of the administrator.
func agentOf(t *testing.T, s *testServer) *mcp.ClientSession {
	t.Helper()
	_, token, err := s.client.Account.NewAPIKey(t.Context(), access.NewAPIKey{Name: "agent"})
	check(t, err)
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}, nil)
	check(t, err)
	t.Cleanup(func() { agent.Close() })
	return agent
}

// TestFormsOfAnswers wants what each form of question asks for.
func TestFormsOfAnswers(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ingestText(t, s, "docs", "handbook.md", handbook)
	list, err := s.client.Graph.Ask(t.Context(), questions.Question{Text: "list all lanes of the server", Limit: 1})
	check(t, err)
	if l := list.Listing; l == nil || len(l.Rows) != 3 || l.Rows[0].Text != "- the lane interactive, for people" || handbook[l.Rows[2].Start:l.Rows[2].End] != "- the lane slow, with one slot" {
		t.Errorf("%+v", list)
	}
	relation, err := s.client.Graph.Ask(t.Context(), questions.Question{Text: "How does a lane relate to a heartbeat?", Limit: 3})
	check(t, err)
	if len(relation.Paths) == 0 || relation.Paths[0].Hops != 2 || len(relation.Paths[0].Evidence) != 2 || !strings.Contains(relation.Paths[0].Evidence[0][0].Quote, "A lane uses a lease") {
		t.Errorf("%+v", relation.Paths)
	}
	found, err := s.client.Graph.Find(t.Context(), questions.FindQuery{Text: "lease hea", Typing: true, Limit: 10})
	check(t, err)
	if len(found.Completions) != 1 || found.Completions[0] != "heartbeat" || found.Total < 3 || found.Hits[0].Score < 0.9 {
		t.Errorf("%+v", found)
	}
	if shown := runKG(t, s, 80, "find", "--limit", "2", "lane"); !strings.Contains(shown, "concept   lane") || !strings.Contains(shown, "--only: ") {
		t.Errorf("kg find shows\n%s", shown)
	}
	var hits []questions.FoundHit
	check(t, json.Unmarshal([]byte(runKG(t, s, 80, "find", "--limit", "2", "--all", "-o", "json", "lane")), &hits))
	if whole, err := s.client.Graph.Find(t.Context(), questions.FindQuery{Text: "lane", Limit: 100}); err != nil || !reflect.DeepEqual(whole.Hits, hits) || len(hits) < 4 {
		t.Errorf("all pages have\n%+v\nand one\n%+v, %v", hits, whole.Hits, err)
	}
}
