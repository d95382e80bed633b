package catalog

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a catalogue that remembers what it was asked.
type fake struct {
	asked []questions.CatalogQuery
	node  [3]string // id, kind, ontology
}

func (f *fake) CatalogNode(_ context.Context, id, kind, ontology string) (questions.CatalogNode, error) {
	f.node = [3]string{id, kind, ontology}
	if id == "none" {
		return questions.CatalogNode{}, kappa.NewError(kappa.CodeNotFound, "Catalog node not found: none")
	}
	return questions.CatalogNode{ID: id, Properties: map[string]any{}}, nil
}

func (f *fake) CatalogChildren(_ context.Context, q questions.CatalogQuery) (questions.CatalogPage, error) {
	f.asked = append(f.asked, q)
	return questions.CatalogPage{Nodes: []questions.CatalogNode{}}, nil
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
		if want := (questions.CatalogQuery{Sort: "name", Limit: 100}); len(f.asked) != 1 || f.asked[0] != want {
			t.Errorf("asked %+v, want %+v", f.asked, want)
		}
	})
	t.Run("everything that clients send arrives", func(t *testing.T) {
		apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/catalog/children?path=a%2Fb&parent_kind=ontology&q=x&sort=created&limit=5&offset=2&ontology=o"})
		want := questions.CatalogQuery{Parent: "a/b", Kind: "ontology", Fragment: "x", Sort: "created", Limit: 5, Offset: 2, Ontology: "o"}
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
