package extract

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/jdkato/prose/v3/tag"

	"github.com/kappagraph/kappa"
)

// maxPieceBytes is how much text is read at a time. Longer passages are read
// piece by piece, so that memory does not grow with them.
const maxPieceBytes = 64 << 10

// Local is the built-in extractor. It needs no model, key or network, and
// returns the same extraction for the same passage. It is safe for concurrent
// use.
type Local struct {
	words   *lexicon
	rules   map[ruleKey]verbRule
	classes map[string]verbRule
	tagger  *tag.Tagger
}

// NewLocal loads the word lists and the part-of-speech model, some milliseconds
// once. It fails only when the model that is linked into the program is broken.
func NewLocal() (*Local, error) {
	tagger, err := tag.New()
	if err != nil {
		return nil, fmt.Errorf("load the part-of-speech model: %w", err)
	}
	return &Local{words: newLexicon(), rules: newRules(), classes: newClassNouns(), tagger: tagger}, nil
}

// Model describes the extractor.
func (l *Local) Model() kappa.Model { return kappa.Model{Name: "local", Local: true} }

// Extract returns the concepts of p with the quotes that show them and the
// relationships that p states. Concepts come in the order of their weight. A
// passage without anything to name gives an empty extraction. The only error is
// that of ctx, which is looked at between sentences.
func (l *Local) Extract(ctx context.Context, p kappa.Passage) (kappa.Extraction, error) {
	var all collection
	for start := 0; start < len(p.Text); {
		end := pieceEnd(p.Text, start)
		e, err := l.piece(ctx, p.Text[start:end], p.ContentType)
		if err != nil {
			return kappa.Extraction{}, fmt.Errorf("extract from a passage of %d bytes: %w", len(p.Text), err)
		}
		if start == 0 && end == len(p.Text) {
			return e, nil
		}
		all.add(e, start)
		start = end
	}
	return all.extraction(), nil
}

// pieceEnd returns where the piece that starts at start ends: at a blank line,
// a line's end or a space when there is one near the limit.
func pieceEnd(text string, start int) int {
	if len(text)-start <= maxPieceBytes {
		return len(text)
	}
	limit := start + maxPieceBytes
	for limit > start && !utf8.RuneStart(text[limit]) {
		limit--
	}
	floor := limit - maxPieceBytes/4
	space, line := 0, 0
	for i := limit; i > floor; i-- {
		switch {
		case text[i-1] == '\n' && i > 1 && text[i-2] == '\n':
			return i
		case text[i-1] == '\n' && line == 0:
			line = i
		case text[i-1] == ' ' && space == 0:
			space = i
		}
	}
	if line > 0 {
		return line
	}
	if space > 0 {
		return space
	}
	return limit
}

// piece extracts from one piece of a passage.
func (l *Local) piece(ctx context.Context, text string, ct kappa.ContentType) (kappa.Extraction, error) {
	r := newReading(l, text, ct)
	for _, step := range []func(context.Context) error{r.tag, r.state} {
		if err := step(ctx); err != nil {
			return kappa.Extraction{}, err
		}
	}
	chosen := r.choose()
	return r.build(chosen), nil
}
