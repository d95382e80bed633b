package answers

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/corpus"
)

// Exact returns the words of a sentence that answer the question, by its Kind: a date, a number
// with its unit, or a name that the question does not have. Of several it is the one that stands
// closest to the question's words. The sentence is a place in the passage, and what is returned a
// place in the sentence.
func (q *Question) Exact(p *Passage, sentence corpus.Span) (at corpus.Span, ok bool) {
	if !q.Kind.exact() || sentence.End-sentence.Start > mostExact {
		return at, false
	}
	s := newScanned(q, p.Text[sentence.Start:sentence.End], p.piecesIn(sentence))
	var all []found
	switch q.Kind {
	case KindDate:
		all = s.dates()
	case KindNumber:
		all = s.numbers()
	case KindPlace:
		all = s.places()
	default:
		all = s.names(q.Kind)
	}
	if len(all) == 0 {
		return at, false
	}
	best := slices.MaxFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(s.score(a), s.score(b)), cmp.Compare(b.Start, a.Start))
	})
	return best.Span, true
}
