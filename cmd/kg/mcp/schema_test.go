package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSchemas checks that every tool describes each argument, bounds what is a number, has an
// example that its own schema takes, and says what it answers.
func TestSchemas(t *testing.T) {
	t.Parallel()
	list, err := connect(t, &fakeAPI{}).ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) < 30 {
		t.Fatalf("%v, err %v", list, err)
	}
	for _, tool := range list.Tools {
		s := schemaIn(t, tool.InputSchema)
		if len(s.Examples) != 1 {
			t.Errorf("%s has no example", tool.Name)
			continue
		}
		if err := valid(t, s, s.Examples[0]); err != nil {
			t.Errorf("%s does not take its own example: %v", tool.Name, err)
		}
		for name, p := range s.Properties {
			if p.Description == "" || p.Type == "" {
				t.Errorf("%s: %s is of type %q and described as %q", tool.Name, name, p.Type, p.Description)
			}
			if (p.Type == "integer" || p.Type == "number") && p.Minimum == nil {
				t.Errorf("%s: %s may be as small as one likes", tool.Name, name)
			}
		}
		if s := schemaIn(t, tool.OutputSchema); len(s.Properties) != 4 || s.Properties["named"].Items.Properties["kind"].Enum == nil {
			t.Errorf("%s answers %v", tool.Name, s.Properties)
		}
	}
}

func schemaIn(t *testing.T, v any) *jsonschema.Schema {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func valid(t *testing.T, s *jsonschema.Schema, v any) error {
	t.Helper()
	whole, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return whole.Validate(v)
}

// TestStructuredAnswers checks what a program reads beside the text: valid by the schema, each
// thing once, with the whole number and how to go on.
func TestStructuredAnswers(t *testing.T) {
	t.Parallel()
	for tool, tt := range map[string]struct{ arguments, request, answer, rest string }{
		"documents": {
			`{"limit":2}`, "GET /documents",
			`{"documents":[{"filename":"a.md","ontology":"o","document_id":"sha256:0"},{"filename":"b.md","ontology":"o","document_id":"sha256:1"}],"total":3}`,
			`"named":[{"kind":"document","id":"sha256:0","name":"a.md"},{"kind":"document","id":"sha256:1","name":"b.md"}],"total":3,"next":{"offset":2}}`,
		},
		"edge": {
			`{"from":"c_1","type":"USES","to":"c_1"}`, "GET /edges/c_1/USES/c_1",
			`{"from_concept_id":"c_1","relationship_type":"USES","to_concept_id":"c_1","from_label":"lane","to_label":"lane","total":1,"evidence":[` + stating + `]}`,
			`"named":[{"kind":"concept","id":"c_1","name":"lane"},{"kind":"source","id":"src_1","name":"a.md"}],"total":1}`,
		},
		"find": {
			`{"query":"x"}`, "POST /search", `{"hits":[{"kind":"concept","text":"lane","concept":{"concept_id":"c_1"}}],"facets":{},"next_cursor":"abc"}`,
			`"named":[{"kind":"concept","id":"c_1","name":"lane"}],"next":{"cursor":"abc"}}`,
		},
		"jobs": {`{}`, "GET /jobs", `[]`, `"named":[]}`},
	} {
		f := &fakeAPI{answers: map[string]string{tt.request: tt.answer}}
		s := connect(t, f)
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(tt.arguments)})
		if err != nil || result.IsError {
			t.Fatalf("%s: %v, err %v", tool, result, err)
		}
		raw, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		var got answer
		if err := json.Unmarshal(raw, &got); err != nil || got.Text != result.Content[0].(*mcp.TextContent).Text {
			t.Errorf("%s: the text is %q, err %v", tool, got.Text, err)
		}
		got.Text = ""
		rest, err := json.Marshal(got)
		if err != nil || string(rest) != `{"text":"",`+tt.rest {
			t.Errorf("%s answers %s\nwant %s, err %v", tool, rest, tt.rest, err)
		}
		if err := valid(t, answerSchema(), result.StructuredContent); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// TestArguments has agents give what a tool does not take: it is said which argument is meant,
// and what it may be, and nothing is asked of the API. An argument that is null is not given.
func TestArguments(t *testing.T) {
	t.Parallel()
	f := &fakeAPI{answers: map[string]string{"POST /query/related": `{"concept_id":"c_1","max_depth":1,"results":[]}`}}
	s := connect(t, f)
	for arguments, want := range map[string]string{
		`{}`:                             "id: must be given: the concept's id",
		`{"id":null}`:                    "id: must be given: the concept's id",
		`{"id":" "}`:                     "id: must not be empty: the concept's id",
		`{"id":7}`:                       "id: must be a text, got 7",
		`{"id":"c_1","colour":"red"}`:    "colour: is no argument of this tool; it takes depth, direction, id, include_weak, limit,",
		`{"id":"c_1","limit":201}`:       "limit: must be 1 to 200, got 201",
		`{"id":"c_1","limit":2.5}`:       "limit: must be a whole number, got 2.5",
		`{"id":"c_1","limit":"ten"}`:     `limit: must be a whole number, got "ten"`,
		`{"id":"c_1","offset":1e30}`:     "offset: must be a whole number, got 1e+30",
		`{"id":"c_1","offset":-1}`:       "offset: must be at least 0, got -1",
		`{"id":"c_1","direction":"up"}`:  `direction: must be one of out, in, both, got "up"`,
		`{"id":"c_1","types":"CAUSES"}`:  `types: must be a list, got "CAUSES"`,
		`{"id":"c_1","types":[7]}`:       "types: each must be a text, got 7",
		`{"id":"c_1","include_weak":1}`:  "include_weak: must be true or false, got 1",
		`{"id":"","limit":0,"depth":99}`: "depth: must be 1 to 5, got 99; id: must not be empty: the concept's id; limit: must be 1 to 200, got 0",
	} {
		if got, failed := call(t, s, "related", arguments); !failed || !strings.HasPrefix(got, "related: "+want) {
			t.Errorf("%s: failed %t: %s\nwant related: %s", arguments, failed, got, want)
		}
	}
	if len(f.sent) > 0 {
		t.Errorf("asked %q", f.sent)
	}
	if got, failed := call(t, s, "related", `{"id":"c_1","limit":null,"types":null}`); failed || !strings.HasPrefix(f.last(), `POST /query/related {"concept_id":"c_1","max_depth":1,"limit":40,"include_evidence":true}`) {
		t.Errorf("with null: failed %t: %s, sent %s", failed, got, f.last())
	}
	if got, failed := call(t, s, "act_on_jobs", `{"act":"retry","filter":{"status":7}}`); !failed || got != "act_on_jobs: filter: status must be a text, got 7" {
		t.Errorf("failed %t: %s", failed, got)
	}
	if got, failed := call(t, s, "ontologies", `[]`); !failed || got != "ontologies: the arguments must be an object, such as {}" {
		t.Errorf("failed %t: %s", failed, got)
	}
}
