package english

import "strings"

// repair corrects the tag of tokens[i] where the tagger is known to err: verbs
// that look like plural nouns ("the lane claims jobs"), plural nouns that look
// like verbs, participles for past tenses and the other way round, gerunds that
// are subjects, and nouns whose ending gives them away.
func (t *tagging) repair(s *sentence, i int) {
	tokens := s.tokens
	tok := &tokens[i]
	if tok.kind != kindWord || tok.tag == posName {
		return
	}
	form := t.words.verbs[tok.low]
	switch tok.tag {
	case posNouns:
		t.repairPlural(s, i, form)
	case posNoun, posAdjective:
		if t.pastAsNoun(tokens, i, form) {
			return
		}
		if tok.tag == posAdjective && i+1 < len(tokens) && tokens[i+1].tag == posName && (tok.low == "app" || isKin(tok.low)) {
			tok.tag = posNoun // "our great-grandmother Karin"
			return
		}
		if i == 0 && form.shape&shapeBase != 0 && len(tokens) > 2 && isCapital(tok.text) && (tokens[1].low == "the" || tokens[1].tag == posPossessive || isArticle(tokens[1].low)) && !t.finiteNear(tokens, 0) {
			tok.tag = posBase // "Season the soup"
			return
		}
		t.repairBase(tokens, i, form)
		if tok.tag == posNoun && pluralEnding(tok.text) && (i == 0 || !isArticle(tokens[i-1].low)) {
			tok.tag = posNouns // "photographs"
			return
		}
		if tok.tag == posAdjective && len(tok.low) > 4 && strings.HasSuffix(tok.low, "s") && singular(tok.low) != tok.low && !strings.Contains(tok.low, "-") {
			tok.tag = posNouns
		}
	case posThird:
		if form.lemma == "" && !isBe(tok.low) && !isHave(tok.low) && tok.low != "does" && strings.HasSuffix(tok.low, "s") &&
			i+1 < len(tokens) && (tokens[i+1].tag == posBase || tokens[i+1].tag == posModal) {
			tok.tag = posNouns
		}
		if before := i - 1; form.lemma == "" && i > 1 && tokens[before].tag.isNoun() && t.words.verbs[tokens[before].low].shape&shapeS != 0 &&
			singularHead(tokens[i-2]) && (singular(tok.low) != tok.low || singularNouns[tok.low]) && !isBe(tok.low) && !isHave(tok.low) && tok.low != "does" {
			tokens[before].tag, tok.tag = posThird, posNouns // "a claim skips rows"
		}
	case posParticiple, posPast:
		t.repairPast(tokens, i, form)
	case posGerund:
		if tok.low == "leading" && i > 0 && tokens[i-1].tag == posDeterminer && i+1 < len(tokens) && tokens[i+1].tag.isNoun() {
			tok.tag = posAdjective // "the leading export"
			return
		}
		t.repairGerund(tokens, i)
	case posAdverb:
		if !strings.HasSuffix(tok.low, "ly") && t.words.bands[tok.low] != bandFunction && i+1 < len(tokens) && tokens[i+1].tag.isNoun() &&
			(i == 0 || tokens[i-1].tag.isVerb() || tokens[i-1].tag == posDeterminer) {
			tok.tag = posAdjective
		}
	}
	if (tok.tag.isVerb() || tok.tag == posAdjective || tok.tag == posAdverb) && form.lemma == "" && nounEnding(tok.low) {
		tok.tag = posNoun
	}
}

// isKin reports a noun of a relative.
func isKin(low string) bool {
	for _, e := range [...]string{"mother", "father", "brother", "sister", "daughter", "-son", "grandson", "uncle", "aunt", "cousin", "niece", "nephew"} {
		if strings.HasSuffix(low, e) {
			return true
		}
	}
	return false
}

