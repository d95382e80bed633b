package english

import "strings"

// Confidences of typed statements, by how directly the text makes them.
const (
	confidenceStated  = 0.9
	confidenceListed  = 0.8
	confidenceReduced = 0.75 // a relative or shortened clause
	confidenceHedged  = 0.6
)

// verbs takes the statements that verbs make.
func (r *reader) verbs() {
	if r.hypothetical() {
		return
	}
	for i := range r.items {
		if r.items[i].kind != itemVerb {
			continue
		}
		v := r.items[i].verb
		if v.negated || v.lemma == "" {
			continue
		}
		subjects, reduced := r.subjects(i)
		if len(subjects) == 0 {
			continue
		}
		confidence := confidenceStated
		if reduced {
			confidence = confidenceReduced
		}
		if v.hedged {
			confidence = confidenceHedged
		}
		if v.lemma == "be" {
			if !v.hedged { // what can or should be something is not yet
				r.isA(i, subjects, confidence)
			}
			continue
		}
		r.transitive(i, v, subjects, confidence)
	}
}

// hypothetical reports a sentence that reports, asks or denies rather than
// states.
func (r *reader) hypothetical() bool {
	tokens := r.sentence.tokens
	if len(tokens) > 0 && tokens[len(tokens)-1].text == "?" {
		return true
	}
	for _, t := range tokens {
		if strings.Contains(hypotheticalWords, " "+t.low+" ") {
			return true
		}
	}
	return false
}

// hypotheticalWords mark what a text reports or denies, and does not state.
const hypotheticalWords = " believed thought claimed alleged supposedly allegedly myth misconception contrary whether mistakenly wrongly falsely "

// transitive states the relationship of a verb with its object.
func (r *reader) transitive(i int, v verbGroup, subjects []int, confidence float64) {
	at := i + 1
	prep := ""
	if r.kindOf(at) == itemPreposition || r.kindOf(at) == itemTo {
		prep = r.low(at)
		at++
		if prep == "up" && r.kindOf(at) == itemPreposition {
			at++ // made up of
		}
	}
	if r.kindOf(at) != itemPhrase {
		return
	}
	reducedPassive := !v.finite && !v.to && !v.gerund
	rule, ok := r.rules[ruleKey{lemma: v.lemma, passive: v.passive || reducedPassive, prep: prep}]
	if !ok || v.to {
		return
	}
	objects := r.list(at)
	last := r.afterChain(objects[len(objects)-1])
	if infinitiveRaises(rule.typ) && (r.kindOf(last) == itemTo || r.kindOf(last) == itemVerb && r.items[last].verb.to) {
		return // "causes cells to divide" says nothing about cells alone
	}
	if rule.typ == "PREVENTS" && r.low(last) == "from" {
		return
	}
	for _, from := range r.concepts(subjects) {
		for _, to := range r.concepts(objects) {
			if rule.inverted {
				r.state(to, from, rule.typ, confidence)
			} else {
				r.state(from, to, rule.typ, confidence)
			}
		}
	}
}

// infinitiveRaises reports types whose verb may take an object with an
// infinitive, which then is the real object.
func infinitiveRaises(typ string) bool {
	return typ == "CAUSES" || typ == "ENABLES" || typ == "PREVENTS" || typ == "REQUIRES" || typ == "INFLUENCES"
}
