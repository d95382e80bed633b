package english

import "strings"

// repairClause corrects tags by the clause around them: a verb after a pronoun ("it
// stores salt") or after a verb and "and" ("employs people and bakes bread"), a noun that
// the tagger took for an adjective ("removes limescale;"), and a name taken for a word.
func (t *tagging) repairClause(tokens []token, i int) {
	tok := &tokens[i]
	if tok.kind != kindWord {
		return
	}
	if i == 0 && len(tokens) > 1 && isSignal(tok.text) && tokens[1].kind == kindWord && isCapital(tokens[1].text) {
		tok.tag = posPunct
		return
	}
	if t.numbered(tokens, i) {
		return
	}
	form := t.words.verbs[tok.low]
	switch tok.tag {
	case posGerund:
		if tok.low == "king" {
			tok.tag = posNoun
			return
		}
		if t.gerundObject(tokens, i) {
			tok.tag = posNoun // "reduce swelling and fever"
		}
	case posNouns:
		if form.shape&shapeS != 0 {
			t.verbOfPlural(tokens, i)
		}
	case posNoun:
		switch {
		case form.shape&shapeBase != 0 && t.afterBracket(tokens, i) && i+1 < len(tokens) && (t.words.takes(form.lemma, tokens[i+1].low) || tokens[i+1].tag.isNoun() || tokens[i+1].tag == posDeterminer):
			tok.tag = posBase // "two seasons (November, April) result from rain"
		case t.isOwn(tokens, i) && t.words.band(tok.low) == bandRare && form.lemma == "" && !wordEnding(tok.low):
			tok.tag, tok.own = posName, true
		}
	case posAdjective:
		if i > 0 && i+1 < len(tokens) && isCapital(tok.text) && tokens[i-1].tag == posDeterminer && tokens[i+1].tag == posModal {
			tok.tag = posNoun // "The Custodian SHALL store"
			return
		}
		t.repairAdjective(tokens, i)
	case posBase:
		if form.lemma == "" && i > 1 && tokens[i-1].tag == posConjunction && tokens[i-2].tag == posNouns && i+1 < len(tokens) && tokens[i+1].tag == posPunct && t.words.band(tok.low) == bandRare {
			tok.tag = posNoun // "mudbanks and mangrove,"
		}
	case posPreposition:
		if form.shape&shapeBase != 0 && t.words.bands[tok.low] != bandFunction && !t.finiteNear(tokens, i) {
			tok.tag = posBase
		}
	case posPast:
		if isNaming(tok.low) && t.opensInsertion(tokens, i) {
			tok.tag = posParticiple // ", also called samphire,"
		}
	}
}

// numbered makes names of "Apollo 11" at the start, of "Annex B" and of "Charles I".
func (t *tagging) numbered(tokens []token, i int) bool {
	tok := &tokens[i]
	switch {
	case i == 0 && len(tokens) > 1 && tok.tag == posAdverb && tokens[1].tag == posNumber && t.words.band(tok.low) == bandRare && isCapital(tok.text):
	case t.isLetter(tokens, i):
		tokens[i-1].tag, tokens[i-1].own = posName, true
	case tok.text == "I" && i > 0 && tokens[i-1].tag == posName && endsRuler(tokens[i+1:]):
	default:
		return false
	}
	tok.tag, tok.own = posName, true
	return true
}

// endsRuler reports whether what follows "Charles I" says something of him, and not of whom
// the text calls I.
func endsRuler(rest []token) bool {
	if len(rest) == 0 {
		return true
	}
	next := rest[0]
	return next.tag == posThird || next.tag == posPunct && next.text != "," || next.low == "was" || next.low == "of"
}

// verbOfPlural makes a verb in -s of the plural at i when its clause needs one there.
func (t *tagging) verbOfPlural(tokens []token, i int) {
	tok := &tokens[i]
	switch {
	case i > 1 && i+1 < len(tokens) && tokens[i+1].tag == posPronoun && !t.finiteAfter(tokens, i) && (tokens[i-1].tag == posAdjective || singularHead(tokens[i-1])):
		if tokens[i-1].tag == posAdjective {
			tokens[i-1].tag = posNoun
		}
		tok.tag = posThird // "damage by limescale voids it"
	case t.afterInsertion(tokens, i), // "the dam, built in 1962, supplies Ostrava"
		t.pairedVerb(tokens, i), // "the curator sees and approves the loans"
		t.afterPronoun(tokens, i) && opensObject(tokens, i+1), t.coordinated(tokens, i):
		tok.tag = posThird
	}
}

