package graph

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestSearchFallsBackToTexts shows passages when, and only when, no concept is found.
func TestSearchFallsBackToTexts(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	ask := func(body string) string {
		resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/search", Body: body})
		if resp.StatusCode != 200 {
			t.Fatalf("%s: %d %s", body, resp.StatusCode, answer)
		}
		return answer
	}
	if got := ask(`{"query":"frozen pipe","limit":3,"ontology":"homes"}`); !strings.Contains(got, `"passages":[{"source_id":"src_1"`) {
		t.Errorf("no passage in %s", got)
	}
	if len(f.texts) != 1 || f.texts[0].Limit != 3 || f.texts[0].Ontology != "homes" || f.texts[0].Least() != allWords {
		t.Errorf("asked for %+v", f.texts)
	}
	if got := ask(`{"query":"no such thing"}`); strings.Contains(got, "passages") {
		t.Errorf("passages without any: %s", got)
	}
	f.hits = []questions.ConceptHit{{ConceptID: "pipe_1"}}
	if got := ask(`{"query":"frozen pipe"}`); strings.Contains(got, "passages") || len(f.texts) != 2 {
		t.Errorf("texts are searched beside a concept: %s", got)
	}
}
