package library

import (
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// nearlySame is the share of words that two passages have in common which are shown as one.
const nearlySame = 0.8

// kept is a passage that is shown, with those that say nearly the same.
type kept struct {
	ranking.Ranked
	twins []int32
	words []string // sorted, each once
}

// fold returns the first passages, each once: one that has nearly the words of a better one is
// its twin.
func fold(v *index.View, ranked []ranking.Ranked, most int) []kept {
	var all []kept
	var p index.Passage
	for i := range ranked {
		v.Read(&ranked[i].Candidate, &p)
		list := make([]string, 0, len(p.Words))
		for _, w := range p.Words {
			list = append(list, w.Text)
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

// same reports whether two sorted lists have most of their words in common.
func same(a, b []string) bool {
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
