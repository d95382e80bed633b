package graph

import (
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Export writes what it was asked for, and fails for the seeds "no_such" at once, and
// "breaks_1" in the middle.
func (f *fake) Export(_ context.Context, q questions.ExportQuery, begin func(questions.Completeness) io.Writer) error {
	f.export = q
	if slices.Contains(q.Seeds, "no_such") {
		return kappa.NewError(kappa.CodeNotFound, "Concept 'no_such' not found")
	}
	w := begin(questions.Completeness{Complete: q.Limit == 0})
	_, _ = io.WriteString(w, `{"half": `)
	if slices.Contains(q.Seeds, "breaks_1") {
		return errors.New("the database is gone")
	}
	_, err := io.WriteString(w, `"a graph"}`)
	return err
}

func (s *strict) Export(_ context.Context, q questions.ExportQuery, begin func(questions.Completeness) io.Writer) error {
	bad := func(id string) bool { return knowledge.CheckConceptID("", "", id) != nil }
	named := !slices.ContainsFunc(q.Types, func(t string) bool { return !apitest.Sentence(t, 100) })
	s.Allow(slices.Contains(questions.ExportFormats(), q.Format) && len(q.Seeds) <= 100 && !slices.ContainsFunc(q.Seeds, bad) && apitest.Within(q.MaxHops, 1, 5) &&
		apitest.Within(q.Limit, 0, 50_000) && apitest.SentenceOrNone(q.Ontology, 200) && len(q.Types) <= 100 && named, q)
	_, err := io.WriteString(begin(questions.Completeness{}), "{}")
	return err
}

func TestExport(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	get := func(query string) apitest.Request {
		return apitest.Request{Method: "GET", Path: "/graph/export?" + query}
	}
	resp, body := apitest.Call(t, s, get(""))
	if want := (questions.ExportQuery{Format: "json", MaxHops: 2}); !reflect.DeepEqual(f.export, want) || resp.StatusCode != 200 || body != `{"half": "a graph"}` {
		t.Errorf("%d %s, asked for %+v, want %+v", resp.StatusCode, body, f.export, want)
	}
	if h := resp.Header; h.Get("Content-Type") != "application/json; charset=utf-8" || h.Get("Content-Disposition") != `attachment; filename="graph.json"` || h.Get("Kappa-Complete") != "true" {
		t.Errorf("header %v", h)
	}
	resp, _ = apitest.Call(t, s, get("format=CSV&concept_id=a_1&concept_id=b_2&max_hops=3&relationship_type=A&relationship_type=B&limit=9"))
	want := questions.ExportQuery{Format: "csv", Seeds: []string{"a_1", "b_2"}, MaxHops: 3, Types: []string{"A", "B"}, Limit: 9}
	if !reflect.DeepEqual(f.export, want) || resp.Header.Get("Content-Type") != "application/zip" || resp.Header.Get("Kappa-Complete") != "false" {
		t.Errorf("asked for %+v, want %+v; header %v", f.export, want, resp.Header)
	}
	apitest.Refuses(t, s, map[string]apitest.Refusal{
		"a table of another format":    apitest.Refused(get("format=csv&table=concepts"), 422, `table: must be given with the format parquet alone, got "csv"`, "query.table"),
		"a table that nobody knows":    apitest.Refused(get("format=parquet&table=nodes"), 422, `table: must be one of concepts, relationships, evidence, documents, got "nodes"`, "query.table"),
		"a format that nobody knows":   apitest.Refused(get("format=xls"), 422, `format: must be one of json, graphml, gexf, dot, csv, turtle, nquads, parquet, got "xls"`, "query.format"),
		"an ontology and a concept":    apitest.Refused(get("concept_id=a_1&ontology=o"), 422, "ontology: must not be given together with concept_id", "query.ontology"),
		"six hops":                     apitest.Refused(get("concept_id=a_1&max_hops=6"), 422, "max_hops: must be at most 5, got 6", "query.max_hops"),
		"hops that are no number":      apitest.Refused(get("max_hops=many"), 422, "max_hops: must be a whole number", "query.max_hops"),
		"no concepts":                  apitest.Refused(get("limit=0"), 422, "limit: must be at least 1, got 0", "query.limit"),
		"too many":                     apitest.Refused(get("limit=50001"), 422, "limit: must be at most 50000, got 50001", "query.limit"),
		"an id that no concept has":    apitest.Refused(get("concept_id=no_such"), 404, "Concept 'no_such' not found", ""),
		"an id that no concept can be": apitest.Refused(get("concept_id=a%00"), 422, "concept_id[0]: ", "query.concept_id.0"),
	}, func() int { return 0 })
	t.Run("an answer that fails in the middle is cut", func(t *testing.T) {
		defer func() {
			if v := recover(); v != nethttp.ErrAbortHandler { //nolint:errorlint // it is what net/http compares with
				t.Errorf("recovered %v", v)
			}
		}()
		resp, body := apitest.Call(t, s, get("concept_id=breaks_1"))
		t.Errorf("answered %d %s", resp.StatusCode, body)
	})
}
