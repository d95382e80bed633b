package english

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
