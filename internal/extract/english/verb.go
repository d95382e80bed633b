package english

import "strings"

// Confidences of typed statements, by how directly the text makes them: the share of each that was true
// in the texts of test/eval/judged, which no rule was made for.
const (
	confidenceStated  = 0.73
	confidenceListed  = 0.66
	confidenceReduced = 0.57 // a relative or shortened clause
	confidenceHedged  = 0.55
)

// verbs takes the statements that verbs make.
func (r *reader) verbs() {
	if r.hypothetical() {
		return
	}
	supposed := r.supposed()
	for i := range r.items {
		if k := r.kindOf(i); k == itemVerb || k == itemPhrase {
			r.because(i, supposed)
		}
		if r.items[i].kind != itemVerb || supposed[i] {
			continue
		}
		v := r.items[i].verb
		if v.negated || v.unreal || r.wordsAt(r.items[i].last, "less") {
			continue
		}
		subjects, reduced := r.subjects(i)
		r.favours(i, subjects)
		if len(subjects) == 0 {
			r.usedByUs(i, v)
			r.imperative(i, v)
			continue
		}
		confidence := confidenceStated
		if reduced {
			confidence = confidenceReduced
		}
		if r.standIn(subjects) {
			confidence = min(confidence, confidenceReduced)
		}
		if r.few(subjects) {
			confidence = confidenceHedged
		}
		if v.hedged && v.lemma != "mean" && v.lemma != "refer" { // "shall mean" says what is meant
			confidence = confidenceHedged
		}
		if r.examplesOf(i, subjects, confidence) || r.namedAs(i, subjects) || r.someOf(i, subjects) {
			continue
		}
		if v.lemma == "" {
			r.happensIn(i, v, subjects, confidence)
			continue
		}
		if v.lemma == "be" {
			if !v.hedged { // what can or should be something is not yet
				r.isA(i, subjects, confidence)
				r.adjectival(i, subjects, confidence)
				r.happensIn(i, v, subjects, confidence)
			}
			continue
		}
		r.happensIn(i, v, subjects, confidence)
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
const hypotheticalWords = " believed thought claimed alleged supposedly allegedly purportedly reportedly purported rumoured rumored myth misconception contrary whether mistakenly wrongly falsely denied denies denying untrue hypothetically "

// transitive states the relationship of a verb with its object.
func (r *reader) transitive(i int, v verbGroup, subjects []int, confidence float64) {
	at := i + 1
	prep := ""
	if r.adjectiveAfter(i) {
		return // "grew rich on tolls"
	}
	if r.kindOf(at) == itemPreposition || r.kindOf(at) == itemTo {
		prep = r.low(at)
		at++
		if r.partitive(i + 1) {
			prep = "" // "powers two of our trucks"
		}
		if prep == "up" && r.kindOf(at) == itemPreposition {
			at++ // made up of
		}
	}
	if v.lemma == "use" && v.passive && prep == "for" && r.kindOf(at) == itemVerb && r.items[at].verb.gerund {
		r.usedFor(at, subjects, confidence)
		return
	}
	if r.kindOf(at) != itemPhrase {
		r.later(i, v, subjects, confidence)
		return
	}
	if prep == "" && v.lemma == "make" && !v.unreal && r.items[i].last > 2 && r.wordsAt(r.items[i].last-3, "used", "to", "make") {
		r.each(r.concepts(subjects), r.concepts(r.list(at)), "PRODUCES", min(confidence, confidenceListed))
		return
	}
	if r.means(at, v, prep, subjects, confidence) || r.converts(at, v, prep, confidence) || r.swaps(at, v, subjects, confidence) {
		return
	}
	if prep == "" {
		r.throughObject(at, v, confidence)
	}
	rule, ok := r.ruleOf(i, at, v, prep, subjects)
	if v.passive || v.reduced() {
		r.later(i, v, subjects, confidence)
	}
	if r.gives(v, at, confidence, subjects) || r.furnishes(v, at, subjects, confidence) || r.ofClass(v, at, subjects, confidence) || r.wards(v, at, subjects, confidence) {
		return
	}
	if ok && (!v.to || r.assigned(i)) && r.takes(i, at, v, prep, rule, subjects) {
		r.relate(at, v, prep, rule, subjects, confidence)
	}
}

// reduced reports a participle without an auxiliary: "a disease caused by a virus".
func (v *verbGroup) reduced() bool { return !v.finite && !v.to && !v.gerund }

// ruleOf returns the rule of the verb at item i with the preposition before its object at
// item at.
func (r *reader) ruleOf(i, at int, v verbGroup, prep string, subjects []int) (verbRule, bool) {
	passive := v.passive || v.reduced()
	rule, ok := r.rules[ruleKey{lemma: v.lemma, passive: passive, prep: prep}]
	if (v.lemma == "use" || v.lemma == "take" || v.lemma == "prescribe") && v.passive && prep == "for" && r.isAilment(at) {
		rule, ok = verbRule{typ: "TREATS"}, true
	}
	if !ok && v.passive && prep == "from" && r.items[i+1].first == r.items[i].last && !strings.Contains(partings, " "+v.lemma+" ") && (v.lemma != "take" || !r.owned(at)) {
		rule, ok = verbRule{typ: "DERIVED_FROM"}, true // "is pressed from olives"
	}
	if !ok && particle(prep) && at == i+2 && !passive {
		rule, ok = r.rules[ruleKey{lemma: v.lemma}] // "builds up a pressure"
	}
	if !ok && v.lemma == "maintain" && prep == "" && len(subjects) == 1 && (r.isPerson(subjects[0]) || r.isOrganization(subjects[0])) {
		rule, ok = verbRule{typ: "LEADS"}, true // a library that maintains a buffer does not lead it
	}
	if !ok && passive && (prep == "through" || prep == "via") {
		rule, ok = verbRule{typ: "USES"}, true
	}
	if prep == "" && !passive && r.sets(v, at) && len(subjects) == 1 && (r.isPerson(subjects[0]) || r.phraseOf(subjects[0]).name) {
		rule, ok = verbRule{typ: "FOUNDED"}, true
	}
	if v.lemma == "keep" && prep == "" && !passive && isArticle(r.phraseOf(at).determiner) && strings.Contains(" register record list log ledger diary archive copy journal backup ", " "+r.sentence.tokens[r.phraseOf(at).last-1].low+" ") {
		rule, ok = verbRule{typ: "HAS_PART"}, true
	}
	if v.lemma == "send" && prep == "" && !passive && r.isMessage(at) {
		rule, ok = verbRule{typ: "PRODUCES"}, true // who sends a file does not make it
	}
	if v.lemma == "work" && prep == "on" {
		ok = ok && r.phraseOf(at).determiner == "" // "works on diesel", and not "works on the jobs"
		if len(subjects) == 1 && r.isPerson(subjects[0]) {
			rule, ok = verbRule{typ: "INFLUENCES"}, true
		}
	}
	if (v.lemma == "show" || v.lemma == "display" || v.lemma == "list") && prep == "" && !passive && len(subjects) == 1 && strings.Contains(displays, " "+r.sentence.tokens[r.phraseOf(subjects[0]).last-1].low+" ") {
		rule, ok = verbRule{typ: "HAS_PART"}, true
	}
	if (v.lemma == "run" || v.lemma == "operate") && prep == "" && !passive {
		rule.typ = r.runs(subjects, at)
		ok = ok && rule.typ != ""
	}
	return rule, ok
}

// takes reports whether the phrase at item at is the object of the verb at item i, so that
// the rule holds of it.
func (r *reader) takes(i, at int, v verbGroup, prep string, rule verbRule, subjects []int) bool {
	if prep == "in" && (v.lemma == "write" || v.lemma == "implement") && !r.phraseOf(at).name {
		return false
	}
	objects := r.list(at)
	last := r.afterChain(objects[len(objects)-1])
	if infinitiveRaises(rule.typ) && (r.kindOf(last) == itemTo || r.kindOf(last) == itemVerb && r.items[last].verb.to) {
		return false // "causes cells to divide" says nothing about cells alone
	}
	if r.bareInfinitive(v, last) || prep == "to" && r.isWay(v, subjects) || r.misread(i, at, last, v, prep) {
		return false
	}
	if rule.typ == "PREVENTS" && r.low(last) == "from" || r.idle(v, at) || prep == "" && !v.passive && r.complemented(v, at, last) {
		return false
	}
	if rule.typ == "HAS_PART" && (r.low(last) == "in" || r.low(last) == "on") && strings.Contains(" hold keep store ", " "+v.lemma+" ") && (r.owned(at) || r.phraseOf(at).determiner == "the") {
		return false // "keeps its charts in a drawer": they are a part of neither
	}
	if v.lemma == "sell" && r.kindOf(last) == itemTo {
		return false // "sold the mill to Otto": it is not made
	}
	if rule.typ == "HAS_PART" && r.noPart(v, at, subjects) || r.unfit(rule.typ, v, prep, at, subjects) {
		return false
	}
	if v.lemma == "have" && (r.narrowed(i, subjects) || r.share(i, at)) {
		return false
	}
	if rule.typ == "LOCATED_IN" && strings.Contains(noPlaces, " "+r.sentence.tokens[r.phraseOf(at).last-1].low+" ") {
		return false
	}
	return rule.typ != "DISCOVERED" || r.discovery(i)
}

// relate states what the rule says of the subjects and the objects from item at on.
func (r *reader) relate(at int, v verbGroup, prep string, rule verbRule, subjects []int, confidence float64) {
	if rule.typ == typeIsA {
		p := r.phraseOf(at)
		if !v.hedged && r.isClass(p) && (isArticle(p.determiner) || p.plural) {
			for _, from := range r.concepts(subjects) {
				if c := r.found.find(from); v.lemma == "become" && (c == nil || !c.name) {
					continue // a tadpole that becomes a frog is none
				}
				r.state(from, r.concept(at), r.kindType(from), min(confidence, confidenceListed))
			}
		}
		return
	}
	objects := r.list(at)
	switch rule.typ {
	case "HAS_PART":
		objects = r.notOf(r.wholes(objects), r.concepts(subjects))
	case "PRODUCES":
		objects = r.products(objects)
	}
	from, to := r.concepts(subjects), r.concepts(objects)
	if rule.typ == "INFLUENCES" && len(to) == 0 && r.isOf(at+1) {
		to = r.concepts([]int{at + 2}) // "increases the risk of cancer"
	}
	r.enumerates(at, from, rule, confidence)
	rule.typ = r.refine(rule.typ, v, prep, at)
	if rule.inverted {
		from, to = to, from
	}
	r.each(from, to, rule.typ, confidence)
}

// typeIsA stands in verbRules for "is an instance or a kind of".
const typeIsA = "IS_A"

// standIn reports whether the subject is a pronoun whose meaning was taken from the
// sentence before.
func (r *reader) standIn(subjects []int) bool {
	return len(subjects) == 1 && r.phraseOf(subjects[0]).stands
}

// means reads "X means a Y", "X shall mean any Y" and "X refers to a Y" with its object
// at item at: the sentence is the description of X. It reports false for other verbs.
func (r *reader) means(at int, v verbGroup, prep string, subjects []int, confidence float64) bool {
	if v.passive || v.to || !(v.lemma == "mean" && prep == "" || v.lemma == "denote" && prep == "" || v.lemma == "refer" && prep == "to") {
		return false
	}
	p := r.phraseOf(at)
	for _, x := range r.concepts(subjects) {
		r.define(x, subjects)
		if !p.pronoun && (isArticle(p.determiner) || p.determiner == "any" || p.determiner == "the" && v.hedged) && r.isClass(p) {
			r.state(x, r.concept(at), r.kindType(x), min(confidence, confidenceListed))
		}
	}
	return true
}

// converts reads "X converts A into B" with A at item at: B is derived from A.
func (r *reader) converts(at int, v verbGroup, prep string, confidence float64) bool {
	into := r.afterChain(at)
	if v.passive || prep != "" || r.kindOf(into) != itemPreposition || r.low(into) != "into" {
		return false
	}
	switch v.lemma {
	case "turn", "convert", "transform", "change", "process", "refine", "ferment", "compile", "translate":
		r.each(r.concepts(r.list(into+1)), r.concepts([]int{at}), "DERIVED_FROM", confidence)
		return true
	}
	return false
}

// later reads the "by" of a passive verb that other phrases stand before: "founded in
// 2009 by the virologist".
func (r *reader) later(i int, v verbGroup, subjects []int, confidence float64) {
	rule, ok := r.rules[ruleKey{lemma: v.lemma, passive: true, prep: "by"}]
	if !ok || v.to || v.gerund || v.finite && !v.passive {
		return
	}
	for at := i + 1; at+1 < len(r.items) && at < i+7; at++ {
		switch r.kindOf(at) {
		case itemPhrase, itemPreposition:
			if at > i+1 && r.low(at) == "by" && r.kindOf(at) == itemPreposition && r.kindOf(at+1) == itemPhrase {
				for _, agent := range r.concepts(r.list(at + 1)) {
					for _, x := range r.concepts(subjects) {
						if rule.inverted {
							r.state(agent, x, rule.typ, confidence)
						} else {
							r.state(x, agent, rule.typ, confidence)
						}
					}
				}
				return
			}
		default:
			return
		}
	}
}

// usedFor reads "is used for making glass and soap", with the gerund at item at.
func (r *reader) usedFor(at int, subjects []int, confidence float64) {
	v := r.items[at].verb
	rule, ok := r.rules[ruleKey{lemma: v.lemma}]
	if v.lemma == "make" {
		rule, ok = verbRule{typ: "PRODUCES"}, true
	}
	if ok && !rule.inverted && rule.typ != typeIsA && r.kindOf(at+1) == itemPhrase {
		r.each(r.concepts(subjects), r.concepts(r.list(at+1)), rule.typ, min(confidence, confidenceListed))
	}
}

// swaps reads "X replaces A with B" with A at item at: B takes the place of A, not X.
func (r *reader) swaps(at int, v verbGroup, subjects []int, confidence float64) bool {
	if v.lemma != "replace" {
		return false
	}
	old, with := []int{at}, r.afterChain(at)
	if v.passive {
		if r.low(at-1) != "with" {
			return false
		}
		r.each(r.concepts(r.list(at)), r.concepts(subjects), "REPLACES", confidence)
		return true
	}
	if r.kindOf(with) != itemPreposition || r.low(with) != "with" && r.low(with) != "by" {
		return false
	}
	r.each(r.concepts(r.list(with+1)), r.concepts(old), "REPLACES", confidence)
	return true
}

// infinitiveRaises reports types whose verb may take an object with an
// infinitive, which then is the real object.
func infinitiveRaises(typ string) bool {
	return typ == "CAUSES" || typ == "ENABLES" || typ == "PREVENTS" || typ == "REQUIRES" || typ == "INFLUENCES" || typ == "SUPPORTS"
}
