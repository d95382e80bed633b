package editing

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake writes nothing, and records in words what it was asked to write.
type fake struct {
	err error
	did []string
}

func (f *fake) Write(_ context.Context, n knowledge.Note) (knowledge.WrittenNote, error) {
	f.did = append(f.did, fmt.Sprintf("write %d concepts, %d edges, %d texts into %s as %s of %s", len(n.Concepts), len(n.Edges), len(n.Evidence), n.Ontology, n.Provenance, n.Username))
	edges := make([]knowledge.WrittenEdge, len(n.Edges))
	for i, e := range n.Edges {
		edges[i] = knowledge.WrittenEdge{FromID: e.FromID, Type: e.Type, ToID: e.ToID}
	}
	return knowledge.WrittenNote{
		Concepts: make([]knowledge.WrittenConcept, len(n.Concepts)), Edges: edges, EdgesCreated: 1, DocumentID: "sha256:0",
	}, f.err
}

func (f *fake) Concept(_ context.Context, id string) (knowledge.WrittenConcept, error) {
	if id == "lost_1" {
		return knowledge.WrittenConcept{}, kappa.NewError(kappa.CodeNotFound, "Concept 'lost_1' not found")
	}
	home := "home"
	return knowledge.WrittenConcept{ConceptID: id, Ontology: &home, SearchTerms: []string{}, Ontologies: []string{home}}, nil
}

func (f *fake) EditConcept(ctx context.Context, id string, e knowledge.ConceptEdit) (knowledge.WrittenConcept, error) {
	f.did = append(f.did, "edit "+id)
	c, _ := f.Concept(ctx, id)
	return c, f.err
}

func (f *fake) RemoveConcept(_ context.Context, id string, dry bool) (knowledge.RemovedConcept, error) {
	f.did = append(f.did, fmt.Sprintf("remove %s, dry %t", id, dry))
	return knowledge.RemovedConcept{ConceptID: id, Deleted: !dry, InstancesDeleted: 4}, f.err
}

func (f *fake) EditEdge(_ context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error) {
	f.did = append(f.did, fmt.Sprintf("edit %s %s %s to %v", e.FromID, e.Type, e.ToID, e.Confidence))
	return e, f.err
}

func (f *fake) RemoveEdge(_ context.Context, e knowledge.WrittenEdge, dry bool) (knowledge.RemovedEdge, error) {
	f.did = append(f.did, fmt.Sprintf("remove %s %s %s, dry %t", e.FromID, e.Type, e.ToID, dry))
	return knowledge.RemovedEdge{WrittenEdge: e, Deleted: !dry, EvidenceDeleted: 2}, f.err
}

// TestEditing sends each request, and checks what is written and what is answered.
func TestEditing(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		did                string
		says               string
	}{
		"a concept":                  {"POST", "/concepts", `{"label":"lane","ontology":"o"}`, 201, "write 1 concepts, 0 edges, 0 texts into o as human of admin", ""},
		"a concept of an agent":      {"POST", "/concepts", `{"label":"lane","ontology":"o","provenance":"agent"}`, 201, "write 1 concepts, 0 edges, 0 texts into o as agent of admin", ""},
		"a concept of an old agent":  {"POST", "/concepts", `{"label":"lane","ontology":"o","creation_method":"mcp"}`, 201, "write 1 concepts, 0 edges, 0 texts into o as agent of admin", ""},
		"a concept of an old client": {"POST", "/concepts", `{"label":"lane","ontology":"o","creation_method":"cli"}`, 201, "write 1 concepts, 0 edges, 0 texts into o as human of admin", ""},
		"an agent that is a human":   {"POST", "/concepts", `{"label":"lane","ontology":"o","creation_method":"mcp","provenance":"human"}`, 201, "write 1 concepts, 0 edges, 0 texts into o as human of admin", ""},
		"a concept without a place":  {"POST", "/concepts", `{"label":"lane"}`, 422, "", "ontology: is required"},
		"a concept is shown":         {"GET", "/concepts/lane_1", "", 200, "", `"concept_id":"lane_1"`},
		"an unknown one":             {"GET", "/concepts/lost_1", "", 404, "", "Concept 'lost_1' not found"},
		"what is no id":              {"GET", "/concepts/a%20b", "", 422, "", "id:"},
		"a change":                   {"PATCH", "/concepts/lane_1", `{"label":"Lane"}`, 200, "edit lane_1", ""},
		"a misspelt change":          {"PATCH", "/concepts/lane_1", `{"labl":"Lane"}`, 422, "", "labl: is not a known field"},
		"a deletion":                 {"DELETE", "/concepts/lane_1", "", 204, "remove lane_1, dry false", ""},
		"a deletion that is not":     {"DELETE", "/concepts/lane_1?dry_run=true", "", 200, "remove lane_1, dry true", `{"concept_id":"lane_1","label":"","deleted":false,"instances_deleted":4,"relationships_deleted":0}`},
		"a text into the first home": {"POST", "/concepts/lane_1/evidence", `{"text":"seen"}`, 201, "write 0 concepts, 0 edges, 1 texts into home as human of admin", ""},
		"a text of a lost concept":   {"POST", "/concepts/lost_1/evidence", `{"text":"seen"}`, 404, "", "not found"},
		"an edge by ids":             {"POST", "/edges", `{"from_concept_id":"a_1","to_concept_id":"b_2","relationship_type":"CAUSES"}`, 201, "write 0 concepts, 1 edges, 0 texts into home as human of admin", `"edge_id":"a_1/CAUSES/b_2","from_concept_id":"a_1"`},
		"an edge of an old client":   {"POST", "/edges", `{"from_concept_id":"a_1","to_concept_id":"b_2","relationship_type":"CAUSES","source":"api_creation"}`, 201, "write 0 concepts, 1 edges, 0 texts into home as human of admin", ""},
		"an edge by labels":          {"POST", "/edges", `{"from_label":"a","to_label":"b","relationship_type":"CAUSES"}`, 201, "write 0 concepts, 1 edges, 0 texts into notes as human of admin", ""},
		"a confidence":               {"PATCH", "/edges/a_1/CAUSES/b_2", `{"confidence":0.5}`, 200, "edit a_1 CAUSES b_2 to 0.5", ""},
		"a confidence out of range":  {"PATCH", "/edges/a_1/CAUSES/b_2", `{"confidence":1.5}`, 422, "", "confidence: must be between 0 and 1"},
		"an edge goes":               {"DELETE", "/edges/a_1/CAUSES/b_2", "", 204, "remove a_1 CAUSES b_2, dry false", ""},
		"an edge would go":           {"DELETE", "/edges/a_1/CAUSES/b_2?dry_run=1", "", 200, "remove a_1 CAUSES b_2, dry true", `"deleted":false,"evidence_deleted":2`},
		"an edge of no type":         {"DELETE", "/edges/a_1/causes%20it/b_2", "", 422, "", "type:"},
		"a batch": {
			"POST", "/graph/batch", `{"ontology":"o","concepts":[{"label":"a"},{"label":"b"}],"edges":[{"from_label":"a","to_label":"b","relationship_type":"CAUSES"}]}`, 201,
			"write 2 concepts, 1 edges, 0 texts into o as human of admin", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			resp, body := apitest.Call(t, apitest.Serve(t, New(Config{Editor: f})), apitest.Request{Method: c.method, Path: c.path, Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.says) || c.status == 204 && body != "" || strings.Join(f.did, "; ") != c.did {
				t.Errorf("%d %s, did %q; want %d %s, %q", resp.StatusCode, body, f.did, c.status, c.says, c.did)
			}
		})
	}
}

