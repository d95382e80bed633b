package extract

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
)

// languages reads a passage of several languages once for each of them: what is in the others
// are spaces then, so that all is found where it stands.
type languages struct{ Reader }

// Extract implements Extractor.
func (l languages) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	if len(p.Parts) == 0 {
		return l.Reader.Extract(ctx, p)
	}
	var all collection
	var read []string
	for _, part := range p.Parts {
		if slices.Contains(read, part.Language) {
			continue
		}
		read = append(read, part.Language)
		e, err := l.Reader.Extract(ctx, only(p, part.Language))
		if err != nil {
			return knowledge.Extraction{}, err
		}
		all.add(e, 0)
	}
	return all.extraction(), nil
}

// Narrow returns what of an outline matters to the parts of a passage.
func (l languages) Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline {
	for _, part := range p.Parts {
		if isEnglish(part.Language) {
			return l.Reader.Narrow(o, only(p, part.Language))
		}
	}
	if len(p.Parts) > 0 {
		return nil
	}
	return l.Reader.Narrow(o, p)
}

// only returns a passage with spaces in place of what is in other languages than one.
func only(p knowledge.Passage, language string) knowledge.Passage {
	text := []byte(p.Text)
	for _, part := range p.Parts {
		if part.Language == language {
			continue
		}
		for at := part.Start; at < part.End; at++ {
			if text[at] != '\n' {
				text[at] = ' '
			}
		}
	}
	p.Text, p.Language, p.Parts = string(text), language, nil
	return p
}
