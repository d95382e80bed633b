package english

import (
	"strings"

	"github.com/jdkato/prose/v3/tag"
)

// caseCount says how often a word stands in lower case, and how often with a
// capital where the position does not ask for one.
type caseCount struct {
	lower, capital int
}

// tagging tags the sentences of one piece of text.
type tagging struct {
	words  *lexicon
	tagger *tag.Tagger
	cases  map[string]caseCount
	buffer []tag.Token

	languages bool // the text names C++ or C#
}

// ownName reports a word that is a name by its signs, or beside such names.
func (t *tagging) ownName(text string) bool {
	return signedName(text) || dottedName(text) == len(text) || t.languages && text == "C"
}

// countCases counts how the words of s are written. Headings and first words
// count only when they are in lower case.
func (t *tagging) countCases(s sentence) {
	for i, tok := range s.tokens {
		if tok.kind != kindWord {
			continue
		}
		c := t.cases[tok.low]
		if startsLower(tok.text) {
			c.lower++
		} else if i > 0 && s.kind != blockHeading && !opensQuote(s.tokens[i-1]) && !titled(s) {
			c.capital++
		}
		t.cases[tok.low] = c
	}
}

// titled reports whether most longer words of s are capitalised, as in a title,
// so that a capital says nothing.
func titled(s sentence) bool {
	words, capitals, small := 0, 0, 0
	for _, tok := range s.tokens {
		if tok.kind == kindWord && startsLower(tok.text) {
			small++
		}
		if tok.kind == kindWord && len(tok.text) > 3 {
			words++
			if isCapital(tok.text) {
				capitals++
			}
		}
	}
	if small > 2 && s.kind != blockHeading && s.tokens[len(s.tokens)-1].text == "." {
		return false // a sentence about names
	}
	return words > 2 && capitals*5 > words*4 || words > 0 && capitals == words && s.kind == blockHeading
}

// tag sets the tags of the tokens of s.
func (t *tagging) tag(s sentence) {
	t.buffer = t.buffer[:0]
	title := titled(s)
	for i, end := 0, 0; i < len(s.tokens); i++ {
		if i >= end {
			end = t.titleRun(s.tokens, i)
		}
		t.buffer = append(t.buffer, tag.Token{Text: t.reading(&s, i, title || i < end)})
	}
	t.tagger.TagTokens(t.buffer)
	for i := range s.tokens {
		tok := &s.tokens[i]
		tok.tag = t.final(*tok, pennPos(t.buffer[i].Tag), t.buffer[i].Text)
		if tok.unsure && !t.isPlain(i) {
			tok.tag = posName
		}
		if tok.tag == posNouns && (singularNouns[tok.low] || t.singularVerb(i+1) && subjectAlone(s.tokens, i) && !isCapital(tok.text)) {
			tok.tag = posNoun
		}
		tok.own = isCapital(tok.text) && (t.buffer[i].Text == tok.text || tok.unsure && tok.tag == posName) || tok.kind == kindWord && t.ownName(tok.text)
	}
	nameStart(s.tokens)
	nameParticle(s.tokens)
	t.titles(s.tokens)
	for i := range s.tokens {
		t.fixVerbs(&s.tokens[i])
		t.fixObject(s.tokens, i)
	}
	for i := range s.tokens {
		t.repair(&s, i)
		t.repairClause(s.tokens, i)
	}
}

// titleRun returns the end of the run of capitalised words that starts at i when
// it is a title, such as "The Key Insight That Makes This Work:". Other than a
// name, a title has function words in the middle.
func (t *tagging) titleRun(tokens []token, i int) int {
	j, function := i, false
	for j < len(tokens) && tokens[j].kind == kindWord && isCapital(tokens[j].text) {
		function = function || j > i && t.words.bands[tokens[j].low] == bandFunction && !isAcronym(tokens[j].text)
		j++
	}
	if function && j-i > 3 {
		return j
	}
	return i
}