// TestFailures checks that what the editor refuses is what is answered, and that nothing
// is half an answer.
func TestFailures(t *testing.T) {
	f := &fake{err: kappa.NewError(kappa.CodeForbidden, "Ontology 'o' is frozen")}
	s := apitest.Serve(t, New(Config{Editor: f}))
	for _, r := range []apitest.Request{
		{Method: "POST", Path: "/concepts", Body: `{"label":"a","ontology":"o"}`},
		{Method: "POST", Path: "/concepts/a_1/evidence", Body: `{"text":"x"}`},
		{Method: "POST", Path: "/edges", Body: `{"from_label":"a","to_label":"b","relationship_type":"CAUSES"}`},
		{Method: "POST", Path: "/graph/batch", Body: `{"ontology":"o"}`},
		{Method: "PATCH", Path: "/concepts/a_1", Body: `{"label":"b"}`},
		{Method: "DELETE", Path: "/concepts/a_1"},
		{Method: "DELETE", Path: "/edges/a_1/CAUSES/b_2"},
	} {
		resp, body := apitest.Call(t, s, r)
		if p := apitest.WantProblem(t, resp, body, 403); p.Detail != "Ontology 'o' is frozen" {
			t.Errorf("%s %s: %s", r.Method, r.Path, p.Detail)
		}
	}
}

// TestRights checks who may write what.
func TestRights(t *testing.T) {
	for role, want := range map[string]string{access.RoleReadOnly: "403 403 403 403", access.RoleContributor: "201 201 403 403", access.RoleAdmin: "201 201 204 204"} {
		who := apitest.NewAccounts()
		who.InRole(role)
		s := apitest.ServeWith(t, http.Config{Auth: who}, New(Config{Editor: &fake{}}))
		var got []string
		for _, r := range []apitest.Request{
			{Method: "POST", Path: "/concepts", Body: `{"label":"a","ontology":"o"}`},
			{Method: "POST", Path: "/graph/batch", Body: `{"ontology":"o","concepts":[{"label":"a"}]}`},
			{Method: "DELETE", Path: "/concepts/a_1"},
			{Method: "DELETE", Path: "/edges/a_1/CAUSES/b_2"},
		} {
			resp, _ := apitest.Call(t, s, r)
			got = append(got, fmt.Sprint(resp.StatusCode))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", role, got, want)
		}
	}
	who := apitest.NewAccounts()
	who.Grant(map[access.Permission]access.Reach{access.GraphCreate: access.ReachAll})
	resp, body := apitest.Call(t, apitest.ServeWith(t, http.Config{Auth: who}, New(Config{Editor: &fake{}})), apitest.Request{Method: "POST", Path: "/graph/batch", Body: `{"ontology":"o"}`})
	apitest.WantProblem(t, resp, body, 403)
}
