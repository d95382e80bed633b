package main

import (
	"cmp"
	"slices"
)

// judged is what was said of a question, and whether it is so: 1 for one that is answered.
type judged struct {
	score float64
	right int
	sure  bool // it is so; of the others a passage has the words, and may lack the fact
}

// area returns how likely a question that is answered scores above one that is not.
func area(all []judged) float64 {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b judged) int { return cmp.Compare(a.score, b.score) })
	var below, pairs, nots, rights float64
	for i := 0; i < len(all); {
		j, r, n := i, 0.0, 0.0
		for ; j < len(all) && all[j].score == all[i].score; j++ {
			r += float64(all[j].right)
			n += float64(1 - all[j].right)
		}
		pairs += r * (below + n/2)
		below += n
		rights += r
		nots += n
		i = j
	}
	return pairs / rights / nots
}

// threshold returns the score from which on so large a share of the answered questions is.
func threshold(all []judged, kept float64) float64 {
	var rights []float64
	for _, j := range all {
		if j.right == 1 {
			rights = append(rights, j.score)
		}
	}
	slices.Sort(rights)
	return rights[int(float64(len(rights))*(1-kept))]
}

// at returns the share of the answered questions that a threshold keeps, and that of the others
// that it refuses.
func at(all []judged, threshold float64) (kept, refused float64) {
	var rights, nots float64
	for _, j := range all {
		if j.right == 1 {
			rights++
			if j.score >= threshold {
				kept++
			}
		} else {
			nots++
			if j.score < threshold {
				refused++
			}
		}
	}
	return kept / rights, refused / nots
}

// surely returns what was said of questions of which it is known whether they are answered.
func surely(all []judged) (sure []judged) {
	for _, j := range all {
		if j.sure {
			sure = append(sure, j)
		}
	}
	return sure
}