// repairAdjective makes nouns and names of words that the tagger took for adjectives.
func (t *tagging) repairAdjective(tokens []token, i int) {
	tok := &tokens[i]
	switch {
	case isUpper(tok.text) && strings.ContainsAny(tok.text, "0123456789") && (i+1 == len(tokens) || tokens[i+1].tag == posPunct):
		tok.tag, tok.own = posName, true // "HX-40A"
	case t.isOwn(tokens, i) && i+1 < len(tokens) && tokens[i+1].kind == kindNumber && t.words.band(tok.low) == bandRare:
		tok.tag, tok.own = posName, true // "Debian 9"
	case (i == 0 || tokens[i-1].kind == kindPunct && tokens[i-1].text != ",") && i+1 < len(tokens) && tokens[i+1].tag == posThird && !plainAdjective(tok.low):
		tok.tag = posNoun // "Ibuprofen belongs to"
	case t.isObject(tokens, i):
		tok.tag = posNoun
	}
}

// isNaming reports the verb of another name.
func isNaming(low string) bool {
	return low == "called" || low == "known" || low == "named" || low == "termed"
}

// gerundObject reports a gerund that is the object of a verb: what is reduced, not what
// is begun.
func (t *tagging) gerundObject(tokens []token, i int) bool {
	if i == 0 || !tokens[i-1].tag.isFinite() || isBe(tokens[i-1].low) || tokens[i-1].tag == posModal {
		return false
	}
	lemma := t.words.verbs[tokens[i-1].low].lemma
	if lemma == "" || strings.Contains(" begin start stop keep like love hate enjoy avoid finish consider suggest go come continue risk mind quit try help remember forget involve mean ", " "+lemma+" ") {
		return false
	}
	return i+1 == len(tokens) || tokens[i+1].tag == posConjunction || tokens[i+1].tag == posPunct
}

// afterInsertion reports whether a comma before word i ends an insertion behind a subject
// whose verb has not come yet.
func (t *tagging) afterInsertion(tokens []token, i int) bool {
	if i < 4 || tokens[i-1].text != "," || i+1 >= len(tokens) || !startsPhrase(tokens[i+1]) && tokens[i+1].tag != posNumber || t.finiteAfter(tokens, i) {
		return false
	}
	commas := 0
	for _, before := range tokens[:i] {
		if before.tag.isFinite() {
			return false
		}
		if before.text == "," {
			commas++
		}
	}
	return commas == 2
}

// opensInsertion reports whether a comma or bracket stands before the adverbs before i.
func (t *tagging) opensInsertion(tokens []token, i int) bool {
	for i--; i >= 0 && tokens[i].tag == posAdverb; i-- {
	}
	return i > 0 && tokens[i].kind == kindPunct
}

// afterPronoun reports whether the word before i is a pronoun for one thing.
func (t *tagging) afterPronoun(tokens []token, i int) bool {
	if i == 0 {
		return false
	}
	low := tokens[i-1].low
	return low == "it" || low == "he" || low == "she"
}

// coordinated reports whether "and" or a comma before word i joins it with a verb of the
// same form: what follows starts with a determiner or a number, as objects do.
func (t *tagging) coordinated(tokens []token, i int) bool {
	if i < 3 || tokens[i-1].tag != posConjunction || i+1 >= len(tokens) {
		return false
	}
	switch next := tokens[i+1]; {
	case next.tag == posDeterminer, next.tag == posPossessive, next.tag == posNumber:
	case next.tag == posPreposition && (strings.Contains(" about into through onto ", " "+next.low+" ") || t.words.takes(t.words.verbs[tokens[i].low].lemma, next.low)):
	case next.tag == posName && (i+2 == len(tokens) || tokens[i+2].tag == posPunct || tokens[i+2].tag == posPreposition):
	case (next.tag == posParticiple || next.tag == posPast) && i+2 < len(tokens) && tokens[i+2].tag == posNouns:
	default:
		return false
	}
	for j := i - 2; j > 0 && !clauseBorder(tokens[j]); j-- {
		if tokens[j].tag == posThird {
			return !t.finiteAfter(tokens, i)
		}
	}
	return false
}

