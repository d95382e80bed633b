package ingest

import (
	"context"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// TestPreviewReadsAsTheIngestion previews a document and ingests it: the extractor is asked
// the same, so that it may keep what it found.
func TestPreviewReadsAsTheIngestion(t *testing.T) {
	type asked struct {
		text    string
		markup  corpus.ContentType
		outline string
	}
	var passages []asked
	e := &outlinedExtractor{}
	e.before = func(_ context.Context, p knowledge.Passage) error {
		passages = append(passages, asked{p.Text, p.ContentType, p.Outline.Hash})
		return nil
	}
	i := newIngestion(1, work.ModeSerial)
	i.store.body = numbered(50) + " wasp wasp wasp " + numbered(50) // what is repeated is in the outline
	i.store.document.ContentHash = new(corpus.ContentHash([]byte(i.store.body)))
	p := &Previewer{Extractor: e, Known: func(context.Context, []string) ([]string, error) { return nil, nil }}
	text := corpus.DocumentText{Text: i.store.body, Markup: corpus.ContentPlain}
	shown, err := p.preview(t.Context(), text, jobData{Chunking: smallOptions()}.options(), false)
	if err != nil || shown.ChunksRead < 5 {
		t.Fatalf("shown %+v, %v", shown, err)
	}
	previewed := slices.Clone(passages)
	passages = nil
	if _, err := NewHandler(HandlerConfig{Vocabulary: builtinTypes, Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: e, Embedder: i.embedder, Log: testLog(t)}).Work(t.Context(), i.claim); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(passages, previewed) {
		t.Errorf("the ingestion asks\n%+v\nthe preview\n%+v", passages, previewed)
	}
}
