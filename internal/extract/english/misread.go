package english

import (
	"slices"
	"strings"
)

// misread reports a verb at item i whose object, at item at and up to item last, is not
// what the verb is said of.
func (r *reader) misread(i, at, last int, v verbGroup, prep string) bool {
	active := !v.passive && (v.finite || v.gerund)
	switch {
	case prep == "" && r.particleBefore(i, at, v):
		return true
	case active && (prep == "up" || prep == "off" || prep == "down") && strings.Contains(lightVerbs, " "+v.lemma+" "):
		return true // "uses up its retries"
	case active && prep == "" && (v.lemma == "have" || v.lemma == "make" || v.lemma == "let") && r.causative(at, last):
		return true
	case active && prep == "" && (v.lemma == "stop" || v.lemma == "start") && r.bareGerund(at):
		return true // "stops reading"
	case v.gerund && !v.finite && r.compound(i, at, last), v.lemma == "make" && r.kindOf(last) == itemVerb && r.items[last].verb.to:
		return true
	case v.finite && r.kindOf(i-1) == itemPhrase && r.kindOf(last) == itemVerb && r.items[last].verb.finite && r.sentence.tokens[r.items[last].first].tag != posPast:
		return true // "the minimum supported version is 3"
	case prep == "by" && r.manner(at), prep == "in" && r.setPhrase(at):
		return true
	case !v.finite && v.lemma == "base" && prep == "on" && r.kindOf(i-1) == itemPhrase && r.kindOf(i-2) == itemPreposition && r.low(i-2) != "of":
		return true // "selects samples from a profile based on tags"
	}
	return r.listedVerb(i, v)
}

// manner reports a phrase that says how after "by", and names no agent: "is enabled by
// default".
func (r *reader) manner(at int) bool {
	p := r.phraseOf(at)
	return p.determiner == "" && !p.name && p.last-p.first == 1 && strings.Contains(" default hand mistake accident chance design law post mail email phone definition convention request turn ", " "+r.sentence.tokens[p.last-1].low+" ")
}

// setPhrase reports a phrase that is half a preposition: "in conjunction with a cache".
func (r *reader) setPhrase(at int) bool {
	p := r.phraseOf(at)
	return p.determiner == "" && strings.Contains(" favour favor terms conjunction combination accordance connection conformance compliance addition parallel advance order contrast comparison ", " "+r.sentence.tokens[p.last-1].low+" ")
}

// listedVerb reports a subject that is the verb of a line without one, before a participle
// or gerund: "Checks banned characters", "Suggests removing the call".
func (r *reader) listedVerb(i int, v verbGroup) bool {
	if r.kindOf(i-1) != itemPhrase || r.kindOf(i-2) != itemStop || r.items[i].last-r.items[i].first != 1 {
		return false
	}
	p := r.phraseOf(i - 1)
	if p.last-p.first != 1 || p.name || r.words.verbs[r.sentence.tokens[p.first].low].shape&shapeS == 0 {
		return false
	}
	return v.gerund || r.sentence.tokens[r.items[i].first].tag == posPast
}

// lightVerbs mean something else with a particle.
const lightVerbs = " use have hold make take give keep pick find run get put break "

// particles change what a verb means: "holds back a river", "leaves out the tables".
// Others do so only to a light verb: what "dries out the soil" influences it.
const particles = " back aside apart forth "

// particleBefore reports a particle between the verb of item i and the phrase of item at.
func (r *reader) particleBefore(i, at int, v verbGroup) bool {
	for _, t := range r.sentence.tokens[r.items[i].last:r.items[at].first] {
		light := strings.Contains(lightVerbs, " "+v.lemma+" ") && strings.Contains(" out away over off up down ", " "+t.low+" ")
		if light || strings.Contains(particles, " "+t.low+" ") {
			return true
		}
	}
	return false
}

// causative reports "has a worker take nothing" and "has the server prove it": of what is
// made to do something nothing is said. The phrases of the object are items [at, last).
func (r *reader) causative(at, last int) bool {
	tokens := r.sentence.tokens
	p := r.phraseOf(at)
	if strings.Contains(" all both each ", " "+p.determiner+" ") && !p.plural {
		return false
	}
	if k := r.kindOf(last); k == itemVerb && tokens[r.items[last].first].tag == posBase {
		return true
	}
	end := p.last
	if end-p.from > 1 && r.kindOf(at+1) == itemPhrase && r.phraseOf(at+1).first == end {
		return r.words.verbs[tokens[end-1].low].shape&shapeBase != 0 // the verb was read as a noun
	}
	return false
}

