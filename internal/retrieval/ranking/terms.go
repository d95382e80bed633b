package ranking

import (
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// What the terms weigh that candidates are found by. Passages in other languages are found by
// their words and by the first letters of these.
const (
	textWeight   = 0.6
	prefixWeight = 0.6
	nearWeight   = 0.5
	// common is the share of the passages above which a term does not find them, as long as
	// there are two others.
	common = 0.25
)

// Terms returns the terms that candidates are found by.
func (q *Question) Terms() []index.Term {
	var all []index.Term
	all = q.stems.loose.find(all, 1, q.size)
	all = q.other.exact.find(all, textWeight, q.size)
	all = q.other.loose.find(all, prefixWeight, q.size)
	for i := range q.words {
		a := &q.words[i]
		for _, near := range a.near {
			all = appendNear(all, near)
		}
		if a.joined != "" {
			all = appendNear(all, a.joined)
		}
	}
	return all
}

// appendNear appends the terms of a word that may stand for one of the question.
func appendNear(all []index.Term, text string) []index.Term {
	return append(all,
		index.Term{Field: index.Stems, Text: stem(text), Weight: nearWeight},
		index.Term{Field: index.Texts, Text: text, Weight: nearWeight * textWeight})
}

// find appends the terms that find passages.
func (t *terms) find(all []index.Term, weight float32, passages float64) []index.Term {
	rare := 0
	for _, n := range t.passages[:t.content] {
		if n > 0 && float64(n) <= common*passages {
			rare++
		}
	}
	for id, n := range t.passages[:t.content] {
		if n > 0 && (rare < 2 || float64(n) <= common*passages) {
			all = append(all, index.Term{Field: t.field, Text: t.text[id], Weight: weight})
		}
	}
	return all
}

func stem(text string) string {
	if cut := words.Cut(text, true); len(cut.Words) > 0 {
		return cut.Words[0].Stem
	}
	return text
}
