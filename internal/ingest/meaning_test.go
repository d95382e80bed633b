package ingest

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/work"
)

// TestPassagesAreEmbedded wants the passages of a document to be stored with their embeddings,
// counted as those of concepts are; without them when the model fails for them, and at no cost
// where no model embeds them.
func TestPassagesAreEmbedded(t *testing.T) {
	for name, c := range map[string]struct {
		embedder fakeEmbedder
		embedded bool
	}{
		"a model":                       {fakeEmbedder{}, true},
		"a file":                        {fakeEmbedder{local: true}, true},
		"one that fails with passages":  {fakeEmbedder{noPassages: true}, false},
		"the built-in one, names alone": {fakeEmbedder{local: true, names: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIngestion(100, work.ModeSerial)
			i.embedder = c.embedder
			i.embedder.asked = new([]string)
			if _, err := i.work(t, t.Context()); err != nil {
				t.Fatal(err)
			}
			passages, meanings := 0, 0
			for _, g := range i.store.written {
				passages += len(g.Passages)
				meanings += len(g.Meanings)
				for n, e := range g.Meanings {
					if int(e[0]) != len(g.Passages[n].EmbeddingText()) {
						t.Errorf("passage %d has the embedding of another text", n)
					}
				}
			}
			asked := strings.Join(*i.embedder.asked, "|")
			if passages == 0 || (meanings == passages) != c.embedded || meanings > 0 != c.embedded || c.embedder.names && strings.Contains(asked, i.store.body[:40]) {
				t.Errorf("%d passages, %d embeddings; asked %d texts", passages, meanings, len(*i.embedder.asked))
			}
		})
	}
}
