package english

import "strings"

// gloss reads "term — what it means", "term: what it means" and a row of a
// table whose first cell is a term: the rest is the term's description, and when
// it starts with "a" and a noun phrase, the term is a kind of that.
func (r *reader) gloss(text *reading) {
	s := r.sentence
	if len(r.phrases) == 0 || r.phrases[0].key == "" || r.phrases[0].first > 1 {
		return
	}
	at := r.phrases[0].last
	for at < len(s.tokens) && (s.tokens[at].text == ")" || s.tokens[at].text == "\"") {
		at++
	}
	if at+3 > len(s.tokens) || !isGlossMark(s, at) || text.fields()[r.phrases[0].key] {
		return
	}
	last := at + 1
	for last < len(s.tokens) && s.tokens[last].kind != kindBreak {
		last++
	}
	if last-at < minGlossTokens {
		return
	}
	x := r.phrases[0].key
	if len(r.phrases) > 1 {
		y := r.phrases[1]
		if y.first == at+1 && (isArticle(y.determiner) || r.bareClass(&r.phrases[0], &y)) && r.isClass(&y) && r.explainedBeside() && !r.mainVerb() {
			r.state(x, y.key, r.kindType(x), confidenceListed)
		}
	}
	if c := r.found.find(x); c != nil && c.describe == "" {
		c.defined, c.definition = true, r.index
		c.describe = text.plain(s.tokens[at+1].start, s.tokens[last-1].end)
	}
}

// glossColumns are heads of columns that say what stands before them.
const glossColumns = " meaning description definition explanation note notes comment what is means "

// explainedBeside reports whether the second cell of a row says what the first one is. Below other
// heads, such as "JSON" or "Where", it says something else of it.
func (r *reader) explainedBeside() bool {
	return r.sentence.kind != blockRow || len(r.columns) < 2 || strings.Contains(glossColumns, " "+r.columns[1].low+" ")
}

// leastFields is how often a label stands before a colon when it is a field of records, as
// "Cost:" in each of them, and not a term that is explained.
const leastFields = 3

// fields returns the keys of labels that open so many items and paragraphs of the text.
func (r *reading) fields() map[string]bool {
	if r.labels != nil {
		return r.labels
	}
	r.labels = map[string]bool{}
	counts := map[string]int{}
	for i := range r.sentences {
		s, phrases := &r.sentences[i], r.phrases[i]
		if s.kind == blockRow || len(phrases) == 0 || phrases[0].key == "" || phrases[0].first > 0 || phrases[0].last >= len(s.tokens) || s.tokens[phrases[0].last].text != ":" {
			continue
		}
		if counts[phrases[0].key]++; counts[phrases[0].key] == leastFields {
			r.labels[phrases[0].key] = true
		}
	}
	return r.labels
}

// bareClass reports whether y can be the class of the term x without an article, as
// dictionaries write: "Mörk — sourdough crispbread, baked twice".
func (r *reader) bareClass(x, y *phrase) bool {
	tokens := r.sentence.tokens
	if r.sentence.kind == blockRow || y.last-y.from == 1 && r.words.band(tokens[y.from].low) >= bandCommon {
		return false
	}
	if startsLower(tokens[y.first].text) && r.words.verbs[tokens[y.first].low].shape&shapeBase != 0 && y.last-y.first > 1 {
		return false // "omitzero: omit zero-value fields"
	}
	if !x.name && !tokens[x.from].marked || y.determiner != "" && y.determiner != "the" || y.plural || y.name || y.pronoun || y.generic != "" || x.plural {
		return false
	}
	if y.last == len(tokens) {
		return false
	}
	switch next := tokens[y.last]; next.tag {
	case posWh, posParticiple:
		return true
	case posPreposition:
		return next.low == "for" || next.low == "of" || next.low == "that" || next.low == "with"
	}
	return false
}

// minGlossTokens is how many tokens, the mark before it included, a gloss has
// at least.
const minGlossTokens = 4

// isGlossMark reports whether token at of s separates a term from its gloss.
func isGlossMark(s *sentence, at int) bool {
	t := s.tokens[at]
	switch t.text {
	case "|":
		return s.kind == blockRow
	case "—", "–", "-":
		return t.spaced && (s.kind == blockItem || s.tokens[0].marked)
	case ":":
		return s.kind == blockItem || s.tokens[0].marked
	}
	return false
}
