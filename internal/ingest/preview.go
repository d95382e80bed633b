package ingest

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// The most that a preview reads.
const (
	previewChunks = 20
	previewTime   = time.Second
	// previewOutline is the longest document, in bytes, of which a preview makes an outline.
	previewOutline = 1 << 20
)

// Previewer says what the built-in extractor would find, without storing it.
type Previewer struct {
	// Extractor is one that charges nothing.
	Extractor extractor
	// Known returns those of the names that concepts of the graph bear; names are as
	// naming.LabelKey makes them.
	Known func(ctx context.Context, names []string) ([]string, error)
}

// preview reads the first chunks, as the ingestion will. A nil Previewer shows none.
func (p *Previewer) preview(ctx context.Context, text corpus.DocumentText, options corpus.ChunkOptions, force bool) (*corpus.Preview, error) {
	if p == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	vocabulary := vocabulary.BuiltinTypeNames().Active
	found := map[string]bool{}
	shown := &corpus.Preview{}
	began := time.Now()
	language := corpus.LanguageOf(text.Text)
	var outline *knowledge.Outline
	if len(text.Text) <= previewOutline {
		outline = outlineOf(p.Extractor, text)
	}
	for chunk := range Chunks(text.Text, text.Markup, options) {
		if shown.ChunksRead == previewChunks || time.Since(began) > previewTime {
			break
		}
		passage := knowledge.Passage{Text: chunk.Text, ContentType: text.Markup}
		if !force {
			passage.Language = foreignChunk(chunk.Text, language)
			passage.Parts = partsOf(chunk.Text, passage.Language)
		}
		passage.Outline = narrow(p.Extractor, outline, passage)
		e, err := p.Extractor.Extract(ctx, passage)
		if err != nil {
			return nil, err
		}
		shown.ChunksRead++
		concepts := Clean(e, chunk.Text, vocabulary).Concepts
		shown.Read.Chunks++
		shown.Read.Words += chunk.Words
		shown.Read.Concepts += len(concepts)
		for _, c := range concepts {
			found[naming.LabelKey(c.Label)] = true
		}
	}
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	known, err := p.Known(ctx, names)
	if err != nil {
		return nil, err
	}
	shown.ConceptsMatched, shown.ConceptsNew = len(known), len(names)-len(known)
	return shown, nil
}
