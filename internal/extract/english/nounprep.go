package english

import "strings"

// nounPreps say how a noun and the preposition after it relate what precedes them to
// the phrase behind: "a vaccine against influenza". The thing that the noun is said of
// is the subject; the noun itself is it when nothing else is.
const nounPreps = `
vaccine:against:PREVENTS protection:against:PREVENTS defence:against:PREVENTS defense:against:PREVENTS remedy:for:TREATS remedy:against:TREATS
treatment:for:TREATS cure:for:TREATS drug:for:TREATS drug:against:TREATS therapy:for:TREATS antidote:to:PREVENTS
alternative:to:ANALOGOUS_TO replacement:for:REPLACES successor:to:FOLLOWS predecessor:to:PRECEDES`

// inNouns take "in" for what they are about, not for a place: "an increase in prices".
const inNouns = " interest increase decrease change rise fall reduction role belief trust confidence decline improvement drop growth expert advance difference progress investment participation involvement specialist shift variation experience delay gain loss course research degree phase speedup copyright right stake share faith "

// noPlaces are what "in" puts nothing into: "errors in practice".
const noPlaces = " winter summer spring autumn fall practice theory general particular addition contrast fact turn case detail parallel response search order time advance future past present morning evening afternoon night person public private stock use question charge favour favor trials trial half line english german french latin online transaction time mind force place vain danger power control love peace trouble hand sight common total full cash advance "

// places reads "a scan in the audit log" where "in" cannot belong to a verb: at the
// start of a clause, in a fragment and after "there is". It also reads nounPreps and
// "certificates from Apple".
func (r *reader) places(i int) {
	p := r.phraseOf(i)
	r.townAndCountry(i)
	if form := r.words.verbs[r.sentence.tokens[p.first].low]; r.items[i].first == 0 && p.last == 1 && form.shape&shapeBase != 0 {
		return // "Pour in the milk"
	}
	if r.kindOf(i+1) != itemPreposition || r.kindOf(i+2) != itemPhrase || r.items[i+1].first != p.last || r.denies(p) {
		return
	}
	prep, y := r.low(i+1), r.phraseOf(i+2)
	r.with(i, prep)
	head := singular(r.sentence.tokens[p.last-1].low)
	x, to := r.concept(i), r.concept(i+2)
	if x == "" && p.key == "" || to == "" {
		return
	}
	if typ, ok := nounPrepTypes[head+":"+prep]; ok {
		for _, z := range r.concepts(r.list(i + 2)) {
			r.state(r.named(i), z, typ, confidenceListed)
		}
		return
	}
	switch prep {
	case "in", "on", "inside", "within":
		opens := r.there(i) || r.kindOf(i-1) == itemStop && r.sentence.kind != blockRow && r.sentence.tokens[p.last-1].tag != posCode &&
			(r.sentence.tokens[y.last-1].tag == posName && y.determiner == "" || r.fragment() && y.determiner == "the")
		if !opens || strings.Contains(inNouns, " "+head+" ") || strings.Contains(noPlaces, " "+r.sentence.tokens[y.last-1].low+" ") || prep == "on" && !r.there(i) || r.asserts(i+3) {
			return
		}
		r.state(x, to, "LOCATED_IN", confidenceReduced)
	case "from":
		if y.name && !p.name && !r.humans(i) && !strings.Contains(noParts, " "+head+" ") && r.low(r.afterChain(i+2)) != "to" {
			r.state(r.named(i), to, "DERIVED_FROM", confidenceReduced)
		}
	}
}

// with reads "is a variant with a stabiliser" at the complement of item i: what it is
// said of has the part.
func (r *reader) with(i int, prep string) {
	y := r.phraseOf(i + 2)
	if prep != "with" || y.generic != "" || y.determiner == "" && !y.plural || !isArticle(r.phraseOf(i).determiner) && r.phraseOf(i).determiner != "the" || r.fragment() {
		return
	}
	x := r.named(i)
	if x == "" || x == r.concept(i) {
		return
	}
	r.each([]string{x}, r.concepts(r.list(i+2)), "HAS_PART", confidenceReduced)
}

// townAndCountry reads "in Falun, Sweden" at the first name of item i.
func (r *reader) townAndCountry(i int) {
	if r.kindOf(i-1) != itemPreposition || r.low(i-1) != "in" && r.low(i-1) != "at" && r.low(i-1) != "near" && r.low(i-1) != "from" ||
		r.kindOf(i+1) != itemComma || r.kindOf(i+2) != itemPhrase {
		return
	}
	x, y := r.phraseOf(i), r.phraseOf(i+2)
	tokens := r.sentence.tokens
	named := x.name && y.name && x.determiner == "" && y.determiner == "" && tokens[x.last-1].tag == posName && tokens[y.last-1].tag == posName
	if !named || y.first != x.last+1 || y.last-y.first > 2 || r.kindOf(i+3) == itemConjunction {
		return
	}
	if after := r.kindOf(i + 3); after == itemComma && (r.kindOf(i+4) == itemPhrase || r.kindOf(i+4) == itemConjunction) || after == itemVerb {
		return // a list, or a clause
	}
	r.state(x.key, y.key, "LOCATED_IN", confidenceListed)
}

