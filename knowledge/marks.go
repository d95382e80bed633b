package knowledge

import "github.com/kappagraph/kappa/corpus"

// MarkKind says how a quote names an end of a relationship.
type MarkKind string

// The kinds of marks.
const (
	MarkUnknown   MarkKind = ""          // nobody knows where it stands
	MarkName      MarkKind = "name"      // a name of it stands there
	MarkReference MarkKind = "reference" // a word stands for it, such as "it" or "this disease"
	MarkBefore    MarkKind = "before"    // not in the quote: the text before it names it
)

// InQuote reports whether a mark of the kind stands in the quote.
func (k MarkKind) InQuote() bool { return k == MarkName || k == MarkReference }

// Mark is where an end of a relationship stands in a quote. Its span counts bytes of the
// quote, and is empty unless it stands there.
type Mark struct {
	Kind MarkKind `json:"kind"`
	corpus.Span
}

// Marks say where both ends of a relationship stand in its quote.
type Marks struct {
	From Mark
	To   Mark
	// Before is the sentence before that names what the quote refers to, and where it
	// stands, counted as the quote is; "" when none is needed or known.
	Before     string
	BeforeSpan corpus.Span
}

// Swapped are the marks of the relationship the other way round.
func (m Marks) Swapped() Marks {
	m.From, m.To = m.To, m.From
	return m
}

// Shifted are the marks in a text in which what they count from stands so many bytes later.
func (m Marks) Shifted(bytes int) Marks {
	if m.Before != "" {
		m.BeforeSpan.Start, m.BeforeSpan.End = m.BeforeSpan.Start+bytes, m.BeforeSpan.End+bytes
	}
	return m
}

// WrittenMarks are Marks as they are kept beside a text, and as they travel.
type WrittenMarks struct {
	From   Mark            `json:"from"`
	To     Mark            `json:"to"`
	Before *SentenceBefore `json:"before,omitempty"`
}

// Written returns marks to be kept, or nil when nothing is known.
func (m Marks) Written() *WrittenMarks {
	if m == (Marks{}) {
		return nil
	}
	w := &WrittenMarks{From: m.From, To: m.To}
	if m.Before != "" {
		w.Before = &SentenceBefore{Quote: m.Before, Span: m.BeforeSpan}
	}
	return w
}

// Marks returns what was kept; a nil w is nothing.
func (w *WrittenMarks) Marks() Marks {
	if w == nil {
		return Marks{}
	}
	m := Marks{From: w.From, To: w.To}
	if w.Before != nil {
		m.Before, m.BeforeSpan = w.Before.Quote, w.Before.Span
	}
	return m
}
