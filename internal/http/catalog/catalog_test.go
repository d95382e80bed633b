package catalog

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a catalogue that remembers what it was asked.
type fake struct {
	asked    []kappa.CatalogQuery
	node     [3]string // id, kind, ontology
	ontology string
	most     int
}

func (f *fake) CatalogNode(_ context.Context, id, kind, ontology string) (kappa.CatalogNode, error) {
	f.node = [3]string{id, kind, ontology}
	if id == "none" {
		return kappa.CatalogNode{}, kappa.NewError(kappa.CodeNotFound, "Catalog node not found: none")
	}
	return kappa.CatalogNode{ID: id, Properties: map[string]any{}}, nil
}

func (f *fake) CatalogChildren(_ context.Context, q kappa.CatalogQuery) (kappa.CatalogPage, error) {
	f.asked = append(f.asked, q)
	return kappa.CatalogPage{Nodes: []kappa.CatalogNode{}}, nil
}

func (f *fake) NewestConcepts(_ context.Context, ontology string, most int) ([]kappa.NewestConcept, error) {
	f.ontology, f.most = ontology, most
	return []kappa.NewestConcept{{ConceptID: "a_1", Label: "A", SearchTerms: []string{}, CreatedAt: kappa.At(time.Unix(5, 0))}}, nil
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{Tree: f}))
}

func TestCatalog(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	t.Run("without a parent the ontologies are listed", func(t *testing.T) {
		apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/catalog/children"})
		if want := (kappa.CatalogQuery{Sort: "name", Limit: 100}); len(f.asked) != 1 || f.asked[0] != want {
			t.Errorf("asked %+v, want %+v", f.asked, want)
		}
	})
	t.Run("everything that clients send arrives", func(t *testing.T) {
		apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/catalog/children?path=a%2Fb&parent_kind=ontology&q=x&sort=created&limit=5&offset=2&ontology=o"})
		want := kappa.CatalogQuery{Parent: "a/b", Kind: "ontology", Fragment: "x", Sort: "created", Limit: 5, Offset: 2, Ontology: "o"}
		if got := f.asked[len(f.asked)-1]; got != want {
			t.Errorf("asked %+v, want %+v", got, want)
		}
	})
	t.Run("a node is found by its encoded id", func(t *testing.T) {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/catalog/node/sha256%3Aab?kind=document"})
		if resp.StatusCode != 200 || f.node != [3]string{"sha256:ab", "document", ""} {
			t.Errorf("%d %s, asked for %v", resp.StatusCode, body, f.node)
		}
		resp, body = apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/catalog/node/none"})
		apitest.WantProblem(t, resp, body, 404)
	})
	t.Run("what breaks a rule is refused", func(t *testing.T) {
		before := len(f.asked)
		for query, field := range map[string]string{"limit=0": "limit", "limit=501": "limit", "sort=age": "sort", "parent_kind=job": "parent_kind", "offset=-1": "offset", "q=%00": "q"} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/catalog/children?" + query})
			if p := apitest.WantProblem(t, resp, body, 422); !strings.HasPrefix(p.Detail, field+": ") {
				t.Errorf("%s: %s", query, p.Detail)
			}
		}
		if len(f.asked) != before {
			t.Error("it reached what is behind the API")
		}
	})
}

const newestProgram = "MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL RETURN c ORDER BY c.created_at_epoch DESC"

func programOf(query string, limit any) string {
	body, _ := json.Marshal(map[string]any{"program": map[string]any{"version": 1, "statements": []any{
		map[string]any{"op": "+", "operation": map[string]any{"type": "cypher", "query": query, "limit": limit}},
	}}})
	return string(body)
}

func TestProgram(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	for name, tt := range map[string]struct {
		body     string
		status   int
		ontology string
		most     int
	}{
		"the newest of all":            {programOf(newestProgram, 20), 200, "", 20},
		"on several lines":             {programOf("MATCH (c:Concept)\n  WHERE c.created_at_epoch IS NOT NULL\n  RETURN c\n  ORDER BY c.created_at_epoch DESC\n LIMIT 7", nil), 200, "", 7},
		"of an ontology":               {programOf(strings.Replace(newestProgram, "NULL RETURN", `NULL AND c.ontology = 'Bob\'s' RETURN`, 1), 3), 200, "Bob's", 3},
		"without a limit":              {programOf(newestProgram, nil), 200, "", 50},
		"too many":                     {programOf(newestProgram, 501), 422, "", 0},
		"none":                         {programOf(newestProgram, 0), 422, "", 0},
		"another statement":            {programOf("MATCH (c:Concept) RETURN c", 5), 501, "", 0},
		"a statement behind it":        {programOf(newestProgram+" UNION MATCH (s:Source) RETURN s", 5), 501, "", 0},
		"a quote that does not end it": {programOf(strings.Replace(newestProgram, "NULL RETURN", `NULL AND c.ontology = 'a' OR c.x = 'b' RETURN`, 1), 3), 501, "", 0},
		"a stored program":             {`{"program_id": 1}`, 501, "", 0},
		"a deck":                       {`{"deck": [{}]}`, 501, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f.ontology, f.most = "", 0
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/programs/execute", Body: tt.body})
			if resp.StatusCode != tt.status || f.ontology != tt.ontology || f.most != tt.most {
				t.Errorf("%d %s, asked for %d of %q", resp.StatusCode, body, f.most, f.ontology)
			}
			if tt.status == 200 && !strings.Contains(body, `"created_at_epoch":5`) {
				t.Error(body)
			}
		})
	}
}