// fixVerbs tags words that are never nouns as verbs.
func (t *tagging) fixVerbs(tok *token) {
	form := t.words.verbs[tok.low]
	if tok.tag == posAdjective && form.shape&shapePast != 0 && strings.Contains(tok.low, "-") {
		tok.tag = posPast // "co-founded"
	}
	if !t.words.verbOnly[form.lemma] || form.shape&(shapeBase|shapeS) == 0 || tok.tag.isVerb() || tok.kind != kindWord {
		return
	}
	tok.tag = posBase
	if form.shape&shapeS != 0 {
		tok.tag = posThird
	}
}

// fixObject makes a noun of an unknown word after a noun that the tagger took for the
// verb of the clause, as "syphilis" in "penicillin treats syphilis".
func (t *tagging) fixObject(tokens []token, i int) {
	tok := &tokens[i]
	if (tok.tag == posPast || tok.tag == posParticiple) && tok.kind == kindWord && t.words.verbs[tok.low].lemma == "" && t.words.bands[tok.low] != bandFunction &&
		!strings.HasSuffix(tok.low, "ed") && !strings.HasSuffix(tok.low, "n") && (i == 0 || !isBe(tokens[i-1].low) && !isHave(tokens[i-1].low)) {
		tok.tag = posNoun // "sunlight"
		return
	}
	if tok.tag == posBase && i > 1 && tokens[i-1].tag == posTo && t.words.takes(t.words.verbs[tokens[i-2].low].lemma, "to") &&
		(i+1 == len(tokens) || !opensObject(tokens, i+1)) {
		tok.tag = posNoun // "leads to drift"
		return
	}
	if tok.tag != posBase || tok.kind != kindWord || i == 0 || t.words.verbs[tok.low].lemma != "" || t.words.band(tok.low) > bandTopical {
		return
	}
	if before := tokens[i-1]; !before.tag.isNoun() && before.tag != posThird || t.words.verbs[before.low].lemma == "" {
		return
	}
	tok.tag = posNoun
	if strings.HasSuffix(tok.low, "s") && singular(tok.low) != tok.low {
		tok.tag = posNouns
	}
}

// nounEnding reports a word whose ending makes it a noun.
func nounEnding(low string) bool {
	for _, e := range [...]string{"ance", "ence", "tion", "sion", "ment", "ness", "ity", "ism", "ship", "hood", "logy", "cy"} {
		if strings.HasSuffix(low, e) && len(low) > len(e)+2 {
			return true
		}
	}
	return false
}

// repairPlural makes a verb of a supposed plural noun after a singular one when
// the clause has no other verb and an object or complement follows.
func (t *tagging) repairPlural(s *sentence, i int, form verbForm) {
	tokens := s.tokens
	if form.shape&shapeS == 0 || t.finiteNear(tokens, i) {
		return
	}
	opens := i == 0 && s.kind == blockItem || i > 0 && (tokens[i-1].kind == kindBreak || tokens[i-1].text == "—")
	if opens && i+1 < len(tokens) && tokens[i+1].low != "of" && opensObject(tokens, i+1) {
		tokens[i].tag = posThird
		return
	}
	if i > 1 && i+2 >= len(tokens) && endsClause(tokens, i) && tokens[i-2].tag == posDeterminer && strings.Contains(intransitive, " "+form.lemma+" ") {
		tokens[i-1].tag, tokens[i].tag = posNoun, posThird // "the universe expands."
		return
	}
	if i > 0 && singularHead(tokens[i-1]) && (endsClause(tokens, i) || tokens[i+1].tag == posPreposition && tokens[i+1].low != "of") && t.subordinate(tokens, i) {
		tokens[i].tag = posThird // "unless the owner consents in writing"
		return
	}
	if i > 0 && tokens[i-1].tag == posName && i+1 < len(tokens) && t.words.takes(form.lemma, tokens[i+1].low) {
		tokens[i].tag = posThird // "Harold lives in York"
		return
	}
	if i == 0 || !opensObject(tokens, i+1) {
		return
	}
	before := &tokens[i-1]
	switch {
	case singularHead(*before):
	case before.tag == posGerund && (i == 1 || tokens[i-2].tag.isNoun() || tokens[i-2].tag == posPunct):
		before.tag = posNoun
	case before.tag == posAdjective && i > 1 && tokens[i-2].tag == posDeterminer:
		before.tag = posNoun
	default:
		return
	}
	tokens[i].tag = posThird
	if next := &tokens[i+1]; next.tag == posPast {
		next.tag = posParticiple
	}
}

