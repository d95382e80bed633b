package extract

import "strings"

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
	for _, entry := range strings.Fields(classNouns) {
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
	if p.generic != "" {
		to = "" // "is a textbook case" names no class
	}
	for _, x := range from {
		r.define(x, subjects)
		r.state(x, to, r.kindType(x), confidence)
	}
}

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

// define notes that the sentence says what x is.
func (r *reader) define(x string, subjects []int) {
	c := r.found.find(x)
	if c == nil || len(subjects) != 1 || r.items[0].kind != itemPhrase || subjects[0] != 0 {
		return
	}
	if c.describe == "" {
		c.defined, c.definition, c.describe = true, r.index, r.raw
	}
}

// patterns takes the statements that enumerations and appositions make.
func (r *reader) patterns() {
	for i := range r.items {
		switch {
		case r.kindOf(i) == itemPhrase:
			r.such(i)
			r.including(i)
			r.apposition(i)
			r.called(i)
		case r.kindOf(i) == itemConjunction:
			r.andOther(i)
		}
	}
}

// such reads "Y such as A, B and C": the A are kinds of Y.
func (r *reader) such(i int) {
	at := i + 1
	if r.kindOf(at) == itemComma {
		at++
	}
	if at >= len(r.items) || !r.wordsAt(r.items[i].last, "such", "as") && !r.wordsAt(r.items[i].last, ",", "such", "as") {
		return
	}
	for at < len(r.items) && r.kindOf(at) != itemPhrase && r.items[at].first < r.items[i].last+3 {
		at++
	}
	r.kinds(at, r.broader(i))
}

// wordsAt reports whether the tokens from i on are these words.
func (r *reader) wordsAt(i int, words ...string) bool {
	tokens := r.sentence.tokens
	if i+len(words) > len(tokens) {
		return false
	}
	for k, w := range words {
		if tokens[i+k].low != w {
			return false
		}
	}
	return true
}

// broader returns the phrase that an enumeration after item i is about: the
// nearest plural of the chain that ends at i.
func (r *reader) broader(i int) string {
	for k := i; r.kindOf(k) == itemPhrase; k -= 2 {
		if p := r.phraseOf(k); p.plural && p.key != "" {
			return p.key
		}
		if r.kindOf(k-1) != itemPreposition || r.kindOf(k-2) != itemPhrase {
			break
		}
	}
	return ""
}

// kinds states that each element of the list at item i is a kind of y.
func (r *reader) kinds(i int, y string) {
	if y == "" {
		return
	}
	for _, x := range r.concepts(r.list(i)) {
		r.state(x, y, r.kindType(x), confidenceListed)
	}
}

// examples are the words that introduce examples of a plural before them.
// After "like" only names count.
var examples = [...]struct {
	words    []string
	nameOnly bool
}{
	{words: []string{"including"}}, {words: []string{",", "including"}},
	{words: []string{",", "especially"}}, {words: []string{",", "notably"}}, {words: []string{",", "namely"}},
	{words: []string{",", "for", "instance"}}, {words: []string{",", "for", "example"}},
	{words: []string{",", "for", "example", ","}}, {words: []string{",", "e.g."}},
	{words: []string{"like"}, nameOnly: true},
}

// including reads "Y, including A and B" for a plural Y.
func (r *reader) including(i int) {
	last := r.items[i].last
	for _, ex := range examples {
		if !r.wordsAt(last, ex.words...) {
			continue
		}
		for at := i + 1; at < len(r.items) && at <= i+5; at++ {
			if r.kindOf(at) == itemPhrase && r.items[at].first == last+len(ex.words) && (!ex.nameOnly || r.phraseOf(at).name) {
				r.kinds(at, r.broader(i))
				return
			}
		}
	}
}

// called reads "Y called X" and "Y, known as X": X is a kind of Y.
func (r *reader) called(i int) {
	last := r.items[i].last
	if r.wordsAt(last, ",") {
		last++
	}
	if r.wordsAt(last, "also") {
		last++
	}
	switch {
	case r.wordsAt(last, "called"):
		last++
	case r.wordsAt(last, "known", "as"):
		last += 2
	default:
		return
	}
	for at := i + 1; at < len(r.items) && at <= i+4; at++ {
		if r.kindOf(at) != itemPhrase || r.items[at].first != last {
			continue
		}
		x, y := r.phraseOf(at), r.phraseOf(i)
		k := i
		for y.plural != x.plural && r.kindOf(k-1) == itemPreposition && r.kindOf(k-2) == itemPhrase {
			k -= 2
			y = r.phraseOf(k)
		}
		r.state(x.key, y.key, r.kindType(x.key), confidenceListed)
		return
	}
}

// andOther reads "A, B and other Y" at the conjunction i.
func (r *reader) andOther(i int) {
	if r.kindOf(i+1) != itemPhrase {
		return
	}
	first := r.items[i+1].first
	if !r.wordsAt(first, "other") && !r.wordsAt(first, "similar") {
		return
	}
	y := r.phraseOf(i + 1)
	if !y.plural || y.key == "" {
		return
	}
	for k := i - 1; ; {
		if r.kindOf(k) == itemComma {
			k--
		}
		if r.kindOf(k) != itemPhrase {
			return
		}
		if before := r.kindOf(k - 1); before == itemPreposition && k == i-1 && r.low(k-1) == "of" {
			return // "the growth of trees and other plants" is clear only for the nearest
		}
		if x := r.concept(k); x != "" {
			r.state(x, y.key, r.kindType(x), confidenceListed)
		}
		if r.kindOf(k-1) != itemComma {
			return
		}
		k--
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
	if y.generic != "" || !x.name && (x.plural || r.kindOf(i-1) == itemPreposition) {
		return
	}
	r.state(x.key, y.key, r.kindType(x.key), confidenceListed)
}
