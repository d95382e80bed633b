package english

import (
	"context"
	"fmt"

	"github.com/jdkato/prose/v3/tag"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract/english/relations"
	"github.com/kappagraph/kappa/knowledge"
)

// Extractor reads English by rules. It needs no model, key or network, and
// returns the same extraction for the same passage. It is safe for concurrent
// use.
type Extractor struct {
	words   *lexicon
	rules   map[ruleKey]verbRule
	classes map[string]verbRule
	tagger  *tag.Tagger
	// relations reads what names are to each other; nil: nothing does.
	relations *relations.Model
}

// New loads the word lists and the part-of-speech model, some milliseconds
// once. It fails only when the model that is linked into the program is broken.
func New() (*Extractor, error) {
	tagger, err := tag.New()
	if err != nil {
		return nil, fmt.Errorf("load the part-of-speech model: %w", err)
	}
	weights, err := relations.English()
	if err != nil {
		return nil, err
	}
	return &Extractor{words: newLexicon(), rules: newRules(), classes: newClassNouns(), tagger: tagger, relations: weights}, nil
}

// With returns an extractor that reads what names are to each other with m; nil: by rules alone.
func (e *Extractor) With(m *relations.Model) *Extractor {
	out := *e
	out.relations = m
	return &out
}

// Model describes the extractor.
func (*Extractor) Model() models.Model { return models.Model{Name: "local", Local: true} }

// Extract returns the concepts of p with the quotes that show them and the
// relationships that p states. Concepts come in the order of their weight. A
// passage without anything to name gives an empty extraction. The only error is
// that of ctx, which is asked between sentences.
func (e *Extractor) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	r := newReading(e, p)
	if err := r.tag(ctx); err != nil {
		return knowledge.Extraction{}, err
	}
	if err := r.state(ctx); err != nil {
		return knowledge.Extraction{}, err
	}
	r.outlined(p.Outline)
	chosen := r.choose()
	return r.build(chosen), nil
}
