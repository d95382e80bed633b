package library

import (
	"hash/maphash"
	"slices"

	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// nearlySame is the share of words that two passages have in common which are shown as one.
const nearlySame = 0.8

// folded is how many passages are compared for each that is shown: a twin further behind
// would be shown on a later page at most.
const folded = 3

// kept is a passage that is shown, with those that say nearly the same.
type kept struct {
	ranking.Ranked

	twins []int32
	text  *answers.Passage // when it has been read
}

// fold returns the first passages, each once: one that has nearly the words of a better one is
// its twin.
func fold(v *index.View, ranked []ranking.Ranked, most int) []kept {
	var all []kept
	f := folder{view: v, words: map[int32][]uint64{}}
	for i := range ranked[:min(len(ranked), folded*most)] {
		r := &ranked[i]
		twin := f.twin(r, all)
		switch {
		case twin >= 0:
			all[twin].twins = append(all[twin].twins, r.ID)
		case len(all) < most:
			all = append(all, kept{Ranked: *r})
		}
	}
	return all
}

// folder compares the passages of one answer.
type folder struct {
	view    *index.View
	passage index.Passage
	words   map[int32][]uint64 // of the passages that were read: hashes, sorted, each once
}

// twin returns the first of some passages that has nearly the words of another one, or -1.
func (f *folder) twin(r *ranking.Ranked, all []kept) int {
	for i := range all {
		k := &all[i].Ranked
		// What differs is more than a fifth of all words when it is more than a quarter of what
		// both can have: most passages need not be read to see that.
		if 4*r.Sketch.Apart(&k.Sketch) <= min(r.Words, k.Words) && same(f.wordsOf(k), f.wordsOf(r)) {
			return i
		}
	}
	return -1
}

func (f *folder) wordsOf(r *ranking.Ranked) []uint64 {
	if list, ok := f.words[r.ID]; ok {
		return list
	}
	f.view.Read(&r.Candidate, &f.passage)
	list := make([]uint64, len(f.passage.Words))
	for i, w := range f.passage.Words {
		list[i] = maphash.String(seed, w.Text)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	f.words[r.ID] = list
	return list
}

var seed = maphash.MakeSeed()

// same reports whether two sorted lists have most of their words in common.
func same(a, b []uint64) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if float64(len(a)) < nearlySame*float64(len(b)) {
		return false
	}
	common, j := 0, 0
	for _, w := range a {
		for j < len(b) && b[j] < w {
			j++
		}
		if j < len(b) && b[j] == w {
			common++
		}
	}
	return float64(common) >= nearlySame*float64(len(a)+len(b)-common)
}
