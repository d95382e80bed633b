package english

import "strings"

// favours reads "was dropped in favour of pellets" at the verb of item i, whose subjects or
// object make room for what follows.
func (r *reader) favours(i int, subjects []int) {
	v := r.items[i].verb
	if !strings.Contains(" drop deprecate remove abandon retire scrap discontinue replace ", " "+v.lemma+" ") {
		return
	}
	old := subjects
	if !v.passive {
		old = nil
	}
	for at := i + 1; at < len(r.items) && at <= i+7 && r.kindOf(at) != itemStop; at++ {
		if r.kindOf(at) != itemPhrase {
			continue
		}
		first := r.items[at].first
		if first > 2 && (r.wordsAt(first-3, "in", "favour", "of") || r.wordsAt(first-3, "in", "favor", "of")) {
			r.each(r.concepts([]int{at}), r.concepts(old), "REPLACES", confidenceReduced)
			return
		}
		if old == nil {
			old = []int{at}
		}
	}
}

// instead reads "pellets instead of oil" at the phrase of item i: the first takes the place
// of the second.
func (r *reader) instead(i int) {
	last := r.items[i].last
	if k := r.kindOf(i - 1); k == itemConjunction || k == itemComma || r.low(i-1) == "of" && r.low(r.chainHead(i)-1) == "as" {
		return
	}
	n := 2
	switch {
	case r.wordsAt(last, "instead", "of"):
	case r.wordsAt(last, "in", "place", "of"):
		n = 3
	default:
		return
	}
	for at := i + 1; at < len(r.items) && at <= i+4; at++ {
		if r.kindOf(at) == itemPhrase && r.items[at].first == last+n {
			r.state(r.concept(i), r.concept(at), "REPLACES", confidenceReduced)
			return
		}
	}
}
