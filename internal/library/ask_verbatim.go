package library

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
)

const (
	// leastVerbatim is how many words a question has at least that a passage repeats.
	leastVerbatim = 3
	// comparedVerbatim is how many passages are read then, at least.
	comparedVerbatim = 3
)

// findVerbatim finds those of the first passages that have the question itself word by word, as
// an example of how to ask has.
func (x *asked) findVerbatim() {
	cut := wholeWords(x.answer.Asked)
	if len(x.form.literals) > 0 || len(cut) < leastVerbatim {
		return
	}
	var p index.Passage
	for i := range x.ranked[:min(comparedVerbatim, len(x.ranked))] {
		r := &x.ranked[i]
		if x.snapshot.View.Read(&r.Candidate, &p); hasPhrase(p.Words, cut) {
			x.verbatim = append(x.verbatim, r.ID)
		}
	}
}

// compared returns how many passages are read at least, before some are shown.
func (x *asked) compared() int {
	if len(x.verbatim) > 0 {
		return max(comparedVerbatim, x.form.compared())
	}
	return x.form.compared()
}

// codeBehind puts code that repeats the question behind other passages: it does not answer it.
func (x *asked) codeBehind(shown []kept, read map[int32]*corpus.ShownPassage) {
	if len(x.verbatim) == 0 {
		return
	}
	behind := func(k kept) int {
		if p := read[k.ID]; p != nil && p.Class == corpus.ClassCode && slices.Contains(x.verbatim, k.ID) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(shown, func(a, b kept) int { return cmp.Compare(behind(a), behind(b)) })
}
