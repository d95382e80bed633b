package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa"
	kgmcp "github.com/kappagraph/kappa/cmd/kg/mcp"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

const nightShift = `# Handbook

The handbook describes the night shift.

## Keys

A key ring holds seven keys. The porter keeps the key ring.

` + "```\n# not a heading\n```" + `

### Spare keys

A spare key opens the archive.

## Lamps

A lamp lights the corridor.
`

// TestAgentsEditAndUndo has an agent ingest a file, wait for it, read it, and change, delete and
// undo what came of it, each after a look at what would happen.
func TestAgentsEditAndUndo(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token(t, s))}, DisableStandaloneSSE: true}, nil)
	check(t, err)
	defer agent.Close()
	try := func(tool, arguments string) (string, bool) {
		t.Helper()
		result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		check(t, err)
		return result.Content[0].(*mcp.TextContent).Text, result.IsError
	}
	use := func(tool, arguments string, wants ...string) string {
		t.Helper()
		text, failed := try(tool, arguments)
		for _, want := range wants {
			if failed || !strings.Contains(text, want) {
				t.Errorf("%s %s lacks %q:\n%s", tool, arguments, want, text)
			}
		}
		return text
	}
	for arguments, want := range map[string]string{
		`{"ontology":"o"}`: "one of text, base64 and url must be given",
		`{"ontology":"o","text":"a","url":"https://a.b"}`: "one of text, base64 and url must be given",
		`{"ontology":"o","base64":"***"}`:                 "must be base64",
	} {
		if text, failed := try("ingest", arguments); !failed || !strings.Contains(text, want) {
			t.Errorf("ingest %s: %s", arguments, text)
		}
	}
	body := base64.StdEncoding.EncodeToString([]byte(nightShift))
	priced := use("ingest", `{"ontology":"house","name":"handbook.md","base64":"`+body+`","wait":60}`, "awaiting_approval", "estimate: ", "It costs nothing until approve_job.")
	job := regexp.MustCompile(`job_[0-9a-f]{12}`).FindString(priced)
	use("approve_job", `{"id":"`+job+`"}`)
	use("wait_job", `{"id":"`+job+`","seconds":60}`, "completed", "concepts_created")
	use("ingest", `{"ontology":"house","name":"handbook.md","base64":"`+body+`","wait":60}`, "submitted before", job)

	id := regexp.MustCompile(`sha256:[0-9a-f]{64}`).FindString(use("documents", `{"ontology":"house"}`, "handbook.md"))
	outline := use("document", `{"id":"`+id+`"}`, `"Handbook"  from 0`, `  "Keys"  from `, `    "Spare keys"  from `, `  "Lamps"  from `)
	if strings.Contains(outline, "not a heading") {
		t.Errorf("the outline:\n%s", outline)
	}
	if text := use("document", `{"id":"`+id+`","section":"keys"}`, "A key ring holds seven keys.", "A spare key opens"); strings.Contains(text, "A lamp lights") || strings.Contains(text, "night shift") {
		t.Errorf("the section:\n%s", text)
	}
	use("document", `{"id":"`+id+`","section":"Handbook > Lamps"}`, "A lamp lights the corridor.")
	use("document", `{"id":"`+id+`","from":12,"bytes":12}`, "bytes 12-24:\nThe handbook\n(", "more: from 24)")
	if text, failed := try("document", `{"id":"`+id+`","section":"Cellar"}`); !failed || !strings.Contains(text, "no heading Cellar") {
		t.Errorf("a section that is not there: %s", text)
	}

	concept := conceptNamed(t, s, "house", "spare key")
	use("edit_concept", `{"id":"`+concept+`","description":"A key to the archive.","dry_run":true}`, `would be "A key to the archive."`)
	if c, err := s.client.Concepts.Written(t.Context(), concept); err != nil || c.Description != nil && *c.Description == "A key to the archive." {
		t.Errorf("a dry run has changed it: %+v (%v)", c, err)
	}
	use("edit_concept", `{"id":"`+concept+`","description":"A key to the archive."}`, `is "A key to the archive."`)
	edges, err := s.client.Edges.List(t.Context(), questions.EdgeFilter{FromID: concept, Limit: 10})
	if err != nil || len(edges.Edges) == 0 {
		t.Fatalf("%+v (%v)", edges, err)
	}
	e := edges.Edges[0]
	edge := `{"from":"` + e.FromID + `","type":"` + e.Type + `","to":"` + e.ToID + `"`
	use("delete_relationship", edge+`,"dry_run":true}`, "would go, with 1 sentence.")
	use("delete_relationship", edge+`}`, "is deleted, with 1 sentence.")
	use("delete_note", `{"id":"`+concept+`","dry_run":true}`, "spare key", "would go, with")
	use("delete_note", `{"id":"`+concept+`"}`, "is deleted, with")
	if _, err := s.client.Concepts.Written(t.Context(), concept); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("it is there: %v", err)
	}
	use("undo_job", `{"id":"`+job+`","dry_run":true}`, `"handbook.md" ("house")`, "would go, with")
	use("documents", `{"ontology":"house"}`, "handbook.md")
	use("undo_job", `{"id":"`+job+`"}`, "is deleted, with")
	if text := use("documents", `{"ontology":"house"}`); strings.Contains(text, "handbook.md") {
		t.Errorf("it is there still: %s", text)
	}
}

// conceptNamed returns the id of the concept of an ontology with a label.
func conceptNamed(t *testing.T, s *testServer, ontology, label string) string {
	t.Helper()
	list, err := s.client.Concepts.List(t.Context(), questions.ConceptFilter{Ontology: ontology, Limit: 100})
	check(t, err)
	for _, c := range list.Concepts {
		if c.Label == label {
			return c.ConceptID
		}
	}
	t.Fatalf("there is no %s in %+v", label, list.Concepts)
	return ""
}

// TestAgentsHearOfProgress: a client that asks for it is told how far a job is while it waits, and
// who waits too short a time is told so.
func TestAgentsHearOfProgress(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() { _ = kgmcp.Serve(t.Context(), s.client, version, in, out) }()
	told := make(chan float64, 1000)
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Progress },
	}).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	check(t, err)
	defer agent.Close()
	wait := func(job string, seconds string) string {
		params := &mcp.CallToolParams{Name: "wait_job", Arguments: json.RawMessage(`{"id":"` + job + `","seconds":` + seconds + `}`)}
		params.SetProgressToken("p")
		result, err := agent.CallTool(t.Context(), params)
		check(t, err)
		return result.Content[0].(*mcp.TextContent).Text
	}
	reply, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: work.TypeSleep, Data: []byte(`{"ms":3000,"steps":30}`), AutoApprove: true})
	check(t, err)
	if text := wait(reply.JobID, "1"); !strings.Contains(text, "It has not ended within 1 second; wait_job waits on.") {
		t.Errorf("a short wait: %s", text)
	}
	if text := wait(reply.JobID, "60"); !strings.Contains(text, "completed") {
		t.Errorf("a long wait: %s", text)
	}
	if len(told) == 0 {
		t.Error("no progress was told")
	}
}
