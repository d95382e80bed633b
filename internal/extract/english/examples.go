package english

import "strings"

// exampleNouns are nouns whose "of" phrase is the class of what follows: "examples of
// mammals include whales", "two kinds of cloud are cumulus and stratus".
const exampleNouns = " example type kind form sort class variety category species subtype subclass variant instance breed subset genre "

// isExamples reports whether item i is a noun such as "examples" and item i+1 its "of".
func (r *reader) isExamples(i int) bool {
	if r.kindOf(i) != itemPhrase || !r.isOf(i+1) {
		return false
	}
	head := r.sentence.tokens[r.phraseOf(i).last-1].low
	return strings.Contains(exampleNouns, " "+singular(head)+" ")
}

// examplesOf reads "examples of X include Y and Z" and "mammals include whales" at the
// verb of item i: the Y are kinds of X. It reports false when the sentence is no such.
func (r *reader) examplesOf(i int, subjects []int, confidence float64) bool {
	v := r.items[i].verb
	if len(subjects) != 1 || v.passive || v.lemma != "be" && v.lemma != "include" && v.lemma != "comprise" {
		return false
	}
	s := subjects[0]
	if v.lemma == "include" && r.kindOf(i-1) == itemWh {
		return false // "samples that include a location"
	}
	var x string
	switch p := r.phraseOf(s); {
	case r.isExamples(s):
		if v.lemma == "be" && isArticle(p.determiner) {
			return false // "a type of X is a Y" says nothing of the kind
		}
		x = r.concept(s + 2)
	case v.lemma == "include" && p.plural && !p.name && r.sentence.tokens[p.last-1].tag == posNouns && (p.determiner == "" || p.determiner == "its" || p.determiner == "their") && p.key != "" && r.isClass(p):
		x = p.key
	default:
		return false
	}
	at := i + 1
	if r.kindOf(at) != itemPhrase || v.lemma == "be" && r.isExamples(at) {
		return x != "" && r.isExamples(s)
	}
	for _, y := range r.concepts(r.list(at)) {
		r.state(y, x, r.kindType(y), min(confidence, confidenceListed))
	}
	return true
}

// typesAre reads "three types of cloud: cumulus, stratus and cirrus" at item i.
func (r *reader) typesAre(i int) {
	if !r.isExamples(i) || !r.phraseOf(i).plural {
		return
	}
	after := r.afterChain(i)
	if after >= len(r.items) || r.kindOf(after) != itemStop || r.sentence.tokens[r.items[after].first].text != ":" {
		return
	}
	x := r.concept(i + 2)
	for _, y := range r.concepts(r.list(after + 1)) {
		r.state(y, x, r.kindType(y), confidenceListed)
	}
}

// namedAs reads "animals that eat plants are called herbivores" at the passive verb of
// item i: what is called so is a kind of what was described. It reports false when the
// verb is another one.
func (r *reader) namedAs(i int, subjects []int) bool {
	v := r.items[i].verb
	at := i + 1
	switch {
	case !v.passive || v.hedged:
		return false
	case v.lemma == "know" && r.low(at) == "as":
		at++
	case v.lemma != "call" && v.low != "termed" && v.low != "named":
		return false
	}
	if r.kindOf(at) != itemPhrase {
		return false
	}
	if len(subjects) != 1 || r.phraseOf(at).key == "" {
		return true
	}
	s := subjects[0]
	described := r.kindOf(s+1) == itemWh || r.kindOf(s+1) == itemPreposition || r.kindOf(s+1) == itemVerb && s+1 < i
	if x, y := r.phraseOf(s), r.phraseOf(at); described && x.key != "" && x.generic == "" && !x.name && x.plural == y.plural && !strings.Contains(privatives, " "+r.sentence.tokens[x.last-1].low+" ") {
		r.state(y.key, x.key, r.kindType(y.key), confidenceListed)
	}
	return true
}
