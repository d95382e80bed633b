package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
)

// TestPlacesOfQuotes writes a chunk of two pages, and again with headings, and without.
func TestPlacesOfQuotes(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	g := chunkGraph(0, "ice", "snow")
	g.Instances[1].Span = corpus.Span{Start: 5, End: 9}
	for _, tt := range []struct {
		places []corpus.Place
		want   []string
	}{
		{[]corpus.Place{{Start: 0, Page: 1}, {Start: 5, Page: 2, Section: "Snow"}}, []string{"page 1", "page 2, Snow"}},
		{[]corpus.Place{{Start: 5, Section: "Setup > Install"}}, []string{"", "Setup > Install"}},
		{nil, []string{"", ""}},
	} {
		g.Places = tt.places
		_, err := s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint)
		must(t, err)
		if got := placesOf(t, s); !slices.Equal(got, tt.want) {
			t.Errorf("%v: the quotes stand at %q, want %q", tt.places, got, tt.want)
		}
	}
}

// placesOf returns where the quotes of the first two concepts stand.
func placesOf(t *testing.T, s *postgres.DB) (places []string) {
	t.Helper()
	must(t, s.Graph().View(t.Context(), func(view *postgres.GraphSnapshot) error {
		found, err := view.ConceptEvidence(t.Context(), []int{1, 2}, 10)
		for _, concept := range []int{1, 2} {
			for _, e := range found[concept] {
				places = append(places, e.Place())
			}
		}
		return err
	}))
	return places
}