// pluralEnding reports a common noun in small letters whose ending only plurals have.
func pluralEnding(text string) bool {
	if !startsLower(text) || len(text) < 6 || singularNouns[text] || strings.Contains(pluralOnly, " "+text+" ") {
		return false
	}
	for _, e := range [...]string{"phs", "ists", "ments", "tions", "ers", "ors", "ckos", "eos", "ios", "ians", "ings"} {
		if strings.HasSuffix(text, e) {
			return true
		}
	}
	return false
}

// pastAsNoun makes a verb of an irregular past form that the tagger took for a noun: "the
// river bent towards the sea", "the damp crept into the walls".
func (t *tagging) pastAsNoun(tokens []token, i int, form verbForm) bool {
	if form.shape&shapePast == 0 || form.shape&(shapeBase|shapeS) != 0 || i == 0 || i+1 == len(tokens) || t.finiteNear(tokens, i) {
		return false
	}
	before, next := &tokens[i-1], tokens[i+1]
	if next.low == "of" || next.tag != posPreposition && next.tag != posTo && next.tag != posDeterminer && next.tag != posAdverb {
		return false
	}
	switch {
	case before.tag.isNoun():
	case before.tag == posAdjective && i > 1 && tokens[i-2].tag == posDeterminer:
		before.tag = posNoun
	default:
		return false
	}
	tokens[i].tag = posPast
	return true
}

// intransitive are verbs without an object that are no nouns.
const intransitive = " expand exist happen occur disappear emerge evaporate erupt dissolve remain survive react hatch "

// endsClause reports whether the clause ends after tokens[i].
func endsClause(tokens []token, i int) bool {
	return i+1 == len(tokens) || tokens[i+1].tag == posPunct
}

// subordinate reports whether the clause that ends with tokens[i] starts with a
// word such as "when" or "that", so that its last word must be its verb.
func (t *tagging) subordinate(tokens []token, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if clauseBorder(tokens[j]) {
			return tokens[j].tag == posWh || tokens[j].tag == posPreposition
		}
	}
	return false
}

// repairBase makes a verb of a supposed singular noun or adjective after a
// plural one, under the same conditions.
func (t *tagging) repairBase(tokens []token, i int, form verbForm) {
	if form.shape&shapeBase == 0 || i == 0 {
		return
	}
	if tokens[i].tag == posNoun && tokens[i-1].tag == posNouns && strings.Contains(" void moot ", " "+tokens[i].low+" ") {
		tokens[i].tag = posAdjective // "makes the tokens void"
		return
	}
	if tokens[i].tag == posNoun && (tokens[i-1].tag.isNoun() || tokens[i-1].tag == posAdjective) && i+1 < len(tokens) && strings.Contains(" these those them ", " "+tokens[i+1].low+" ") {
		if tokens[i-1].tag == posAdjective {
			tokens[i-1].tag = posNoun
		}
		tokens[i].tag = posBase // "the programs that talk to a server take these"
		return
	}
	if t.finiteNear(tokens, i) {
		return
	}
	if tokens[i-1].tag == posNouns && tokens[i].tag == posNoun && i > 2 && i+1 < len(tokens) && tokens[i+1].text == "." {
		tokens[i].tag = posBase // "the numbers of its events rise."
		return
	}
	if !opensObject(tokens, i+1) {
		return
	}
	coordinated := i > 2 && tokens[i-2].low == "and" && tokens[i-3].tag.isNoun() && (tokens[i-1].tag == posNoun || tokens[i-1].tag == posGerund || tokens[i-1].tag == posCode)
	if coordinated && tokens[i].tag == posNoun {
		if tokens[i-1].tag == posGerund {
			tokens[i-1].tag = posNoun
		}
		tokens[i].tag = posBase
		return
	}
	if tokens[i-1].tag == posNouns && (tokens[i].tag == posNoun || !t.words.empty[tokens[i].low]) {
		tokens[i].tag = posBase
	}
}