// isLetter reports a capital letter that names one of several behind a word with a capital:
// "Annex A", "Vitamin C".
func (t *tagging) isLetter(tokens []token, i int) bool {
	if i == 0 || len(tokens[i].text) != 1 || tokens[i].text < "A" || tokens[i].text > "Z" || tokens[i].text == "I" {
		return false
	}
	before := tokens[i-1]
	if before.kind != kindWord || len(before.text) < 4 || !isCapital(before.text) || isUpper(before.text) || t.words.bands[before.low] == bandFunction || i > 1 && before.tag.isFinite() {
		return false
	}
	return i+1 == len(tokens) || tokens[i+1].text != "." && !isCapital(tokens[i+1].text)
}

// pairedVerb reports whether word i stands right behind a noun and before "and" with a verb
// of the same form: "the pump draws and filters the water".
func (t *tagging) pairedVerb(tokens []token, i int) bool {
	return i > 0 && i+3 < len(tokens) && singularHead(tokens[i-1]) && tokens[i+1].low == "and" && tokens[i+2].tag == posThird &&
		opensObject(tokens, i+3) && !t.finiteAfter(tokens, i+2)
}

// finiteAfter reports whether a finite verb follows word i in its clause.
func (t *tagging) finiteAfter(tokens []token, i int) bool {
	for j := i + 1; j < len(tokens) && !clauseBorder(tokens[j]); j++ {
		if tokens[j].tag.isFinite() && (tokens[j].tag != posPast || j > i+1) {
			return true
		}
	}
	return false
}

// afterBracket reports whether a plural with something in brackets stands before word i,
// in a clause without another verb.
func (t *tagging) afterBracket(tokens []token, i int) bool {
	if i < 3 || tokens[i-1].text != ")" || t.finiteAfter(tokens, i) {
		return false
	}
	j := i - 2
	for j > 0 && tokens[j].text != "(" {
		j--
	}
	return j > 0 && tokens[j-1].tag == posNouns
}

// isOwn reports a capital that neither the start of a sentence nor a title asks for.
func (t *tagging) isOwn(tokens []token, i int) bool {
	tok := tokens[i]
	return i > 0 && tok.own && isCapital(tok.text) && !isUpper(tok.text) && tokens[i-1].kind != kindPunct && !strings.Contains(tok.text, "-")
}

// copulas are verbs that an adjective may follow at the end of a clause.
const copulas = " be become seem appear remain stay grow turn get look feel sound taste smell go keep make prove stand lie leave render find consider call hold "

// isObject reports an unknown adjective at the end of a clause, where the head of a noun
// phrase must stand: after an article or a verb that takes an object.
func (t *tagging) isObject(tokens []token, i int) bool {
	tok := tokens[i]
	if i == 0 || isCapital(tok.text) || strings.Contains(tok.low, "-") || plainAdjective(tok.low) {
		return false
	}
	if t.words.band(tok.low) != bandRare {
		ends := i+1 == len(tokens) || tokens[i+1].text == "." || tokens[i+1].text == ";"
		return ends && tokens[i-1].low == "the" && strings.Contains(" flat current liquid metal original solid ", " "+tok.low+" ")
	}
	if i+1 < len(tokens) {
		switch next := tokens[i+1]; {
		case next.tag == posConjunction && i+2 < len(tokens) && (tokens[i+2].tag == posAdjective || tokens[i+2].tag.isNoun()):
			return false // "a salty and thick soup"
		case next.tag == posPreposition && isArticle(tokens[i-1].low):
			return true // "a variant with a stabiliser"
		case next.tag == posPunct && next.text != "," && next.text != "-", next.tag == posConjunction, next.tag.isFinite():
		case next.text == ",":
			if i+2 < len(tokens) && tokens[i+2].tag == posAdjective {
				return false
			}
		default:
			return false
		}
	}
	before := tokens[i-1]
	lemma := t.words.verbs[before.low].lemma
	return isArticle(before.low) || before.low == "the" && i+1 < len(tokens) ||
		(before.tag == posThird || before.tag == posBase) && lemma != "" && !strings.Contains(copulas, " "+lemma+" ") && !isBe(before.low)
}

// predicates are adjectives and adverbs that stand behind what they are said of.
const predicates = " anew afresh alone alive asleep awake aware afraid ajar akin astray apart aside ablaze adrift afloat aloof silent "

// plainAdjective reports a word with the ending of an adjective.
func plainAdjective(low string) bool {
	if strings.Contains(predicates, " "+low+" ") {
		return true
	}
	for _, e := range [...]string{"ous", "ful", "less", "able", "ible", "ive", "ic", "ical", "ish", "ed", "ing", "ary", "est", "ly", "al", "ese"} {
		if strings.HasSuffix(low, e) && len(low) > len(e)+2 {
			return true
		}
	}
	return false
}
