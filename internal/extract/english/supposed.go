package english

import "strings"

// conditions open a clause that says what may be, and not that it is: "if the cache
// holds a record", "unless the node fails".
const conditions = " if unless whether lest whenever until till once "

// reports are verbs whose that-clause is somebody's opinion.
const reports = " claim allege believe think deny doubt hope fear suppose suspect speculate predict assume wish pretend imagine expect argue insist propose suggest hypothesise hypothesize fancy dream "

// supposed returns the items inside clauses that suppose or report: they state nothing.
func (r *reader) supposed() []bool {
	out := make([]bool, len(r.items))
	for i := range r.items {
		if !r.isCondition(i) && !r.isReport(i) {
			continue
		}
		end := r.clauseEnd(i)
		if i == 0 && strings.HasPrefix(r.low(0), "with") {
			end = len(r.items) // also what follows a colon
		}
		for k := i; k < end; k++ {
			out[k] = true
		}
	}
	r.supposedCells(out)
	return out
}

// isCondition reports whether a conditional clause starts at item i. "When" starts one
// in the present tense; in the past it tells of what happened.
func (r *reader) isCondition(i int) bool {
	switch r.kindOf(i) {
	case itemThat, itemPreposition, itemWh, itemOther:
	default:
		return r.kindOf(i) == itemVerb && r.phraseAfterVerb(i)
	}
	low := r.low(i)
	switch {
	case low == "when", low == "while" && r.items[i].first > 0 && r.sentence.tokens[r.items[i].first-1].tag != posPunct:
		return !r.past(i) // "…, while others do not" tells what differs
	case low == "where" && i == 0:
		return true // "Where the roof leaks, …"
	case (low == "behind" || low == "without") && i == 0:
		return r.kindOf(1) == itemPhrase && (isArticle(r.phraseOf(1).determiner) || r.phraseOf(1).determiner == "") && !r.past(0) // "Behind a proxy …"
	case (low == "with" || low == "without") && i == 0:
		return r.kindOf(1) == itemPhrase && r.sentence.tokens[r.phraseOf(1).last-1].tag == posCode // "With `--exec` a program …"
	}
	return strings.Contains(conditions, " "+low+" ")
}

// phraseAfterVerb reports "provided that", "assuming that" and the like at item i.
func (r *reader) phraseAfterVerb(i int) bool {
	switch r.items[i].verb.low {
	case "provided", "assuming", "supposing", "suppose", "imagine":
		return i == 0 || r.kindOf(i-1) == itemComma || r.kindOf(i-1) == itemStop || r.low(i+1) == "that"
	}
	return false
}

// past reports whether the first finite verb after item i is in the past tense.
func (r *reader) past(i int) bool {
	for k := i + 1; r.kindOf(k) != itemStop; k++ {
		if it := r.items[k]; it.kind == itemVerb && it.verb.finite {
			return r.sentence.tokens[it.first].tag == posPast
		}
	}
	return false
}

// isReport reports whether item i is the "that" of an opinion ("they claim that …") or
// of something denied ("there is no evidence that …").
func (r *reader) isReport(i int) bool {
	if r.low(i) != "that" || r.kindOf(i) != itemWh {
		return false
	}
	for k := i - 1; k >= 0 && r.kindOf(k) != itemStop && r.kindOf(k) != itemComma && r.kindOf(k) != itemWh; k-- {
		switch it := r.items[k]; it.kind {
		case itemVerb:
			return it.verb.negated || it.verb.unreal || k == i-1 && strings.Contains(reports, " "+it.verb.lemma+" ")
		case itemPhrase:
			if r.denies(r.phraseOf(k)) {
				return true
			}
		}
	}
	return false
}

// clauseEnd returns the item after the clause that starts at item i. It ends at a
// comma once it has a verb, when it opens the sentence; else with the sentence.
func (r *reader) clauseEnd(i int) int {
	opens := r.kindOf(i-1) == itemStop || r.kindOf(i-1) == itemComma || r.kindOf(i-1) == itemConjunction
	verb := false
	for k := i; k < len(r.items); k++ {
		switch r.kindOf(k) {
		case itemStop:
			return k
		case itemVerb:
			verb = verb || r.items[k].verb.finite && k > i
		case itemComma:
			if opens && verb && !r.verbList(k) {
				return k
			}
		}
	}
	return len(r.items)
}

// verbList reports whether the comma at item k separates the verbs of one clause:
// "if it fails, stops or restarts, …".
func (r *reader) verbList(k int) bool {
	return r.kindOf(k+1) == itemVerb && r.items[k+1].verb.finite
}

// denies reports a phrase such as "no drug", "few drugs" and "neither drug": what is
// said of it is denied. "A few drugs" are some.
func (r *reader) denies(p *phrase) bool {
	switch p.determiner {
	case "no", "neither":
		return true
	case "a":
		return false
	}
	for _, t := range r.sentence.tokens[p.first:p.from] {
		if t.low == "few" || t.low == "little" || t.low == "no" {
			return true
		}
	}
	return false
}