// fragment reports an item of a list without a verb: "memory leak in the pool".
func (r *reader) fragment() bool {
	if r.sentence.kind != blockItem {
		return false
	}
	for _, it := range r.items {
		if it.kind == itemVerb {
			return false
		}
	}
	return true
}

// nounPrepTypes holds nounPreps by noun and preposition.
var nounPrepTypes = newNounPreps()

func newNounPreps() map[string]string {
	types := map[string]string{}
	for entry := range strings.FieldsSeq(nounPreps) {
		at := strings.LastIndexByte(entry, ':')
		types[entry[:at]] = entry[at+1:]
	}
	return types
}

// there reports whether "there is" stands before item i.
func (r *reader) there(i int) bool {
	if r.kindOf(i-1) != itemVerb || r.items[i-1].verb.lemma != "be" || r.items[i-1].verb.negated {
		return false
	}
	first := r.items[i-1].first
	return first > 0 && r.sentence.tokens[first-1].low == "there"
}

// asserts reports whether a form of "be" with a class follows item i: it says where the
// thing is only by the way.
func (r *reader) asserts(i int) bool {
	return r.kindOf(i) == itemPreposition
}

// named returns the key of what the phrase at item i is said of: the subject before "is
// a vaccine", the name before ", a vaccine", or the phrase itself.
func (r *reader) named(i int) string {
	if r.kindOf(i-1) == itemVerb && r.items[i-1].verb.lemma == "be" && !r.items[i-1].verb.negated && !r.phraseOf(i).name {
		if subjects, _ := r.subjects(i - 1); len(subjects) == 1 {
			return r.concept(subjects[0])
		}
	}
	if r.kindOf(i-1) == itemComma && r.kindOf(i-2) == itemPhrase && isArticle(r.phraseOf(i).determiner) && r.phraseOf(i-2).key != "" && !r.listGoesOn(i) {
		return r.phraseOf(i - 2).key
	}
	return r.concept(i)
}

// listGoesOn reports whether "and" and another phrase follow the one at item i: "a head, a
// trunk with two arms, and a tail" has three elements.
func (r *reader) listGoesOn(i int) bool {
	k := r.afterPhrases(i)
	if r.kindOf(k) == itemComma {
		k++
	}
	return r.kindOf(k) == itemConjunction && r.kindOf(k+1) == itemPhrase
}

// titled reads "the physicist Marie Curie", "the app BorrowBox" and "Microsoft's chief
// executive, Satya Nadella" at the phrase of item i.
func (r *reader) titled(i int) {
	if at := r.titledAt(i); at > 0 {
		y := r.phraseOf(at)
		r.state(y.key, r.phraseOf(i).key, r.kindType(y.key), confidenceListed)
	}
}

// titledAt returns the item of the name that the phrase at item i introduces, or 0.
func (r *reader) titledAt(i int) int {
	x := r.phraseOf(i)
	if x.name || x.plural || x.pronoun || x.key == "" || x.determiner == "" && !r.bareRole(x) && (x.first == 0 || r.sentence.tokens[x.first-1].tag != posGenitive) || x.determiner == "each" || x.determiner == "every" || isArticle(x.determiner) || x.determiner == "no" {
		return 0
	}
	tokens := r.sentence.tokens
	at := i + 1
	if r.kindOf(at) != itemPhrase || !r.phraseOf(at).name || r.phraseOf(at).determiner != "" {
		return 0
	}
	y := r.phraseOf(at)
	gap := tokens[x.last:y.first]
	if len(gap) > 1 || len(gap) == 1 && !isQuote(gap[0].text) || tokens[y.from].tag != posName || !r.isClass(x) && x.last-x.from < 2 {
		return 0
	}
	if r.kindOf(at+1) == itemVerb && r.items[at+1].verb.finite && r.kindOf(at+2) != itemPhrase && !personal(tokens[x.last-1].low) {
		return 0 // "the book Tolkien wrote"
	}
	return at
}

// bareRole reports a role without an article before a name: "pianist Chick Amaro".
func (r *reader) bareRole(x *phrase) bool {
	tokens := r.sentence.tokens
	return personal(tokens[x.last-1].low) && tokens[x.last-1].tag == posNoun && startsLower(tokens[x.first].text)
}

// personal reports a noun that names a person by its ending.
func personal(low string) bool {
	for _, e := range [...]string{"ist", "yst", "student", "scientist", "employee", "pupil", "er", "or", "ian", "man", "king", "queen", "president", "poet", "cousin", "uncle", "saint", "general", "pope"} {
		if strings.HasSuffix(low, e) && len(low) > 3 {
			return true
		}
	}
	return false
}
