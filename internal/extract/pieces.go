package extract

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// maxPieceBytes is how much text is read at a time. Longer passages are read piece by
// piece, so that memory does not grow with them.
const maxPieceBytes = 64 << 10

// pieces is an Extractor for passages that are longer than its reader takes: it hands
// them over in pieces, and joins what is found by its keys. A passage that fits is read
// as it is.
type pieces struct {
	reader Extractor
	limit  int // bytes of a piece, at least utf8.UTFMax
}

// Model describes the reader.
func (p *pieces) Model() models.Model { return p.reader.Model() }

// Outline returns the outline of a whole document, which its passages are read with, or
// nil when the reader makes none.
func (p *pieces) Outline(text string, ct corpus.ContentType) *knowledge.Outline {
	if o, ok := p.reader.(Outliner); ok {
		return o.Outline(text, ct)
	}
	return nil
}

// Narrow returns what of an outline matters to a passage: all of it when the reader does
// not say.
func (p *pieces) Narrow(o *knowledge.Outline, passage knowledge.Passage) *knowledge.Outline {
	if r, ok := p.reader.(Outliner); ok {
		return r.Narrow(o, passage)
	}
	return o
}

// Extract implements Extractor.
func (p *pieces) Extract(ctx context.Context, passage knowledge.Passage) (knowledge.Extraction, error) {
	var all collection
	for start := 0; start < len(passage.Text); {
		end := pieceEnd(passage.Text, start, p.limit)
		piece := passage
		piece.Text = passage.Text[start:end]
		e, err := p.reader.Extract(ctx, piece)
		if err != nil {
			return knowledge.Extraction{}, fmt.Errorf("extract from a passage of %d bytes: %w", len(passage.Text), err)
		}
		if start == 0 && end == len(passage.Text) {
			return e, nil
		}
		all.add(e, start)
		start = end
	}
	return all.extraction(), nil
}

// pieceEnd returns where the piece that starts at start ends: at a blank line, a
// line's end or a space when there is one near the limit.
func pieceEnd(text string, start, most int) int {
	if len(text)-start <= most {
		return len(text)
	}
	limit := start + most
	for limit > start && !utf8.RuneStart(text[limit]) {
		limit--
	}
	floor := limit - most/4
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
