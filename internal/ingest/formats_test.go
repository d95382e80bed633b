package ingest

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// TestConvertedDocument has the text of a document that is not text itself.
func TestConvertedDocument(t *testing.T) {
	data := encoded(jobData{ContentType: corpus.ContentPDF, Chunking: smallOptions()})
	t.Run("its analysis counts the words of the text, and warns", func(t *testing.T) {
		store := newFakeAnalyses(fakeFormat + "Water boils at last.")
		store.pending[0].Data = data
		if err := newTestAnalyst(t, store).runOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := store.analysed[fakeFormat+"Water boils at last."]
		if got.FileStats.WordCount != 4 || got.FileStats.SizeBytes != 24 || !slices.Contains(got.Warnings, "Page 2 has no text layer") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("its chunks are of the text", func(t *testing.T) {
		i := newIngestion(40, "serial")
		body := i.store.body
		i.store.body = fakeFormat + body
		*i.store.document.ContentHash = corpus.ContentHash([]byte(i.store.body))
		i.claim.Data = data
		if _, err := i.work(t, t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, g := range i.store.written {
			if g.Document.ContentType != corpus.ContentPDF || body[g.Chunk.Bytes.Start:g.Chunk.Bytes.End] != g.Chunk.Text {
				t.Errorf("wrote %+v", g)
			}
		}
	})
	t.Run("one that cannot be read fails", func(t *testing.T) {
		i := newIngestion(40, "serial")
		i.claim.Data = data
		_, err := i.work(t, t.Context())
		if kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), "The PDF is broken") || len(i.store.written) > 0 {
			t.Errorf("got %v", err)
		}
	})
}
