package graph

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestEdge(t *testing.T) {
	f := &fake{}
	resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/edges/a_1/CAUSES/b_2?limit=2&offset=1"})
	if want := (questions.EdgeEvidenceQuery{FromID: "a_1", Type: "CAUSES", ToID: "b_2", Limit: 2, Offset: 1}); resp.StatusCode != http.StatusOK || f.edge != want {
		t.Errorf("%d, asked for %+v, want %+v", resp.StatusCode, f.edge, want)
	}
	for _, member := range []string{`"from_concept_id":"a_1"`, `"relationship_type":"CAUSES"`, `"to_concept_id":"b_2"`, `"evidence":[]`, `"total":4`, `"offset":1`, `"limit":2`} {
		if !strings.Contains(body, member) {
			t.Errorf("%s lacks %s", body, member)
		}
	}
	get := func(path string) apitest.Request { return apitest.Request{Method: "GET", Path: "/edges/" + path} }
	apitest.Refuses(t, newServer(t, &fake{}), map[string]apitest.Refusal{
		"201 sentences":     apitest.Refused(get("a_1/CAUSES/b_2?limit=201"), 422, "limit: must be at most 200, got 201", "query.limit"),
		"none":              apitest.Refused(get("a_1/CAUSES/b_2?limit=0"), 422, "limit: must be at least 1, got 0", "query.limit"),
		"a negative offset": apitest.Refused(get("a_1/CAUSES/b_2?offset=-1"), 422, "offset: must be at least 0, got -1", "query.offset"),
		"no id of anything": apitest.Refused(get("a%20b/CAUSES/b_2"), 422, "from: ", "path.from"),
	}, func() int { return 0 })
}

func TestIncludeEvidence(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	for _, asked := range []struct {
		request apitest.Request
		heard   func() bool
	}{
		{apitest.Request{Method: "GET", Path: "/query/concept/a_1?include_evidence=true"}, func() bool { return f.stated == "a_1" }},
		{apitest.Request{Method: "GET", Path: "/edges?include_evidence=true"}, func() bool { return f.edges.IncludeEvidence }},
		{apitest.Request{Method: "GET", Path: "/graph/export?include_evidence=true"}, func() bool { return f.export.IncludeEvidence }},
		{apitest.Request{Method: "POST", Path: "/query/related", Body: `{"concept_id":"a_1","include_evidence":true}`}, func() bool { return f.near.IncludeEvidence }},
		{apitest.Request{Method: "POST", Path: "/query/neighborhood", Body: `{"concept_id":"a_1","include_evidence":true}`}, func() bool { return f.around.IncludeEvidence }},
		{apitest.Request{Method: "POST", Path: "/query/enriched-path", Body: `{"from_id":"a_1","to_id":"b_2","include_evidence":true}`}, func() bool { return f.enriched.IncludeEvidence }},
		{apitest.Request{Method: "POST", Path: "/query/connect-by-search", Body: `{"from_query":"a","to_query":"b","include_evidence":true}`}, func() bool { return f.phrases.IncludeEvidence }},
	} {
		if asked.heard() {
			t.Errorf("%s %s: evidence is wanted before it is asked for", asked.request.Method, asked.request.Path)
		}
		if resp, body := apitest.Call(t, s, asked.request); resp.StatusCode != http.StatusOK || !asked.heard() {
			t.Errorf("%s %s: %d %s, and no evidence is wanted", asked.request.Method, asked.request.Path, resp.StatusCode, body)
		}
	}
	apitest.Refuses(t, newServer(t, &fake{}), map[string]apitest.Refusal{
		"a format without a place": apitest.Refused(apitest.Request{Method: "GET", Path: "/graph/export?format=dot&include_evidence=true"}, 422, "include_evidence: must not be given for dot", "query.include_evidence"),
		"no word of yes or no":     apitest.Refused(apitest.Request{Method: "GET", Path: "/graph/export?include_evidence=perhaps"}, 422, "include_evidence: must be true or false", "query.include_evidence"),
	}, func() int { return 0 })
}
