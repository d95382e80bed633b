package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/inprocess"
)

// TestResources reads documents and concepts by their id and by their name.
func TestResources(t *testing.T) {
	t.Parallel()
	f := &fakeAPI{answers: map[string]string{
		"GET /documents/sha256:0/content": `{"document_id":"sha256:0","filename":"a b.md","ontology":"o","chunks":[{"full_text":"# Lanes\nA lane.","start_byte":0}]}`,
		"GET /query/concept/lane_1":       `{"concept_id":"lane_1","label":"worker lane","documents":["o"],"instances":[],"relationships":[]}`,
		"POST /search":                    `{"hits":[{"kind":"document","text":"c.md","document":{"document_id":"sha256:9"}},{"kind":"document","text":"a b.md","document":{"document_id":"sha256:0"}},{"kind":"concept","text":"Worker Lane","concept":{"concept_id":"lane_1"}}],"facets":{}}`,
	}}
	s := connect(t, f)
	for uri, want := range map[string]string{
		"kappa://document/sha256:0":      "# Lanes\nA lane.",
		"kappa://document/a%20b.md":      "# Lanes\nA lane.",
		"kappa://concept/lane_1":         `"worker lane"  id lane_1`,
		"kappa://concept/worker%20lane":  `"worker lane"  id lane_1`,
		"kappa://document/zzz.md":        "",
		"kappa://concept/nobody%20there": "",
		"kappa://concept/":               "",
	} {
		read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("%s: %v, err %v", uri, read, err)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(read.Contents[0].Text, want) || read.Contents[0].URI != uri {
			t.Errorf("%s: %v, err %v", uri, read, err)
		}
	}
	templates, err := s.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("%v, err %v", templates, err)
	}
}

// TestCompletion goes on with what somebody types.
func TestCompletion(t *testing.T) {
	t.Parallel()
	f := &fakeAPI{answers: map[string]string{
		"POST /search":   `{"hits":[{"kind":"document","text":"bridge.md"},{"kind":"document","text":"bridges.md"}],"facets":{}}`,
		"GET /ontology/": `{"ontologies":[{"ontology":"Minutes"},{"ontology":"letters"}]}`,
	}}
	s := connect(t, f)
	for _, tt := range []struct {
		ref         mcp.CompleteReference
		name, value string
		want        []string
	}{
		{mcp.CompleteReference{Type: "ref/resource", URI: documentTemplate}, "document", "bri", []string{"bridge.md", "bridges.md"}},
		{mcp.CompleteReference{Type: "ref/prompt", Name: "overview"}, "ontology", "min", []string{"Minutes"}},
		{mcp.CompleteReference{Type: "ref/prompt", Name: "answer"}, "question", "why", nil},
		{mcp.CompleteReference{Type: "ref/resource", URI: conceptTemplate}, "concept", " ", nil},
	} {
		got, err := s.Complete(t.Context(), &mcp.CompleteParams{Ref: &tt.ref, Argument: mcp.CompleteParamsArgument{Name: tt.name, Value: tt.value}})
		if err != nil || !slices.Equal(got.Completion.Values, tt.want) {
			t.Errorf("%s %q: %v, err %v", tt.name, tt.value, got, err)
		}
	}
	if last := f.sent[0]; !strings.HasPrefix(last, `POST /search {"query":"bri","typing":true,`) {
		t.Errorf("sent %s", last)
	}
}

// TestAgreement has a client that can ask its user: a job that costs something is approved when the
// user agrees, and stays as it is when they do not.
func TestAgreement(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]string{"accept": "job_1: Job approved.", "decline": "job_1: the user did not agree to what it costs; it still awaits approval."} {
		f := &fakeAPI{answers: map[string]string{"GET /jobs/job_1": job, "POST /jobs/job_1/approve": `{"job_id":"job_1","message":"Job approved."}`}}
		c, err := client.New(client.Config{BaseURL: "http://kappa.test", HTTPClient: &http.Client{Transport: inprocess.Transport{API: f}}})
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := mcp.NewInMemoryTransports()
		as := inprocess.For(t.Context(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", http.NoBody))
		go func() { _ = New(c, "1").Run(as, ours) }()
		asked := ""
		agent := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = r.Params.Message
			return &mcp.ElicitResult{Action: action}, nil
		}})
		s, err := agent.Connect(t.Context(), theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, failed := call(t, s, "approve_job", `{"id":"job_1"}`)
		if failed || got != want || asked != `Reading "a.md" into "demo" costs $0.50 to $1.50. Approve it?` {
			t.Errorf("%s: failed %t: %s, asked %q", action, failed, got, asked)
		}
		if approved := slices.ContainsFunc(f.sent, func(r string) bool { return strings.HasPrefix(r, "POST") }); approved != (action == "accept") {
			t.Errorf("%s: sent %q", action, f.sent)
		}
		_ = s.Close()
	}
}