// reading returns the word that the tagger is shown for token i: identifiers
// look like nouns, and a capital that only marks the start of a sentence or a
// title is taken away.
func (t *tagging) reading(s *sentence, i int, title bool) string {
	tok := s.tokens[i]
	switch {
	case tok.kind == kindCode:
		return "database"
	case tok.kind == kindJunk || tok.kind == kindBreak:
		return ";"
	case tok.kind != kindWord || !isCapital(tok.text):
		return tok.text
	}
	if strings.Contains(loudWords, " "+tok.text+" ") {
		return tok.low
	}
	starts := i == 0 || i == 1 && isSignal(s.tokens[0].text) || s.tokens[i-1].kind == kindBreak || s.tokens[i-1].kind == kindPunct && strings.ContainsAny(s.tokens[i-1].text, `:"“(•`)
	if !starts && !title {
		return tok.text
	}
	if !t.isName(tok) {
		return tok.low
	}
	followed := i+1 < len(s.tokens) && isCapital(s.tokens[i+1].text)
	if c := t.cases[tok.low]; i == 0 && !title && c.capital == 0 && !followed && !mixedCase(tok.text) && s.kind != blockHeading {
		s.tokens[i].unsure = true
		return tok.low
	}
	return tok.text
}

// isSignal reports a word in capitals that only calls for attention: "WARNING Hot steam".
func isSignal(text string) bool {
	return strings.Contains(" WARNING CAUTION DANGER NOTE NOTICE IMPORTANT ATTENTION TIP SECURITY ", " "+text+" ")
}

// loudWords are written in capitals to stress them, as specifications do, and are no
// names: "the server MUST NOT send".
const loudWords = " MUST SHALL SHOULD MAY CAN WILL NOT NEVER NO NOR AND OR BUT IF WHEN UNLESS ONLY ALL ANY EACH EVERY BEFORE AFTER ALWAYS IS ARE BE THE REQUIRED RECOMMENDED OPTIONAL CANNOT "

// isName reports whether a capitalised word is a name rather than a word that
// has its capital from its place.
func (t *tagging) isName(tok token) bool {
	if tok.text == "I" || tok.text == "A" || singularNouns[tok.low] {
		return false
	}
	if isAcronym(tok.text) && t.words.bands[tok.low] != bandFunction {
		return true
	}
	c := t.cases[tok.low]
	if c.lower > 0 || c.capital > 0 {
		return c.capital > c.lower
	}
	if singularNames[tok.low] {
		return true
	}
	if i := strings.LastIndexByte(tok.text, '-'); i > 0 && isCapital(tok.text[i+1:]) {
		return true // X-Ray, Ctrl-C
	}
	if t.words.verbs[tok.low].lemma != "" {
		return false
	}
	if t.words.band(tok.low) != bandRare || strings.Contains(tok.text, "-") || wordEnding(tok.low) {
		return false
	}
	return t.cases[singular(tok.low)].lower == 0 && t.cases[tok.low+"s"].lower == 0
}

// isPlain reports whether the tag of word i, read in lower case, shows that it
// is no name: a plural, an adverb, or a modifier of a noun.
func (t *tagging) isPlain(i int) bool {
	switch p := pennPos(t.buffer[i].Tag); p {
	case posNouns:
		return !t.singularVerb(i+1) && !singularNames[t.buffer[i].Text]
	case posAdverb:
		return strings.HasSuffix(t.buffer[i].Text, "ly") || i+1 >= len(t.buffer) || !pennPos(t.buffer[i+1].Tag).isFinite()
	case posGerund:
		return true
	case posAdjective, posParticiple:
		if i+1 < len(t.buffer) {
			next := pennPos(t.buffer[i+1].Tag)
			return next.isNoun() || next == posAdjective
		}
	}
	return false
}

// subjectAlone reports whether the word at i is the whole of its phrase or follows an
// article: the verb after it agrees with it and nothing before it.
func subjectAlone(tokens []token, i int) bool {
	return i == 0 || tokens[i-1].kind == kindPunct || isArticle(tokens[i-1].low) || tokens[i-1].low == "this"
}

