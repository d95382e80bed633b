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
prerequisite:<REQUIRES precursor:PRECEDES
capital:CAPITAL_OF author:PRODUCES writer:PRODUCES composer:PRODUCES inventor:PRODUCES creator:PRODUCES developer:PRODUCES maker:PRODUCES manufacturer:PRODUCES
founder:FOUNDED co-founder:FOUNDED cofounder:FOUNDED discoverer:DISCOVERED
ceo:LEADS executive:LEADS head:LEADS leader:LEADS director:LEADS president:LEADS chairman:LEADS chairwoman:LEADS chair:LEADS mayor:LEADS governor:LEADS
subsidiary:PART_OF department:PART_OF subsystem:PART_OF tributary:PART_OF dialect:SPECIALIZES alternative:ANALOGOUS_TO synonym:ANALOGOUS_TO successor:FOLLOWS predecessor:PRECEDES replacement:REPLACES
fork:DERIVED_FROM adaptation:DERIVED_FROM translation:DERIVED_FROM venture:DERIVED_FROM
belt:COMPOSED_OF sheet:COMPOSED_OF soup:COMPOSED_OF stew:COMPOSED_OF blend:COMPOSED_OF mix:COMPOSED_OF bundle:COMPOSED_OF cluster:COMPOSED_OF array:COMPOSED_OF
string:COMPOSED_OF team:COMPOSED_OF row:COMPOSED_OF stack:COMPOSED_OF compound:COMPOSED_OF solution:COMPOSED_OF suite:COMPOSED_OF federation:COMPOSED_OF
owner:OWNS holder:OWNS operator:LEADS manager:LEADS editor:LEADS captain:LEADS chief:LEADS king:LEADS queen:LEADS ruler:LEADS emperor:LEADS minister:LEADS
commander:LEADS rector:LEADS dean:LEADS chancellor:LEADS maintainer:LEADS
user:USES supplier:PRODUCES provider:PRODUCES vendor:PRODUCES publisher:PRODUCES
employee:PART_OF citizen:PART_OF organ:PART_OF chapter:PART_OF region:PART_OF area:PART_OF colony:PART_OF
basis:<DERIVED_FROM foundation:<DEPENDS_ON ancestor:<DERIVED_FROM`

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
	if r.partitive(at) {
		r.oneOf(at+1, subjects, confidence)
		return
	}
	if r.kindOf(at) != itemPhrase {
		return
	}
	p := r.phraseOf(at)
	if p.determiner == "no" || p.pronoun {
		return
	}
	if r.standIn(subjects) && (r.kindOf(at+1) == itemTo || r.kindOf(at+1) == itemWh || r.kindOf(at+1) == itemVerb && r.items[at+1].verb.to) {
		return // "it is a mistake to …": it stands for what follows
	}
	if k := r.afterPhrases(at); isArticle(p.determiner) && r.kindOf(k) == itemConjunction && r.low(k) == "or" && r.kindOf(k+1) == itemPhrase && isArticle(r.phraseOf(k+1).determiner) {
		return // "is a river or a canal": either, not both
	}
	if len(subjects) == 1 && r.phraseOf(subjects[0]).determiner == "the" && strings.Contains(turns, " "+r.sentence.tokens[r.phraseOf(subjects[0]).last-1].low+" ") {
		return
	}
	from := r.concepts(subjects)
	if p.determiner != "the" && !p.plural {
		r.further(at, from, confidence)
	}
	if r.classStatement(from, at, confidence) {
		return
	}
	r.placed(from, at, confidence)
	if r.narrowed(i, subjects) || i > 0 && r.inverted(r.items[i].first-1) {
		return
	}
	if r.listsKinds(subjects, at, confidence) {
		return
	}
	indefinite := p.determiner == "a" || p.determiner == "an" ||
		p.determiner == "" && p.plural && r.items[i].verb.plural
	if len(from) == 1 && (p.determiner == "our" || p.determiner == "my" || p.determiner == "his" || p.determiner == "her") {
		c := r.found.find(from[0])
		indefinite = indefinite || c != nil && c.name && !p.plural // "Hostify is our provider"
	}
	if !indefinite && !(p.determiner == "the" && r.outstanding(p) && !r.standIn(subjects)) || !r.heads(subjects) {
		return
	}
	to := r.concept(at)
	if !r.isClass(p) {
		to = ""
	}
	for _, x := range from {
		r.define(x, subjects)
		r.state(x, to, r.kindType(x), confidence)
		for _, k := range r.list(at)[1:] { // "a drummer and bandleader"
			if p := r.phraseOf(k); !r.isOf(at+1) && !p.plural && !isArticle(p.determiner) && r.isClass(p) {
				r.state(x, r.concept(k), r.kindType(x), confidence)
			}
		}
	}
}

// chiefWords say of something that it stands out among its kind.
const chiefWords = " main chief principal major largest biggest commonest leading typical usual common frequent key important primary secondary "

// hasChief reports whether a word of the phrase says that it stands out.
func (r *reader) hasChief(p *phrase) bool {
	for _, t := range r.sentence.tokens[p.first:p.last] {
		if strings.Contains(chiefWords, " "+t.low+" ") {
			return true
		}
	}
	return false
}

// outstanding reports "the largest city", "the only carrier": what is one of them is a city
// and a carrier.
func (r *reader) outstanding(p *phrase) bool {
	for _, t := range r.sentence.tokens[p.first:p.from] {
		superlative := t.tag == posAdjective && strings.HasSuffix(t.low, "est") && len(t.low) > 5
		if superlative || strings.Contains(" only sole first second third most leading main chief principal ", " "+t.low+" ") {
			return true
		}
	}
	return strings.Contains(" leading main chief principal ", " "+r.sentence.tokens[p.from].low+" ")
}

// turns are nouns of what a text speaks of at the moment: "the answer is a list" is said of
// one answer.
const turns = " answer reply response result argument value input output body default alternative exception "

// listsKinds reads "the main crops are hops and barley" and "the largest city is Oslo": the
// complements are kinds of the subject.
func (r *reader) listsKinds(subjects []int, at int, confidence float64) bool {
	if len(subjects) != 1 {
		return false
	}
	p := r.phraseOf(subjects[0])
	if p.name || !p.plural && (p.determiner == "" || isArticle(p.determiner)) || !r.hasChief(p) && (p.plural || !r.outstanding(p) || !r.phraseOf(at).name) {
		return false
	}
	for _, y := range r.concepts(r.list(at)) {
		r.state(y, p.key, r.kindType(y), min(confidence, confidenceListed))
	}
	return true
}

// further reads the complements after the one at item at: "is a river in Moravia and a
// tributary of the Oder".
func (r *reader) further(at int, from []string, confidence float64) {
	k := r.afterPhrases(at)
	if r.kindOf(k) != itemConjunction || r.low(k) != "and" || r.kindOf(k+1) != itemPhrase || !isArticle(r.phraseOf(k+1).determiner) {
		return
	}
	if end := r.kindOf(r.afterPhrases(k + 1)); end == itemVerb {
		return // a clause of its own
	}
	if r.classStatement(from, k+1, confidence) || !r.isClass(r.phraseOf(k+1)) {
		return
	}
	for _, x := range from {
		r.state(x, r.concept(k+1), r.kindType(x), confidence)
	}
}

// oneOf reads "is one of the first colonisers" with the plural at item at.
func (r *reader) oneOf(at int, subjects []int, confidence float64) {
	p := r.phraseOf(at)
	if p.plural && p.generic == "" && r.low(at-1) == "of" && r.sentence.tokens[r.items[at-1].first-1].low == "one" {
		for _, x := range r.concepts(subjects) {
			r.state(x, p.key, r.kindType(x), confidence)
		}
	}
}

// narrowed reports whether the subjects are only those things of their class that a
// clause or phrase picks out: "a job with two crashes is a suspect", "a phrase that means
// nothing is an error". It says nothing of every job and phrase.
func (r *reader) narrowed(i int, subjects []int) bool {
	if r.low(i-1) == "that" {
		return true
	}
	for _, s := range subjects {
		p := r.phraseOf(s)
		if p.name || p.determiner == "the" || r.isOf(s+1) || s+1 >= i {
			continue
		}
		switch r.kindOf(s + 1) {
		case itemWh, itemVerb:
			return true
		case itemPreposition:
			return r.low(s+1) == "with" || r.low(s+1) == "without" || r.low(s+1) == "from" || r.low(s+1) == "in"
		}
	}
	return false
}

// inverted reports whether token at turns subject and complement round: "so is a job".
func (r *reader) inverted(at int) bool {
	if at < 0 {
		return false
	}
	switch r.sentence.tokens[at].low {
	case "so", "nor", "neither", "as", "there":
		return true
	}
	return false
}

// placeNouns are nouns of places: "a city in Norway" says where it lies.
const placeNouns = " city town village suburb district province state region river lake mountain island country municipality port harbour harbor valley desert peninsula bay castle cathedral museum university airport bridge volcano glacier stadium palace temple church park "

// placed reads "is a city in Norway", with the noun at item at.
func (r *reader) placed(from []string, at int, confidence float64) {
	head := r.sentence.tokens[r.phraseOf(at).last-1].low
	if !strings.Contains(placeNouns, " "+singular(head)+" ") || r.kindOf(at+1) != itemPreposition || r.low(at+1) != "in" || r.kindOf(at+2) != itemPhrase || !r.phraseOf(at+2).name {
		return
	}
	r.each(from, r.concepts([]int{at + 2}), "LOCATED_IN", confidence)
}

// mainVerbs counts the finite verbs from item i to the next comma or stop.
func (r *reader) mainVerbs(i int) int {
	n := 0
	for ; r.kindOf(i) != itemStop && r.kindOf(i) != itemComma; i++ {
		if r.kindOf(i) == itemVerb && r.items[i].verb.finite {
			n++
		}
	}
	return n
}

// closes reports whether item i ends an insertion: a comma with something behind it that
// goes on with the clause, a bracket or the end of the sentence.
func (r *reader) closes(i int) bool {
	if r.kindOf(i) == itemComma {
		next := r.kindOf(i + 1)
		return next == itemVerb || next == itemStop
	}
	return r.kindOf(i) == itemStop
}

// afterPhrases returns the item after the phrase at i and every prepositional phrase
// behind it.
func (r *reader) afterPhrases(i int) int {
	i++
	for r.kindOf(i) == itemPreposition && r.kindOf(i+1) == itemPhrase {
		i += 2
	}
	return i
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

// made are nouns of what consists of something and is a kind of thing all the same: a
// chowder is a soup of fish.
const made = " soup stew alloy compound federation belt "

// classStatement reads "is a part of …" and its like, where the phrase at item
// at is "a part". It reports false when that noun relates nothing.
func (r *reader) classStatement(from []string, at int, confidence float64) bool {
	head := singular(r.sentence.tokens[r.phraseOf(at).last-1].low)
	rule, ok := r.classes[head]
	if !ok || !r.isOf(at+1) {
		return false
	}
	for _, x := range from {
		if strings.Contains(made, " "+head+" ") && isArticle(r.phraseOf(at).determiner) {
			r.state(x, r.phraseOf(at).key, r.kindType(x), confidence)
		}
		for _, y := range r.concepts(r.unowned(r.list(at + 2))) {
			if rule.inverted {
				r.state(y, x, rule.typ, confidence)
			} else {
				r.state(x, y, rule.typ, confidence)
			}
		}
	}
	return true
}

// unowned cuts a list before an element with a determiner of its own: of "the capital of
// Corantia and its harbour" the harbour is another complement.
func (r *reader) unowned(list []int) []int {
	for n, k := range list {
		if d := r.phraseOf(k).determiner; n > 0 && (d == "its" || d == "their" || d == "his" || d == "her" || d == "the" && r.phraseOf(list[0]).determiner == "") {
			return list[:n]
		}
	}
	return list
}

// define makes the sentence the description of x.
func (r *reader) define(x string, subjects []int) {
	c := r.found.find(x)
	if c == nil || r.standIn(subjects) || len(subjects) != 1 || r.items[0].kind != itemPhrase || subjects[0] != 0 {
		return
	}
	if c.describe == "" {
		c.defined, c.definition, c.describe = true, r.index, r.raw
	}
}

// apposition reads "X, a Y," at the phrase i.
func (r *reader) apposition(i int) {
	at := r.renaming(i)
	if at == 0 {
		return
	}
	x, y := r.phraseOf(i), r.phraseOf(at)
	definite := x.name && r.sentence.kind != blockRow && r.sentence.tokens[x.last-1].tag == posName && !y.name && !y.pronoun && (y.determiner == "the" || y.determiner == "" && !y.plural && r.kindOf(i-1) != itemPreposition) && r.closes(r.afterPhrases(at))
	if !isArticle(y.determiner) && !definite || isArticle(x.determiner) || x.key == "" {
		return
	}
	after := r.afterChain(at)
	if r.kindOf(after) == itemVerb && r.items[after].verb.finite {
		return // a clause of its own
	}
	if end := r.items[after-1].last; r.wordsAt(end, "for", "example") || r.wordsAt(end, "for", "instance") || r.wordsAt(end, "say") {
		return // "a key of yours, a UUID for example": it may be something else
	}
	if r.kindOf(after) == itemWh && r.mainVerbs(after+1) > 1 {
		return // "…, a command that needs one ends"
	}
	if r.kindOf(after) == itemConjunction && r.kindOf(after+1) == itemPhrase && !r.isOf(at+1) ||
		r.kindOf(after) == itemComma && (r.kindOf(after+1) == itemConjunction && r.kindOf(after+2) == itemPhrase || r.kindOf(after+1) == itemPhrase) {
		return // a list
	}
	if k := r.kindOf(i - 1); (k == itemComma || k == itemConjunction) && r.kindOf(i-2) == itemPhrase {
		return
	}
	if r.classStatement([]string{x.key}, at, confidenceListed) {
		return
	}
	if strings.Contains(fractions, " "+r.sentence.tokens[y.last-1].low+" ") {
		return // "the budget, a tenth"
	}
	if !r.isClass(y) || !x.name && (x.plural || r.kindOf(i-1) == itemPreposition) {
		return
	}
	r.state(x.key, y.key, r.kindType(x.key), confidenceListed)
}

// insertedName reads "the new firewall, FortiWall, blocks" and "the mayor of Lund, Maria
// Holt, said" at the phrase of item i: the name between the commas is what stands before it.
func (r *reader) insertedName(i int) {
	x := r.phraseOf(i)
	at := r.afterChain(i)
	if x.name || x.plural || x.pronoun || x.determiner == "" || isArticle(x.determiner) || r.denies(x) || r.kindOf(at) != itemComma || r.items[at].first != r.items[at-1].last ||
		r.kindOf(at+1) != itemPhrase || r.items[at+1].first != r.items[at].last || r.kindOf(at+2) != itemComma || r.kindOf(at+3) != itemVerb {
		return
	}
	y := r.phraseOf(at + 1)
	if !y.name || y.determiner != "" || y.key == "" || r.kindOf(i-1) == itemPreposition || r.kindOf(i-1) == itemComma && !r.opensMain(i-1) || r.kindOf(i-1) == itemConjunction {
		return
	}
	if !r.classStatement([]string{y.key}, i, confidenceListed) && r.isClass(x) && at == i+1 {
		r.state(y.key, x.key, r.kindType(y.key), confidenceListed)
	}
}

// opensMain reports whether the comma at item i ends the clause or phrase that opens the
// sentence: "When the train came, the vicar …", "In March, the vicar …".
func (r *reader) opensMain(i int) bool {
	switch r.kindOf(0) {
	case itemThat, itemPreposition, itemWh:
	default:
		return false
	}
	for k := 1; k < i; k++ {
		if r.kindOf(k) == itemComma || r.kindOf(k) == itemStop {
			return false
		}
	}
	return true
}

// renaming returns the item of the phrase after the comma behind item i, or behind the age
// between two ("Peter Dahl, 45, a farmer"), or 0.
func (r *reader) renaming(i int) int {
	at := i + 1
	if r.kindOf(at) != itemComma || r.items[at].first != r.items[i].last {
		return 0
	}
	if first := r.items[at].last; r.kindOf(at+1) == itemComma && r.items[at+1].first == first+1 && r.sentence.tokens[first].tag == posNumber {
		at++
	}
	if r.kindOf(at+1) != itemPhrase || r.items[at+1].first != r.items[at].last {
		return 0
	}
	return at + 1
}
