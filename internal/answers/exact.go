package answers

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/corpus"
)

// Exact returns the words of a sentence that answer a question of a kind: a date, a number with
// its unit, or a name that the question does not have. Of several it is the one that stands
// closest to the question's words. The place is of the sentence's bytes.
func Exact(kind Kind, question, sentence string) (at corpus.Span, ok bool) {
	if !kind.exact() || len(sentence) > mostExact {
		return at, false
	}
	s := newScanned(question, sentence)
	var all []found
	switch kind {
	case KindDate:
		all = s.dates()
	case KindNumber:
		all = s.numbers()
	case KindPlace:
		all = s.places()
	default:
		all = s.names(kind)
	}
	if len(all) == 0 {
		return at, false
	}
	best := slices.MaxFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(s.score(a), s.score(b)), cmp.Compare(b.Start, a.Start))
	})
	return best.Span, true
}
