package english

import (
	"strings"
)

// maxPhraseWords is the longest name that is kept whole. Of a longer phrase the
// last words are kept.
const maxPhraseWords = 4

// phrase is a noun phrase: tokens[first:last] with its determiners, of which
// tokens[from:last] are the name.
type phrase struct {
	first, from, last int
	determiner        string // "a", "the", "no", … in lower case, or empty
	plural            bool
	name              bool   // made of proper nouns or an identifier
	pronoun           bool   // it, they, this
	generic           string // the head noun when it names nothing on its own
	stands            bool   // "it" or "this disease": the key is that of what it stands for
	key               string // of its candidate; empty when the phrase names nothing
}

// phraseReader finds the noun phrases of one sentence.
type phraseReader struct {
	words  *lexicon
	tokens []token
}

// phrases returns the noun phrases in order. They do not overlap.
func (r *phraseReader) phrases() []phrase {
	var out []phrase
	for i := 0; i < len(r.tokens); {
		if r.isPronoun(i) {
			out = append(out, phrase{first: i, from: i, last: i + 1, pronoun: true})
			i++
			continue
		}
		p, ok := r.phraseAt(i)
		if !ok {
			i++
			continue
		}
		out = append(out, p)
		i = p.last
	}
	return out
}

// isPronoun reports a word that stands for something named before: "it", "these
// require …", "one reduces …".
func (r *phraseReader) isPronoun(i int) bool {
	switch r.tokens[i].tag {
	case posPronoun:
		return true
	case posNumber, posDeterminer, posOther:
		if r.tokens[i].tag == posNumber && i > 0 && r.tokens[i-1].tag.isNoun() {
			return false // "Schedule 2 replaces"
		}
		return i+1 < len(r.tokens) && (r.tokens[i+1].tag.isFinite() || r.tokens[i+1].tag == posAdverb && i+2 < len(r.tokens) && r.tokens[i+2].tag.isFinite()) &&
			r.tokens[i].low != "that" && r.tokens[i].kind != kindBreak
	}
	return false
}

// phraseAt reads the phrase that starts at i.
func (r *phraseReader) phraseAt(i int) (phrase, bool) {
	p := phrase{first: i}
	j := i
	for k := i; k < len(r.tokens) && (k == i || r.leads(k-1)); k++ {
		if n := r.tokens[k].work; n > 0 {
			return phrase{first: i, from: k, last: k + n, name: true}, true
		}
	}
	for j < len(r.tokens) && r.leads(j) {
		if t := r.tokens[j]; t.tag == posDeterminer || t.tag == posPossessive {
			p.determiner = t.low
		}
		j++
	}
	p.from = j
	noun := -1
	for j < len(r.tokens) {
		n := r.accept(p.from, j)
		if n == 0 {
			break
		}
		j += n
		if r.tokens[j-1].tag.isNoun() || r.tokens[j-1].tag == posGerund || r.tokens[j-1].tag == posNumber {
			noun = j
		}
	}
	if noun < 0 || !r.hasNoun(p.from, noun) {
		return p, false
	}
	p.last = noun
	r.narrow(&p)
	return p, true
}

// hasNoun reports whether one of tokens[from:to] is a noun.
func (r *phraseReader) hasNoun(from, to int) bool {
	for _, t := range r.tokens[from:to] {
		if t.tag.isNoun() {
			return true
		}
	}
	return false
}

// leads reports whether tokens[j] stands before the name in a phrase.
func (r *phraseReader) leads(j int) bool {
	t := r.tokens[j]
	switch t.tag {
	case posNumber:
		return j+1 >= len(r.tokens) || r.tokens[j+1].tag != posDeterminer && r.tokens[j+1].tag != posPossessive && r.tokens[j+1].tag != posPronoun // "in 1847 the company"
	case posDeterminer, posPossessive:
		return true
	case posAdverb:
		return j+1 < len(r.tokens) && (r.tokens[j+1].tag == posAdjective || r.tokens[j+1].tag == posParticiple) && t.low != "not"
	case posAdjective, posOther:
		return r.words.empty[t.low] && t.kind == kindWord && !r.opensName(j)
	}
	return false
}

