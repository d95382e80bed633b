package graph

import (
	"cmp"
	"math"
	"slices"

	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	labelScore = 1.0  // of a concept whose label is what was asked for
	termScore  = 0.95 // of one that bears it among its search terms
	// nextToNamed is the most that a concept scores by resemblance when another one
	// bears the name that was asked for.
	nextToNamed = 0.94
	// hintMargin is how far a suggested threshold lies under the concept that
	// it is to let in.
	hintMargin = 0.02
)

// ranked is a concept with its score.
type ranked struct {
	id        int
	conceptID string
	score     float64 // 0 to 1, with four decimals
}

// ranking collects the scores of concepts. Several reasons may speak for one;
// the best counts.
type ranking map[int]ranked

// add records a reason for a concept. Scores are rounded, so that the order does
// not depend on the last bits of a sum.
func (r ranking) add(id int, conceptID string, score float64) {
	score = math.Round(min(1, score)*1e4) / 1e4
	if old, known := r[id]; known && old.score >= score {
		return
	}
	r[id] = ranked{id: id, conceptID: conceptID, score: score}
}

// from returns the concepts with at least the given score: best first, and the older of two
// equals.
func (r ranking) from(score float64) []ranked {
	var list []ranked
	for _, c := range r {
		if c.score >= score {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id), cmp.Compare(a.conceptID, b.conceptID))
	})
	return list
}

// page cuts a list.
func page[T any](list []T, offset, limit int) []T {
	from := min(offset, len(list))
	return list[from:min(from+limit, len(list))]
}

// nearMisses are what a second search with a looser threshold finds.
type nearMisses struct {
	concepts  []ranked // best first, at most the limit of the search
	suggested *float64 // the threshold that lets all of them in; nil without any
}

// secondSearch searches again with a loose threshold when the first search found too
// few. taken is false when there was no reason to.
func (r ranking) secondSearch(hits int, threshold float64, limit int) (misses nearMisses, taken bool) {
	if hits >= questions.FewHits || threshold <= questions.LooseSimilarity {
		return nearMisses{}, false
	}
	misses.concepts = r.from(questions.LooseSimilarity)[hits:]
	misses.concepts = misses.concepts[:min(limit, len(misses.concepts))]
	if n := len(misses.concepts); n > 0 {
		suggested := math.Round((misses.concepts[n-1].score-hintMargin)*100) / 100
		misses.suggested = &suggested
	}
	return misses, true
}