// singularVerb reports whether word i is a verb whose subject is one thing, so that what
// stands before it is no plural: "Kubernetes is a platform".
func (t *tagging) singularVerb(i int) bool {
	if i >= len(t.buffer) {
		return false
	}
	switch t.buffer[i].Text {
	case "is", "was", "has", "does":
		return true
	}
	return false
}

// nameStart makes the first word part of the name that follows it: "Transport
// Layer Security protects …".
func nameStart(tokens []token) {
	if len(tokens) < 2 || tokens[0].kind != kindWord || tokens[0].own || !isCapital(tokens[0].text) {
		return
	}
	next := tokens[1]
	if next.own && next.tag == posName && strings.Contains(placePrefixes, " "+tokens[0].text+" ") {
		tokens[0].own, tokens[0].tag = true, posName
		return
	}
	if (tokens[0].tag == posNoun || tokens[0].tag == posNouns) && next.tag == posName && next.own && !isAcronym(next.text) && isCapital(next.text) {
		tokens[0].own, tokens[0].tag = true, posName
	}
}

// placePrefixes are adjectives that belong to the name of a place.
const placePrefixes = " New North South East West Northern Southern Eastern Western Central Great Grand Upper Lower Saint San Santa Los Las El Mount Lake "

// wordEnding reports a word with the ending of an English adjective, adverb,
// gerund or abstract noun, which a name rarely has.
func wordEnding(low string) bool {
	if nounEnding(low) {
		return true
	}
	for _, e := range [...]string{"ing", "ed", "al", "ive", "ous", "ic", "able", "ible", "ary", "less", "ful", "ly", "sis", "itis", "aemia", "emia", "ics"} {
		if strings.HasSuffix(low, e) && len(low) > len(e)+3 {
			return true
		}
	}
	return false
}

// nameParticle makes small words between two capitalised names part of the name:
// "Karl von Frisch".
func nameParticle(tokens []token) {
	for i := 1; i+1 < len(tokens); i++ {
		if strings.Contains(nameParticles, " "+tokens[i].text+" ") && tokens[i-1].own && tokens[i-1].tag == posName && tokens[i+1].own {
			tokens[i].tag, tokens[i+1].tag = posName, posName
		}
	}
	for i := 1; i < len(tokens); i++ {
		if numbered := tokens[i].text == "I" || tokens[i-1].low == "war" && (tokens[i].text == "One" || tokens[i].text == "Two"); !numbered || !tokens[i-1].own || tokens[i-1].tag != posName {
			continue
		}
		if i+1 == len(tokens) || !tokens[i+1].tag.isVerb() && tokens[i+1].tag != posAdverb {
			tokens[i].tag, tokens[i].own, tokens[i].kind = posName, true, kindWord // "World War I", "Ferdinand I"
		}
	}
}

// final turns the tagger's tag into ours.
func (t *tagging) final(tok token, p pos, read string) pos {
	switch tok.kind {
	case kindCode:
		return posCode
	case kindPunct, kindBreak, kindJunk:
		return posPunct
	case kindNumber:
		return posNumber
	}
	switch {
	case tok.kind == kindWord && (grade(tok.text) || t.ownName(tok.text)):
		return posName
	case len(tok.text) == 2 && tok.text[1] == '.' && isCapital(tok.text):
		return posName
	case mixedCase(read) && (p.isNoun() || p == posAdjective || p.isVerb() || p == posOther):
		return posName
	case isCapital(read) && p.isVerb() && !strings.Contains(read, "-") && t.words.bands[tok.low] != bandFunction:
		return posName
	case tok.low == "'s" || tok.low == "'":
		if p == posThird || p == posGenitive {
			return p
		}
		return posGenitive
	case p == posName && read == tok.low && tok.low != tok.text:
		return posNoun
	case p.isNoun() || p == posAdjective || p.isVerb():
		if t.words.bands[tok.low] == bandFunction && tok.low != "mine" && p != posBase && p != posAdjective && !p.isVerb() {
			return posOther
		}
	}
	return p
}