// opensName reports a word of little meaning that is the start of a name: it has a capital for its own
// sake, and so has the name after it, as in "Second World War" and "Great Northern Railway".
func (r *phraseReader) opensName(j int) bool {
	t := r.tokens[j]
	if !t.own || t.kind != kindWord || !isCapital(t.text) || isUpper(t.text) || j+1 >= len(r.tokens) {
		return false
	}
	next := r.tokens[j+1]
	return next.own && isCapital(next.text) && next.tag.isNoun()
}

// accept returns how many tokens at j continue the phrase whose name starts at
// from: 0 when it ends there.
func (r *phraseReader) accept(from, j int) int {
	t := r.tokens[j]
	first := j == from
	var before pos
	if j > 0 {
		before = r.tokens[j-1].tag
	}
	switch t.tag {
	case posNoun, posNouns, posName, posCode:
		if t.tag == posNoun && strings.Contains(weakGerunds, " "+t.low+" ") {
			return 0 // "information relating to a person"
		}
		if !first && r.borders(from, j) {
			return 0
		}
		return 1
	case posAdjective:
		if first || !r.tokens[j-1].tag.isNoun() || before == posName && r.nounFollows(j+1) {
			return 1
		}
	case posGerund:
		return r.acceptGerund(from, j)
	case posParticiple, posPast:
		if t.tag == posPast && (!strings.Contains(t.low, "-") || r.words.verbs[t.low].lemma != "") {
			return 0
		}
		if r.nounFollows(j+1) && !r.afterAuxiliary(j) && (first || !r.tokens[j-1].tag.isNoun()) && !strings.Contains(weakParticiples, " "+t.low+" ") {
			return 1
		}
	case posNumber:
		numbered := before == posNoun && isCapital(r.tokens[j-1].text) && (j+1 == len(r.tokens) || !r.tokens[j+1].tag.isNoun())
		if !first && (before == posName || before == posCode || numbered) && len(t.text) <= 3 && t.text[0] <= '9' && t.start == r.tokens[j-1].end+1 {
			return 1
		}
	case posGenitive:
		if !first && before == posName && j+1 < len(r.tokens) && (r.words.eponyms[r.tokens[j+1].low] || strings.Contains(" people women workers children men students veterans ", " "+r.tokens[j-1].low+" ") && r.tokens[j+1].own) {
			return 2 // "People's Party"
		}
	case posPreposition, posDeterminer:
		return r.acceptOf(from, j)
	case posConjunction:
		return r.acceptAnd(from, j)
	}
	return 0
}

// orgHeads are nouns that name an office whose subjects "and" joins: "Ministry of
// Education and Research".
const orgHeads = " ministry department institute academy faculty school office bureau board journal museum committee commission center centre society secretary minister university association college agency "

// acceptAnd takes the "and" inside the name of an office together with the word after it.
func (r *phraseReader) acceptAnd(from, j int) int {
	of := false
	for _, t := range r.tokens[from:j] {
		of = of || t.low == "of" || t.low == "for"
	}
	if of && r.tokens[j].low == "and" && strings.Contains(orgHeads, " "+r.tokens[from].low+" ") && isCapital(r.tokens[from].text) &&
		j+1 < len(r.tokens) && r.tokens[j+1].tag == posName && r.tokens[j+1].own && j-from < 6 {
		return 2
	}
	return 0
}

// borders reports whether a new phrase starts at the noun j although a noun
// stands before it: after a plural, before a name ("the physicist Marie Curie"),
// and after an identifier that follows a noun ("a lane `claims` jobs").
func (r *phraseReader) borders(from, j int) bool {
	t, before := r.tokens[j], r.tokens[j-1].tag
	switch {
	case before == posNouns && t.tag == posNouns:
		return true
	case t.tag == posNouns && j-1 == from && from > 0 && r.tokens[from-1].low == "in" && strings.Contains(" spring summer autumn winter ", " "+r.tokens[j-1].low+" "):
		return true // "in autumn pigments turn"
	case t.work > 0 || r.inWork(from, j):
		return true
	case t.tag == posName && t.own && !mixedCase(t.text) && !strings.Contains(r.tokens[j-1].text, "-"):
		return (before == posNoun || before == posNouns) && !(before == posNoun && r.modifies(j))
	}
	return before == posCode && j-2 >= from && r.tokens[j-2].tag.isNoun() && r.tokens[j-2].tag != posName
}

