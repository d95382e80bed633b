package english

// refer gives "it" and "they" at the start of a later clause of the sentence the subject
// of the clause before: "the species is a halophyte: it stores salt".
func (r *reader) refer() {
	for i := 1; i < len(r.items); i++ {
		if r.kindOf(i) != itemPhrase || !r.phraseOf(i).pronoun || !r.opensClause(i) {
			continue
		}
		low := r.sentence.tokens[r.items[i].first].low
		if low != "it" && low != "they" {
			continue
		}
		s, ok := r.subjectBefore(i)
		if !ok || r.pronounBetween(s, i) {
			continue // "make build puts it beside kg; it is …"
		}
		p, x := r.phraseOf(i), r.phraseOf(s)
		if x.plural != (low == "they") || x.key == "" || x.pronoun || r.denies(x) || r.namesPerson(x) {
			continue
		}
		p.key, p.pronoun, p.stands, p.plural = x.key, false, true, x.plural
	}
}

// opensClause reports whether the phrase at item i starts a clause.
func (r *reader) opensClause(i int) bool {
	switch r.kindOf(i - 1) {
	case itemStop:
		text := r.sentence.tokens[r.items[i-1].first].text
		return text == ";" || text == ":" || text == "—" || text == "–"
	case itemConjunction:
		return r.kindOf(i-2) == itemComma
	case itemThat:
		return r.low(i-1) == "because" || r.low(i-1) == "so"
	}
	return false
}

// subjectBefore returns the only subject of the first finite verb of the clause before
// item i.
func (r *reader) subjectBefore(i int) (int, bool) {
	for k := range i {
		if r.kindOf(k) != itemVerb || !r.items[k].verb.finite {
			continue
		}
		s, reduced := r.subjects(k)
		if reduced {
			continue
		}
		if len(s) == 1 {
			return s[0], true
		}
		return 0, false
	}
	return 0, false
}

// pronounBetween reports a pronoun between items s and i, which may stand for something
// else than the subject at s.
func (r *reader) pronounBetween(s, i int) bool {
	for k := s + 1; k < i; k++ {
		if r.kindOf(k) == itemPhrase && r.phraseOf(k).pronoun {
			return true
		}
	}
	return false
}

// namesPerson reports whether a phrase names a person, whom "it" does not stand for.
func (r *reader) namesPerson(p *phrase) bool {
	c := r.found.find(p.key)
	return c != nil && r.found.isPerson(c)
}
