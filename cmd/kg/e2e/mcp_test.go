package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/access"
	kgmcp "github.com/kappagraph/kappa/cmd/kg/mcp"
	"github.com/kappagraph/kappa/work"
)

// bearer adds a token to each request.
type bearer string

// RoundTrip sends the request with the token.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestAgents has an agent ingest a text and ask about it, over HTTP and over a pipe,
// and one without a token.
func TestAgents(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	access := token(t, s)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() { _ = kgmcp.Serve(t.Context(), s.client, version, in, out) }()
	for name, transport := range map[string]mcp.Transport{
		"HTTP": &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(access)}, DisableStandaloneSSE: true},
		"pipe": &mcp.IOTransport{Reader: fromServer, Writer: toServer},
	} {
		t.Run(name, func(t *testing.T) {
			agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), transport, nil)
			check(t, err)
			defer agent.Close()
			use := func(tool, arguments string) string {
				t.Helper()
				result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
				check(t, err)
				text := result.Content[0].(*mcp.TextContent).Text
				if result.IsError {
					t.Fatalf("%s %s: %s", tool, arguments, text)
				}
				return text
			}
			text, err := json.Marshal(lanesText)
			check(t, err)
			submitted := use("ingest", `{"ontology":"agents `+name+`","name":"lanes.txt","text":`+string(text)+`}`)
			id, _, _ := strings.Cut(strings.TrimPrefix(submitted, "job "), "\n")
			await(t, s.client, id, work.StatusAwaitingApproval)
			use("approve_job", `{"id":"`+id+`"}`)
			await(t, s.client, id, work.StatusCompleted)
			if shown := use("job", `{"id":"`+id+`"}`); !strings.Contains(shown, "completed") || !strings.Contains(shown, "concepts_created") {
				t.Errorf("the job: %s", shown)
			}
			found := use("search", `{"query":"worker lane","ontology":"agents `+name+`","quotes":true}`)
			if !strings.Contains(found, `"lanes.txt" ("agents `+name+`"), chunk 1`) {
				t.Errorf("found:\n%s", found)
			}
			if path := use("connect", `{"from":"worker lane","to":"PostgreSQL"}`); !strings.Contains(path, `"worker lane" is`) {
				t.Errorf("the path:\n%s", path)
			}
			status, err := agent.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "kappa://workers/status"})
			check(t, err)
			if !strings.Contains(status.Contents[0].Text, `"interactive"`) {
				t.Errorf("the lanes: %s", status.Contents[0].Text)
			}
		})
	}
	if _, err := mcp.NewClient(&mcp.Implementation{Name: "stranger", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer("")}}, nil); err == nil || !strings.Contains(err.Error(), "401") && !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("an agent without a token: %v", err)
	}
}

// TestAgentsSeeWhatTheyMayCall calls every tool as accounts of each built-in role: those
// that are listed are allowed, and those that are not are forbidden.
func TestAgentsSeeWhatTheyMayCall(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	arguments := map[string]string{
		"search": `{"query":"a"}`, "concept": `{"id":"c_1"}`, "related": `{"id":"c_1"}`, "connect": `{"from":"a","to":"b"}`,
		"edge": `{"from":"c_1","type":"USES","to":"c_2"}`, "polarity": `{"positive_id":"c_1","negative_id":"c_2"}`, "ontologies": `{}`,
		"about": `{"ontology":"o"}`, "ingest": `{"ontology":"o","name":"n","text":"t"}`, "job": `{"id":"job_0123456789ab"}`, "jobs": `{}`,
		"approve_job": `{"id":"job_0123456789ab"}`, "cancel_job": `{"id":"job_0123456789ab"}`, "create_concept": `{"ontology":"o","label":"l"}`,
		"create_edge": `{"from_id":"c_1","type":"USES","to_id":"c_2"}`, "add_evidence": `{"id":"c_1","text":"q"}`,
		"within": `{"ids":["c_1"]}`, "epochs": `{}`, "lifetime": `{"id":"c_1"}`, "ask": `{"question":"a"}`, "answer": `{"question":"a"}`, "documents": `{}`, "source": `{"id":"s_1"}`,
		"changes": `{"since":"0"}`, "compare": `{"document_id":"sha256:0"}`, "versions": `{"document_id":"sha256:0"}`,
		"find": `{"query":"a"}`, "namesakes": `{}`, "keep_apart": `{"a":"c_1","b":"c_2"}`,
		"edit_concept": `{"id":"c_1","label":"l"}`, "delete_note": `{"id":"c_1","dry_run":true}`, "delete_relationship": `{"from":"c_1","type":"USES","to":"c_2","dry_run":true}`,
		"undo_job": `{"id":"job_0123456789ab","dry_run":true}`, "wait_job": `{"id":"job_0123456789ab","seconds":1}`, "document": `{"id":"sha256:1"}`,
		"act_on_jobs": `{"act":"cancel","filter":{"status":"approved"},"dry_run":true}`,
	}
	counts := map[string]int{}
	for _, role := range []string{access.RoleReadOnly, access.RoleContributor, access.RoleAdmin} {
		ada := newPerson(t, "agent_"+role, role, s)
		agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(tokenOf(t, s.url, ada))}, DisableStandaloneSSE: true}, nil)
		check(t, err)
		defer agent.Close()
		list, err := agent.ListTools(t.Context(), nil)
		check(t, err)
		shown := map[string]bool{}
		for _, tool := range list.Tools {
			shown[tool.Name] = true
			if arguments[tool.Name] == "" {
				t.Errorf("with what is the tool %s called?", tool.Name)
			}
		}
		counts[role] = len(shown)
		for tool, in := range arguments {
			result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(in)})
			check(t, err)
			said := result.Content[0].(*mcp.TextContent).Text
			if strings.Contains(said, "validating") {
				t.Errorf("%s %s: %s", tool, in, said)
			}
			if forbidden := result.IsError && strings.Contains(said, "Permission denied"); forbidden == shown[tool] {
				t.Errorf("%s: the tool %s is shown: %t, and answers %q", role, tool, shown[tool], said)
			}
		}
	}
	if counts[access.RoleAdmin] != len(arguments) || counts[access.RoleReadOnly] >= counts[access.RoleContributor] {
		t.Errorf("tools by role: %v", counts)
	}
}
