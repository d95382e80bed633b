package graph

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func (s *strict) Centrality(_ context.Context, q questions.CentralityQuery) (questions.Centrality, error) {
	s.Allow(apitest.SentenceOrNone(q.Ontology, 200) && apitest.Within(q.Limit, 1, 1000), q)
	return questions.Centrality{}, nil
}

func (s *strict) Communities(_ context.Context, q questions.CommunitiesQuery) (questions.Communities, error) {
	s.Allow(apitest.SentenceOrNone(q.Ontology, 200) && apitest.Within(q.Limit, 1, 1000) && apitest.Within(q.PerGroup, 1, 100) &&
		q.Resolution >= 0.01 && q.Resolution <= 100, q)
	return questions.Communities{}, nil
}

func TestSurvey(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		asked              any
		lists              string // what is never null
	}{
		{"POST", "/graph/centrality", `{}`, questions.CentralityQuery{Limit: 20}, `"results":[]`},
		{"POST", "/graph/centrality", `{"ontology":"a b","limit":1000}`, questions.CentralityQuery{Ontology: "a b", Limit: 1000}, `"ontology":null`},
		{"POST", "/graph/communities", `{"ontology":null}`, questions.CommunitiesQuery{Resolution: 1, Limit: 20, PerGroup: 5}, `"communities":[]`},
		{
			"POST", "/graph/communities", `{"ontology":"x","resolution":0.5,"limit":3,"per_community":100}`,
			questions.CommunitiesQuery{Ontology: "x", Resolution: 0.5, Limit: 3, PerGroup: 100},
			`"modularity":0`,
		},
		{"GET", "/ontology/a%20b/about", "", questions.CommunitiesQuery{Ontology: "a b", Resolution: 1, Limit: 10, PerGroup: 5}, `"communities":[]`},
	} {
		f := &fake{}
		resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: c.method, Path: c.path, Body: c.body})
		if resp.StatusCode != 200 || !strings.Contains(body, c.lists) {
			t.Errorf("%s %s: %d %s", c.path, c.body, resp.StatusCode, body)
		}
		if !reflect.DeepEqual(f.surveyed, []any{c.asked}) {
			t.Errorf("%s %s asked for %+v, want %+v", c.path, c.body, f.surveyed, c.asked)
		}
	}
}

func TestBadInputOfSurveys(t *testing.T) {
	post := func(path, body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: path, Body: body}
	}
	get := func(path string) apitest.Request { return apitest.Request{Method: "GET", Path: path} }
	f := &fake{}
	apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
		"no concepts":                  apitest.Refused(post("/graph/centrality", `{"limit":0}`), 422, "limit: must be at least 1", "body.limit"),
		"too many concepts":            apitest.Refused(post("/graph/centrality", `{"limit":1001}`), 422, "limit: must be at most 1000", "body.limit"),
		"an ontology that is a number": apitest.Refused(post("/graph/centrality", `{"ontology":1}`), 422, "ontology: must be", "body.ontology"),
		"no resolution":                apitest.Refused(post("/graph/communities", `{"resolution":0}`), 422, "resolution: must be between 0.01 and 100", "body.resolution"),
		"too fine a resolution":        apitest.Refused(post("/graph/communities", `{"resolution":101}`), 422, "resolution: must be between", "body.resolution"),
		"too many of a community":      apitest.Refused(post("/graph/communities", `{"per_community":101}`), 422, "per_community: must be at most 100", "body.per_community"),
		"a body that is no JSON":       apitest.Refused(post("/graph/communities", `{`), 400, "not valid JSON", ""),
		"an ontology with a NUL":       apitest.Refused(get("/ontology/a%00/about"), 404, "does not exist", ""),
		"too long an ontology":         apitest.Refused(get("/ontology/"+strings.Repeat("x", 201)+"/about"), 404, "does not exist", ""),
		"another method":               apitest.Refused(get("/graph/centrality"), 405, "", ""),
	}, func() int { return len(f.surveyed) })
	t.Run("an ontology that nobody knows", func(t *testing.T) {
		f := &fake{err: kappa.NewError(kappa.CodeNotFound, "Ontology 'x' does not exist")}
		if resp, body := apitest.Call(t, newServer(t, f), get("/ontology/x/about")); resp.StatusCode != 404 || !strings.Contains(body, "Ontology 'x' does not exist") {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
}
