package keyterms

import (
	"context"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	mostConcepts  = 20
	mostQuotes    = 5   // of a concept
	mostQuote     = 600 // bytes of a quote
	mostRelations = 40
	mostWord      = 100 // bytes of a word; a longer one is a number or a key
	mostOtherForm = 5   // other spellings of a concept
	// mostPerSentence is how many terms a sentence relates: one with more is a list.
	mostPerSentence = 8
)

// Extractor reads passages in any language. Its zero value is ready, and safe for concurrent
// use.
type Extractor struct{}

// Model describes the extractor.
func (Extractor) Model() models.Model { return models.Model{Name: "key terms", Local: true} }

// Extract returns the terms of p, the heaviest first, with the sentences that show them. The
// only error is that of ctx.
func (Extractor) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	if err := ctx.Err(); err != nil {
		return knowledge.Extraction{}, context.Cause(ctx)
	}
	t := newText(p)
	terms := map[string]*term{}
	t.addNames(terms)
	t.addRepeated(terms)
	t.addUnspaced(terms)
	return t.extraction(t.choose(terms)), nil
}
