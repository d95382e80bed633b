package library

import (
	"hash/maphash"
	"slices"

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
	words []uint64 // hashes, sorted, each once
}

// fold returns the first passages, each once: one that has nearly the words of a better one is
// its twin.
func fold(v *index.View, ranked []ranking.Ranked, most int) []kept {
	var all []kept
	var p index.Passage
	for i := range ranked[:min(len(ranked), folded*most)] {
		v.Read(&ranked[i].Candidate, &p)
		list := make([]uint64, len(p.Words))
		for j, w := range p.Words {
			list[j] = maphash.String(seed, w.Text)
		}
		slices.Sort(list)
		list = slices.Compact(list)
		twin := slices.IndexFunc(all, func(k kept) bool { return same(k.words, list) })
		switch {
		case twin >= 0:
			all[twin].twins = append(all[twin].twins, ranked[i].ID)
		case len(all) < most:
			all = append(all, kept{Ranked: ranked[i], words: list})
		}
	}
	return all
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
