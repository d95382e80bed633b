package datasets

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestGraphQuestions(t *testing.T) {
	f := &fake{}
	s, accounts := serve(t, f, Limits{})
	ask := func(body string) (status int, answer string, asked datasets.GraphQuery) {
		t.Helper()
		f.graph = nil
		resp, answer := apitest.Call(t, s, post("/datasets/graph/query", body))
		if len(f.graph) > 0 {
			asked = f.graph[0]
		}
		return resp.StatusCode, answer, asked
	}
	t.Run("with its defaults, and with all that is given", func(t *testing.T) {
		status, answer, q := ask(`{"sql":"SELECT 1"}`)
		if want := (datasets.GraphQuery{SQL: "SELECT 1", Limit: 1000}); status != 200 || !strings.Contains(answer, `"epoch":9`) || !reflect.DeepEqual(q, want) {
			t.Errorf("%d %s, asked %+v", status, answer, q)
		}
		_, _, q = ask(`{"sql":"SELECT 2","ontologies":["a","b"],"min_epoch":7,"limit":5}`)
		if want := (datasets.GraphQuery{SQL: "SELECT 2", Ontologies: []string{"a", "b"}, MinEpoch: new(int64(7)), Limit: 5}); !reflect.DeepEqual(q, want) {
			t.Errorf("asked %+v", q)
		}
	})
	t.Run("who may read one ontology asks that", func(t *testing.T) {
		accounts.GrantRows(
			map[access.Permission]access.Reach{access.DatasetsQuery: access.ReachAll},
			map[access.Permission]access.RowSet{access.GraphRead: {Filters: []access.RowFilter{{"ontology": "open"}}}},
		)
		if status, _, q := ask(`{"sql":"SELECT 1"}`); status != 200 || !reflect.DeepEqual(q.Ontologies, []string{"open"}) {
			t.Errorf("%d, asked %+v", status, q)
		}
		if status, answer, q := ask(`{"sql":"SELECT 1","ontologies":["open","hush"]}`); status != 404 || q.SQL != "" {
			t.Errorf("of another one: %d %s, asked %+v", status, answer, q)
		}
	})
	t.Run("each right is needed", func(t *testing.T) {
		for _, right := range []access.Permission{access.DatasetsQuery, access.GraphRead} {
			accounts.GrantRows(map[access.Permission]access.Reach{right: access.ReachAll}, nil)
			if status, answer, q := ask(`{"sql":"SELECT 1"}`); status != 403 || q.SQL != "" {
				t.Errorf("with %s alone: %d %s", right, status, answer)
			}
		}
	})
}

func TestGraphSchema(t *testing.T) {
	s, _ := serve(t, &fake{}, Limits{})
	resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/datasets/graph/schema"})
	if resp.StatusCode != 200 || !strings.Contains(body, `{"name":"from_concept_id","type":"VARCHAR","nullable":false,"description":"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