// compound reports a gerund that is a part of a noun phrase: in "integer truncating division
// is slow" nothing truncates a division.
func (r *reader) compound(i, at, last int) bool {
	if r.kindOf(i-1) != itemPhrase || r.kindOf(i-2) != itemStop || r.kindOf(last) != itemVerb || !r.items[last].verb.finite {
		return false
	}
	x, y := r.phraseOf(i-1), r.phraseOf(at)
	return x.determiner == "" && !x.plural && !x.name && y.determiner == ""
}

// bareGerund reports an object that is a gerund alone.
func (r *reader) bareGerund(at int) bool {
	p := r.phraseOf(at)
	return p.last-p.first == 1 && r.words.verbs[r.sentence.tokens[p.first].low].shape&shapeIng != 0
}

// startsVerb reports whether the phrase at item k is a verb that was read as a noun: in
// "reads a chunk and returns concepts" no return is read.
func (r *reader) startsVerb(k int) bool {
	p := r.phraseOf(k)
	if p.last-p.first != 1 || p.name || r.kindOf(k+1) != itemPhrase || r.phraseOf(k+1).first != p.last {
		return false
	}
	t := r.sentence.tokens[p.first]
	return t.tag == posNoun || r.words.verbs[t.low].shape&(shapeBase|shapeS) != 0
}

// wholes returns the items of a list that something can have as its parts: who has "the
// names of the servers" has no servers.
func (r *reader) wholes(items []int) []int {
	var out []int
	for _, i := range items {
		p := r.phraseOf(i)
		head := r.sentence.tokens[p.last-1].low
		counted := slices.ContainsFunc(r.sentence.tokens[p.first:p.last], func(t token) bool { return t.tag == posNumber })
		if p.key != "" || counted || !r.isOf(i+1) || strings.Contains(quantities, " "+singular(head)+" ") || head == "number" && isArticle(p.determiner) {
			out = append(out, i)
		}
	}
	return out
}

// notOf returns the items of a list that do not belong to an owner of the same name: what
// is said to have "the settings of a lane" and is called so, as the event `lane`, is none.
func (r *reader) notOf(items []int, owners []string) []int {
	return slices.DeleteFunc(slices.Clone(items), func(i int) bool {
		return r.isOf(i+1) && slices.Contains(owners, r.phraseOf(i+2).key)
	})
}

// share reports an object of "has" at item at that is no part: "has one of A and B", "has
// two of its wheels", "has 20 claims a second".
func (r *reader) share(i, at int) bool {
	tokens := r.sentence.tokens
	if r.kindOf(i+1) == itemPreposition && r.low(i+1) == "of" {
		return true
	}
	if r.isOf(at+1) && strings.Contains(" its their his her ", " "+r.phraseOf(at+2).determiner+" ") {
		return true
	}
	last := r.phraseOf(at).last
	return last+1 < len(tokens) && (isArticle(tokens[last].low) || tokens[last].low == "per") && strings.Contains(" second minute hour day week month year ", " "+tokens[last+1].low+" ")
}

// products returns the items of a list that are made: who publishes "a list of vessels"
// makes no vessels.
func (r *reader) products(items []int) []int {
	return slices.DeleteFunc(slices.Clone(items), func(i int) bool {
		p := r.phraseOf(i)
		return p.key == "" && r.isOf(i+1) && strings.Contains(" list report summary record map copy overview description account picture image photo version name part ", " "+r.sentence.tokens[p.last-1].low+" ")
	})
}

// quantities are nouns whose "of" phrase is what there is of it.
const quantities = " set list group pair series kind type sort form variety range collection lot majority amount piece couple dozen hundred thousand million plenty handful mixture combination sequence layer row part most rest trace stock supply dose slice cup glass bottle bag box bit ton tonne litre liter gram kilogram "

// discovery reports whether the verb at item i tells of what was found once: what "finds"
// and "is found by" do every day is no discovery.
func (r *reader) discovery(i int) bool {
	for _, t := range r.sentence.tokens[r.items[i].first:r.items[i].last] {
		if t.tag == posParticiple && r.kindOf(i-1) == itemConjunction {
			return false // "is stored and found by searches"
		}
		if t.tag == posPast || t.low == "was" || t.low == "were" || t.low == "has" || t.low == "have" || t.low == "had" || t.tag == posParticiple && r.items[i].last-r.items[i].first == 1 {
			return true
		}
	}
	return false
}
