package english

import "strings"

// noPlaceVerbs take "in", "at" or "on" for something else than a place.
const noPlaceVerbs = " believe result consist specialise specialize invest engage participate succeed fail write implement code express aim look stare shout point arrive focus base depend rely act speak publish translate draw trade deal "

// placeOf returns the item of a name that "in", "at" or "inside" at item k puts
// something into, or 0.
func (r *reader) placeOf(k int) int {
	if r.kindOf(k) != itemPreposition || r.kindOf(k+1) != itemPhrase {
		return 0
	}
	switch r.low(k) {
	case "in", "at", "inside", "within", "throughout":
	default:
		return 0
	}
	p := r.phraseOf(k + 1)
	tokens := r.sentence.tokens
	last := tokens[p.last-1]
	if p.key == "" || p.first != r.items[k].last || p.determiner == "" && p.from > p.first || last.tag != posName || !tokens[p.from].own || p.determiner != "" && p.determiner != "the" ||
		strings.ContainsAny(last.text, "0123456789") || strings.Contains(noPlaces, " "+last.low+" ") || strings.Contains(calendar, " "+last.low+" ") {
		return 0
	}
	return k + 1
}

// happensIn reads "he taught at Oberlin" at the verb of item i: its subject is there.
func (r *reader) happensIn(i int, v verbGroup, subjects []int, confidence float64) {
	at := r.placeOf(i + 1)
	if at == 0 || strings.Contains(noPlaceVerbs, " "+v.lemma+" ") {
		return
	}
	passive := v.passive || !v.finite && !v.gerund
	if _, known := r.rules[ruleKey{lemma: v.lemma, passive: passive, prep: r.low(i + 1)}]; known {
		return
	}
	r.each(r.concepts(subjects), r.concepts(r.list(at)), "LOCATED_IN", min(confidence, confidenceReduced))
}

// standsIn reads "a plant in Borlänge" at the phrase of item i: a thing right before the
// name of a place.
func (r *reader) standsIn(i int) {
	at := r.placeOf(i + 1)
	p := r.phraseOf(i)
	tokens := r.sentence.tokens
	if at == 0 || p.pronoun || p.key == "" || p.last != r.items[i+1].first || r.denies(p) || r.low(i-1) == "of" || r.kindOf(i-1) == itemVerb && r.items[i-1].verb.lemma != "be" ||
		p.determiner == "" && !p.plural && !p.name {
		return
	}
	head := singular(tokens[p.last-1].low)
	if nounEnding(head) || strings.Contains(inNouns, " "+head+" ") || strings.Contains(measures, " "+head+" ") || strings.Contains(subjects, " "+tokens[r.phraseOf(at).last-1].low+" ") || r.sentence.kind == blockHeading {
		return
	}
	x := r.named(i)
	if r.low(i+1) == "at" && personal(head) || r.isBody(at) {
		r.state(x, r.concept(at), "PART_OF", confidenceReduced)
		return
	}
	r.state(x, r.concept(at), "LOCATED_IN", confidenceReduced)
}

// bodies are nouns of groups of people: who is in them is a part.
const bodies = " orchestra band team party army navy committee council league club group company ministry quartet quintet choir union association parliament senate cabinet "

// isBody reports whether the name at item i ends with such a noun.
func (r *reader) isBody(i int) bool {
	p := r.phraseOf(i)
	return strings.Contains(bodies, " "+r.sentence.tokens[p.last-1].low+" ")
}

// subjects are fields of knowledge: "the prize in physics" is nowhere.
const subjects = " physics chemistry medicine economics literature mathematics history law philosophy science engineering computing peace english french german latin spanish italian chinese japanese russian arabic greek "

// measures are nouns of times and amounts, which stand nowhere.
const measures = " night morning evening afternoon year month week day hour minute time century decade percent per cent price share cent dollar euro pound mile kilometre kilometer metre meter people person "
