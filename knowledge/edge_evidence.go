package knowledge

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// SampleEdgeEvidence is how many quotes an answer shows of each of its relationships.
const SampleEdgeEvidence = 3

// MarkedEnd is an end of a relationship in a quote, as it is shown.
type MarkedEnd struct {
	Mark
	Text string `json:"text"` // what stands there; "" when nothing does
}

// ShownMark returns a mark with what stands there.
func ShownMark(quote string, m Mark) MarkedEnd {
	if !m.Kind.InQuote() || m.Start < 0 || m.End > len(quote) || m.Start > m.End {
		return MarkedEnd{Mark: Mark{Kind: m.Kind}}
	}
	return MarkedEnd{Mark: m, Text: quote[m.Start:m.End]}
}

// SentenceBefore is a sentence that says what a quote refers to. Span counts bytes of the
// document.
type SentenceBefore struct {
	Quote string `json:"quote"`
	corpus.Span
}

// EdgeEvidence is a sentence that states a relationship.
type EdgeEvidence struct {
	Evidence
	Confidence float64         `json:"confidence"`
	From       MarkedEnd       `json:"from"`
	To         MarkedEnd       `json:"to"`
	Before     *SentenceBefore `json:"before"` // null unless the quote refers to it
	CreatedAt  kappa.Time      `json:"created_at"`
	JobID      *string         `json:"job_id"`  // that read it; null when a person or a program wrote it
	Reader     *string         `json:"reader"`  // the model that read it; likewise
	MadeBy     *string         `json:"made_by"` // the user who wrote it by hand; null when it was read
}
