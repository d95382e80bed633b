package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
)

func TestImageDescriptions(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	images := s.Ingestions()
	if got, err := images.ImageDescription(t.Context(), docID, "sees"); got != "" || err != nil {
		t.Errorf("before: %q and %v", got, err)
	}
	for _, said := range []string{"A glacier.", "A river."} { // the first stays
		if kept, err := images.KeepImageDescription(t.Context(), docID, "sees", said); kept != "A glacier." || err != nil {
			t.Errorf("kept %q and %v", kept, err)
		}
	}
	if got, err := images.ImageDescription(t.Context(), docID, "other"); got != "" || err != nil {
		t.Errorf("of another model: %q and %v", got, err)
	}
	if _, err := images.KeepImageDescription(t.Context(), "sha256:none", "sees", "x"); err == nil {
		t.Error("an image that is not stored was described")
	}
	g := chunkGraph(1, "ice")
	g.Document.ContentType = corpus.ContentPNG
	_, err := s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint)
	must(t, err)
	must(t, s.Graph().View(t.Context(), func(view *postgres.GraphSnapshot) error {
		found, err := view.ConceptEvidence(t.Context(), []int{1}, 1)
		if err == nil {
			if e := found[1][0]; e.HasImage == nil || !*e.HasImage || e.ImageURI == nil || *e.ImageURI != "/api/sources/"+e.SourceID+"/image" {
				t.Errorf("the quote of an image: %+v", e)
			}
		}
		return err
	}))
}