// inWork reports whether a title of a work stands in tokens[from:j].
func (r *phraseReader) inWork(from, j int) bool {
	for _, t := range r.tokens[from:j] {
		if t.work > 0 {
			return true
		}
	}
	return false
}

// modifies reports whether the name at j is followed by a common noun that is the head
// of both: "finite state Markov chain".
func (r *phraseReader) modifies(j int) bool {
	for j < len(r.tokens) && r.tokens[j].tag == posName {
		j++
	}
	return j < len(r.tokens) && (r.tokens[j].tag == posNoun || r.tokens[j].tag == posNouns)
}

// weakParticiples do not belong to a name: "given data" is about data.
const weakParticiples = " given used based made called known taken shown seen found said done including left kept "

// acceptGerund takes "processing" in "a processing pipeline" and "learning" in
// "machine learning", but not "using" in "using models".
func (r *phraseReader) acceptGerund(from, j int) int {
	if strings.Contains(weakGerunds, " "+r.tokens[j].low+" ") {
		return 0
	}
	if j > from && r.tokens[j-1].tag == posNoun || j > from && r.tokens[j-1].tag == posAdjective {
		if j+1 == len(r.tokens) || endsPhrase(r.tokens[j+1]) || r.tokens[j+1].tag.isNoun() && r.tokens[j-1].tag == posNoun {
			return 1
		}
	}
	if j == from && j > 0 && r.tokens[j-1].tag == posPreposition && r.words.verbs[r.tokens[j].low].lemma == "" && j+1 < len(r.tokens) && r.tokens[j+1].tag == posNouns {
		return 1 // "by wintering finches"
	}
	led := j > 0 && (r.tokens[j-1].tag == posDeterminer || r.tokens[j-1].tag == posAdjective || r.tokens[j-1].tag == posPossessive)
	if led && r.nounFollows(j+1) {
		return 1
	}
	return 0
}

// weakGerunds are prepositions and auxiliaries in the shape of a gerund.
const weakGerunds = " using including containing following being having making according regarding concerning depending causing requiring becoming getting doing giving taking leading allowing enabling relating pertaining belonging resulting consisting arising stemming referring corresponding ranging dating dealing relying depending "

// endsPhrase reports a token after which a noun phrase cannot go on.
func endsPhrase(t token) bool {
	return t.tag == posPunct || t.tag == posPreposition || t.tag == posConjunction || t.tag.isFinite() || t.tag == posWh || t.tag == posTo
}

// roles are nouns that look like names and are none: "the CEO of Microsoft".
const roles = " ceo cto cfo coo vp chairman president director founder "

// acceptOf takes the "of" and "of the" inside a name such as "University of
// Oslo" or a term such as "breach of contract", together with the word after
// them.
func (r *phraseReader) acceptOf(from, j int) int {
	if j == from || r.tokens[j].low != "of" {
		return 0
	}
	if r.words.ofHeads[r.tokens[j-1].low] && j+1 < len(r.tokens) && (r.tokens[j+1].tag == posNoun || r.tokens[j+1].tag == posNouns) {
		return 2
	}
	if !isCapital(r.tokens[j-1].text) || r.tokens[j-1].tag != posName && !(r.tokens[j-1].own && r.tokens[j-1].tag.isNoun()) || strings.Contains(roles, " "+r.tokens[j-1].low+" ") {
		return 0
	}
	if r.fullName(from, j) {
		return 0 // "Ingrid Falk of Lund University" is a person of that place
	}
	n := 1
	if j+1 < len(r.tokens) && r.tokens[j+1].low == "the" {
		n = 2
	}
	if j+n < len(r.tokens) && r.tokens[j+n].tag == posName && isCapital(r.tokens[j+n].text) {
		return n + 1
	}
	return 0
}

