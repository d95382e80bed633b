package client

import (
	"net/http"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// TestPages follows the cursors of lists to their ends.
func TestPages(t *testing.T) {
	s := newFakeServer(t)
	var asked []string
	s.HandleFunc("GET /jobs", s.authorized(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		if r.URL.Query().Get("cursor") == "" {
			w.Header().Set("X-Next-Cursor", "two")
			writeJSON(w, []map[string]any{{"job_id": "a"}, {"job_id": "b"}})
			return
		}
		writeJSON(w, []map[string]any{{"job_id": "c"}})
	}))
	var got string
	for job, err := range s.client(t).Jobs.All(t.Context(), work.JobFilter{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		got += job.ID
	}
	if got != "abc" || len(asked) != 2 || asked[1] != "cursor=two&limit=2" {
		t.Errorf("got %s, asked %q", got, asked)
	}
	for range s.client(t).Jobs.All(t.Context(), work.JobFilter{}) {
		break
	}
	if len(asked) != 3 {
		t.Errorf("a list that is left is read on: %q", asked)
	}

	s.HandleFunc("GET /documents", s.authorized(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "two" {
			writeProblem(w, http.StatusServiceUnavailable, "busy")
			return
		}
		writeJSON(w, map[string]any{"documents": []map[string]any{{"document_id": "a"}}, "next_cursor": "two"})
	}))
	var failed error
	n := 0
	for _, err := range s.client(t).Documents.All(t.Context(), corpus.PageQuery{}) {
		n++
		failed = err
	}
	if n != 2 || failed == nil {
		t.Errorf("%d items and %v, want one and the error", n, failed)
	}
}
