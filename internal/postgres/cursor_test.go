package postgres_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// paged reads a list page by page, and calls between after the first page.
func paged[T any](t *testing.T, get func(cursor string) ([]T, error), place func(T) kappa.Cursor, between func()) []T {
	t.Helper()
	var all []T
	cursor := ""
	for range 1000 {
		page, err := get(cursor)
		must(t, err)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
		cursor = place(page[len(page)-1]).String()
		if between != nil {
			between()
			between = nil
		}
	}
	t.Fatal("the list does not end")
	return nil
}

// TestCursors pages through lists to which something is added meanwhile: nothing is
// shown twice, and nothing is left out.
func TestCursors(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	t.Run("jobs", func(t *testing.T) {
		var want []string
		for range 7 {
			want = append(want, submit(t, s, "polarity").ID)
		}
		slices.Reverse(want)
		jobs := paged(t, func(cursor string) ([]work.Job, error) {
			return s.Jobs().Jobs(t.Context(), work.JobFilter{Limit: 3, Cursor: cursor})
		}, work.Job.Place, func() { submit(t, s, "polarity") })
		var got []string
		for _, j := range jobs {
			got = append(got, j.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("artifacts", func(t *testing.T) {
		add := func() {
			_, err := s.Artifacts().AddArtifact(t.Context(), artifacts.NewArtifact{
				Label:   artifacts.Label{Type: "report", Representation: "cli", Parameters: json.RawMessage(`{}`)},
				Payload: json.RawMessage(`{}`), OwnerID: access.SystemUserID,
			})
			must(t, err)
		}
		for range 7 {
			add()
		}
		list := paged(t, func(cursor string) ([]artifacts.Artifact, error) {
			page, _, err := s.Artifacts().ListArtifacts(t.Context(), artifacts.Filter{Limit: 3, Cursor: cursor})
			return page, err
		}, func(a artifacts.Artifact) kappa.Cursor {
			return kappa.Cursor{List: kappa.ListArtifacts, Keys: []int64{int64(a.ID)}}
		}, add)
		if len(list) != 7 || !slices.IsSortedFunc(list, func(a, b artifacts.Artifact) int { return b.ID - a.ID }) {
			t.Errorf("%d artifacts, want 7, newest first", len(list))
		}
	})
	t.Run("documents and sources", func(t *testing.T) {
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		for i := range 5 {
			_, err := s.Documents().WriteChunk(t.Context(), c, textChunk(i+1, "A text.", "thing"), byLabel{}, noCheckpoint)
			must(t, err)
		}
		sources := paged(t, func(cursor string) ([]corpus.ListedSource, error) {
			page, _, err := s.Library().ListSources(t.Context(), corpus.PageQuery{Limit: 2, Cursor: cursor})
			return page, err
		}, func(s corpus.ListedSource) kappa.Cursor { return s.Place }, nil)
		if len(sources) != 5 || sources[0].Paragraph != 1 || sources[4].Paragraph != 5 {
			t.Errorf("sources %+v", sources)
		}
		documents := paged(t, func(cursor string) ([]corpus.ListedDocument, error) {
			page, _, err := s.Library().ListDocuments(t.Context(), corpus.PageQuery{Limit: 1, Cursor: cursor})
			return page, err
		}, func(d corpus.ListedDocument) kappa.Cursor { return d.Place }, nil)
		if len(documents) != 1 {
			t.Errorf("documents %+v", documents)
		}
	})
}
