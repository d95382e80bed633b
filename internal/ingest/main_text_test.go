package ingest

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// menuFormats reads texts of which the first 40 bytes are a menu.
type menuFormats struct{ fakeFormats }

func (f menuFormats) Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	d, err := f.fakeFormats.Text(ctx, body, format)
	d.Places = []corpus.Place{{Section: corpus.SectionNavigation}, {Start: 40}}
	return d, err
}

// TestMenusReachNoExtractor stores a chunk as it is, and has it read without the menu in it.
func TestMenusReachNoExtractor(t *testing.T) {
	i := newIngestion(20, work.ModeSerial)
	first := ""
	i.extractor.before = func(_ context.Context, p knowledge.Passage) error {
		if p.Place.Number == 1 {
			first = p.Text
		}
		return nil
	}
	_, err := NewHandler(HandlerConfig{
		Store: i.store, Formats: menuFormats{}, Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Log: testLog(t),
		Vocabulary: func(context.Context) (vocabulary.TypeNames, error) { return vocabulary.TypeNames{}, nil },
	}).Work(t.Context(), i.claim)
	if err != nil || len(first) <= 40 || strings.TrimSpace(first[:40]) != "" || strings.TrimSpace(first[40:]) == "" {
		t.Errorf("the extractor read %q, %v", first, err)
	}
}