// repairPast distinguishes past tenses and participles.
func (t *tagging) repairPast(tokens []token, i int, form verbForm) {
	tok := &tokens[i]
	if i+1 == len(tokens) {
		return
	}
	next := tokens[i+1]
	if tok.tag == posPast {
		if next.low == "by" && form.shape&shapeParticiple != 0 {
			tok.tag = posParticiple
		}
		return
	}
	if form.shape&shapePast == 0 && !(i > 0 && tokens[i-1].tag == posName && strings.HasSuffix(tok.low, "ed")) || i == 0 || !tokens[i-1].tag.isNoun() || t.finiteNear(tokens, i) {
		return
	}
	if startsPhrase(next) || t.words.takes(form.lemma, next.low) {
		tok.tag = posPast
	}
}

// repairGerund makes a noun of a gerund that is the subject of its clause.
func (t *tagging) repairGerund(tokens []token, i int) {
	if i > 0 && tokens[i-1].tag != posPunct || i+1 == len(tokens) {
		return
	}
	next := &tokens[i+1]
	if next.tag == posNouns && t.words.verbs[next.low].shape&shapeS != 0 && opensObject(tokens, i+2) && !t.finiteNear(tokens, i+1) {
		next.tag = posThird
	}
	if next.tag.isFinite() {
		tokens[i].tag = posNoun
	}
}

// singularHead reports a token that may be the last of a singular subject.
func singularHead(t token) bool {
	return t.tag == posNoun || t.tag == posName || t.tag == posCode
}

// opensObject reports whether what follows a supposed verb looks like its
// object or complement.
func opensObject(tokens []token, i int) bool {
	if i >= len(tokens) {
		return false
	}
	switch tokens[i].tag {
	case posDeterminer, posPossessive, posPronoun, posAdjective, posNoun, posNouns, posName, posCode, posNumber:
		return true
	case posPast, posParticiple:
		return i+1 < len(tokens) && tokens[i+1].tag.isNoun()
	case posPreposition, posTo, posAdverb:
		return tokens[i].low != "of" && tokens[i].low != "in" && tokens[i].low != "for"
	}
	return false
}

// startsPhrase reports a token that opens a noun phrase with a determiner or a
// name.
func startsPhrase(t token) bool {
	return t.tag == posDeterminer || t.tag == posPossessive || t.tag == posName || t.tag == posPronoun
}

// finiteNear reports whether the clause around tokens[i] has a finite verb
// other than tokens[i]. A clause ends at punctuation, at a conjunction and at a
// relative or subordinating word. A past form right before a noun may be a
// participle and does not count.
func (t *tagging) finiteNear(tokens []token, i int) bool {
	for j := i - 1; j >= 0 && !clauseBorder(tokens[j]); j-- {
		if tokens[j].tag.isFinite() && !(tokens[j].tag == posBase && j > 0 && tokens[j-1].tag == posTo) {
			return true
		}
	}
	for j := i + 1; j < len(tokens) && !clauseBorder(tokens[j]); j++ {
		if tokens[j].tag.isFinite() && (tokens[j].tag != posPast || j > i+1) && !(tokens[j].tag == posBase && tokens[j-1].tag == posTo) {
			return true
		}
	}
	return false
}

// clauseBorder reports a token that separates clauses.
func clauseBorder(t token) bool {
	switch t.tag {
	case posPunct, posConjunction, posWh:
		return true
	case posPreposition:
		switch t.low {
		case "that", "because", "while", "although", "though", "if", "whether", "since", "unless", "so", "until", "after", "before":
			return true
		}
	}
	return false
}
