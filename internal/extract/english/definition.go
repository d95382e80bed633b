package english

import (
	"strings"
)

// classNouns are nouns that say how their "of" phrase relates to the subject of
// "is a": "a part of the brain" makes the subject part of the brain. A "<"
// turns the relationship round.
const classNouns = `
part:PART_OF component:PART_OF element:PART_OF member:PART_OF subset:PART_OF branch:PART_OF section:PART_OF division:PART_OF
province:PART_OF suburb:PART_OF district:PART_OF layer:PART_OF constituent:PART_OF ingredient:PART_OF module:PART_OF stage:PART_OF phase:PART_OF
type:SPECIALIZES kind:SPECIALIZES form:SPECIALIZES sort:SPECIALIZES class:SPECIALIZES species:SPECIALIZES variety:SPECIALIZES
subclass:SPECIALIZES subtype:SPECIALIZES variant:SPECIALIZES breed:SPECIALIZES genus:SPECIALIZES family:SPECIALIZES
example:INSTANTIATES instance:INSTANTIATES
set:COMPOSED_OF group:COMPOSED_OF collection:COMPOSED_OF list:COMPOSED_OF series:COMPOSED_OF sequence:COMPOSED_OF
mixture:COMPOSED_OF combination:COMPOSED_OF chain:COMPOSED_OF alloy:COMPOSED_OF network:COMPOSED_OF pair:COMPOSED_OF
cause:CAUSES trigger:CAUSES source:PRODUCES producer:PRODUCES result:RESULTS_FROM consequence:RESULTS_FROM effect:RESULTS_FROM
product:RESULTS_FROM byproduct:RESULTS_FROM by-product:RESULTS_FROM outcome:RESULTS_FROM complication:RESULTS_FROM symptom:RESULTS_FROM
extension:EXTENDS implementation:IMPLEMENTS opposite:OPPOSITE_OF inverse:OPPOSITE_OF derivative:DERIVED_FROM descendant:DERIVED_FROM
prerequisite:<REQUIRES precursor:PRECEDES`

// newClassNouns reads classNouns.
func newClassNouns() map[string]verbRule {
	rules := map[string]verbRule{}
	for entry := range strings.FieldsSeq(classNouns) {
		noun, typ, _ := strings.Cut(entry, ":")
		typ, inverted := strings.CutPrefix(typ, "<")
		rules[noun] = verbRule{typ: typ, inverted: inverted}
	}
	return rules
}

// isA reads the complement of the form of "be" at item i.
func (r *reader) isA(i int, subjects []int, confidence float64) {
	at := i + 1
	if r.kindOf(at) == itemPreposition && r.low(at) == "among" {
		return
	}
	if r.kindOf(at) != itemPhrase {
		return
	}
	p := r.phraseOf(at)
	if p.determiner == "no" || p.pronoun {
		return
	}
	from := r.concepts(subjects)
	if r.classStatement(from, at, confidence) {
		return
	}
	indefinite := p.determiner == "a" || p.determiner == "an" ||
		p.determiner == "" && p.plural && r.items[i].verb.plural
	if !indefinite || !r.heads(subjects) {
		return
	}
	to := r.concept(at)
	if !r.isClass(p) {
		to = ""
	}
	for _, x := range from {
		r.define(x, subjects)
		r.state(x, to, r.kindType(x), confidence)
	}
}

// isClass reports whether a phrase can name a class of things. "A child process"
// can, "a textbook case" and "a named group" cannot.
func (r *reader) isClass(p *phrase) bool {
	if p.generic == "" {
		return true
	}
	return p.last-p.from > 1 && r.sentence.tokens[p.last-2].tag.isNoun() && !strings.Contains(noClasses, " "+p.generic+" ")
}

// noClasses are nouns that name no class even after another noun.
const noClasses = " case example way thing matter question reason one idea point problem issue step choice chance fact lot bit level side part name "

// heads reports whether the subjects themselves, not something behind their
// "of", name concepts.
func (r *reader) heads(subjects []int) bool {
	for _, s := range subjects {
		if r.phraseOf(s).key == "" {
			return false
		}
	}
	return true
}

// classStatement reads "is a part of …" and its like, where the phrase at item
// at is "a part". It reports false when that noun relates nothing.
func (r *reader) classStatement(from []string, at int, confidence float64) bool {
	head := singular(r.sentence.tokens[r.phraseOf(at).last-1].low)
	rule, ok := r.classes[head]
	if !ok || !r.isOf(at+1) {
		return false
	}
	for _, x := range from {
		for _, y := range r.concepts(r.list(at + 2)) {
			if rule.inverted {
				r.state(y, x, rule.typ, confidence)
			} else {
				r.state(x, y, rule.typ, confidence)
			}
		}
	}
	return true
}

// define makes the sentence the description of x.
func (r *reader) define(x string, subjects []int) {
	c := r.found.find(x)
	if c == nil || len(subjects) != 1 || r.items[0].kind != itemPhrase || subjects[0] != 0 {
		return
	}
	if c.describe == "" {
		c.defined, c.definition, c.describe = true, r.index, r.raw
	}
}

// apposition reads "X, a Y," at the phrase i.
func (r *reader) apposition(i int) {
	if r.kindOf(i+1) != itemComma || r.kindOf(i+2) != itemPhrase || r.items[i+2].first != r.items[i+1].last {
		return
	}
	x, y := r.phraseOf(i), r.phraseOf(i+2)
	if !isArticle(y.determiner) || isArticle(x.determiner) || x.key == "" {
		return
	}
	after := r.afterChain(i + 2)
	if r.kindOf(after) == itemVerb && r.items[after].verb.finite {
		return // a clause of its own
	}
	if r.kindOf(after) == itemConjunction && r.kindOf(after+1) == itemPhrase && !r.isOf(i+3) ||
		r.kindOf(after) == itemComma && (r.kindOf(after+1) == itemConjunction && r.kindOf(after+2) == itemPhrase || r.kindOf(after+1) == itemPhrase) {
		return // a list
	}
	if k := r.kindOf(i - 1); (k == itemComma || k == itemConjunction) && r.kindOf(i-2) == itemPhrase {
		return
	}
	if r.classStatement([]string{x.key}, i+2, confidenceListed) {
		return
	}
	if !r.isClass(y) || !x.name && (x.plural || r.kindOf(i-1) == itemPreposition) {
		return
	}
	r.state(x.key, y.key, r.kindType(x.key), confidenceListed)
}
