package extract

// gloss reads "term — what it means", "term: what it means" and a row of a
// table whose first cell is a term: the rest is the term's description.
func (r *reader) gloss(text *reading) {
	s := r.sentence
	if len(r.phrases) == 0 || r.phrases[0].key == "" || r.phrases[0].first > 1 {
		return
	}
	p := r.phrases[0]
	at := p.last
	for at < len(s.tokens) && (s.tokens[at].text == ")" || s.tokens[at].text == "\"") {
		at++
	}
	if at+3 > len(s.tokens) || !isGlossMark(s, at) {
		return
	}
	end := s.tokens[len(s.tokens)-1].end
	words := 0
	for i := at + 1; i < len(s.tokens); i++ {
		if s.tokens[i].kind == kindBreak {
			end = s.tokens[i-1].end
			break
		}
		words++
	}
	if words < 3 {
		return
	}
	c := r.found.find(p.key)
	if c == nil || c.describe != "" {
		return
	}
	c.defined, c.definition = true, r.index
	c.describe = text.plain(s.tokens[at+1].start, end)
}

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