// fullName reports whether tokens[from:j] are two or three names none of which is a word of
// English.
func (r *phraseReader) fullName(from, j int) bool {
	for _, t := range r.tokens[from:j] {
		if t.tag != posName || !isCapital(t.text) || isUpper(t.text) || r.words.band(t.low) != bandRare {
			return false
		}
	}
	return j-from > 1
}

// nounFollows reports whether tokens[j:] go on with a noun, perhaps after
// adjectives.
func (r *phraseReader) nounFollows(j int) bool {
	for ; j < len(r.tokens); j++ {
		switch t := r.tokens[j]; {
		case t.tag.isNoun():
			return true
		case t.tag != posAdjective && t.tag != posParticiple && t.tag != posGerund:
			return false
		}
	}
	return false
}

// afterAuxiliary reports whether a form of "be" or "have" governs tokens[j].
func (r *phraseReader) afterAuxiliary(j int) bool {
	for j--; j >= 0 && (r.tokens[j].tag == posAdverb); j-- {
	}
	return j >= 0 && (isBe(r.tokens[j].low) || isHave(r.tokens[j].low))
}

// isBe reports a form of "be".
func isBe(low string) bool {
	switch low {
	case "is", "are", "was", "were", "be", "been", "being", "'re", "'m":
		return true
	}
	return false
}

// isHave reports a form of "have".
func isHave(low string) bool {
	return low == "has" || low == "have" || low == "had" || low == "'ve"
}

// compares reports an adjective in a degree, such as "slower" and "heaviest".
func (r *phraseReader) compares(t token) bool {
	if t.tag != posAdjective {
		return false
	}
	for _, ending := range [...]string{"er", "est"} {
		if base, ok := strings.CutSuffix(t.low, ending); ok && len(base) > 2 {
			base = strings.TrimSuffix(base, "i")
			for _, b := range [...]string{base, base + "e", base + "y", undouble(base)} {
				if _, known := r.words.bands[b]; known {
					return true
				}
			}
		}
	}
	return false
}

// narrow strips what adds nothing from the front of the name, cuts over-long
// ones, and sets number and head.
func (r *phraseReader) narrow(p *phrase) {
	for p.from < p.last-1 {
		t := r.tokens[p.from]
		strip := len(t.text) == 1 && startsLower(t.text) || r.compares(t) || t.tag == posNumber || t.tag == posAdverb ||
			(t.tag == posAdjective || t.tag == posOther || t.tag == posParticiple) && (r.words.empty[t.low] || r.words.bands[t.low] == bandFunction) ||
			t.tag == posNoun && r.words.bands[t.low] == bandFunction ||
			t.tag == posAdjective && r.tokens[p.last-1].tag == posName && startsLower(t.text) && !strings.Contains(t.text, "-")
		if !strip || r.opensName(p.from) {
			break
		}
		p.from++
	}
	for k := p.from + 1; k < p.last; k++ {
		if r.tokens[k].low == "of" && r.words.ofHeads[r.tokens[k-1].low] && !r.tokens[k-1].own {
			if p.from = k - 1; p.from > p.first && strings.HasSuffix(r.tokens[p.from-1].low, "ing") {
				p.from-- // "freezing point of water"
			}
			break // "shallow depth of field": the adjective is no part of the term
		}
	}
	head := r.tokens[p.last-1]
	if head.tag == posCode { // "the table `worker_lanes`" is called worker_lanes
		p.from = p.last - 1
	}
	if head.tag == posName && head.own {
		r.bareName(p)
	}
	p.plural = head.tag == posNouns
	p.name = head.tag == posName || head.tag == posCode
	if limit := maxPhraseWords; p.last-p.from > limit && !p.name {
		p.from = p.last - limit
	} else if p.last-p.from > 7 {
		p.from = p.last - 7
	}
	if r.words.isGeneric(head.low) {
		p.generic = singular(head.low)
	}
}
