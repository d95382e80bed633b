package english

// headed reads the first sentence under a heading that names a term: "A pattern that
// stops calls" says what "Circuit breaker" is, as dictionaries write.
func (r *reader) headed(term string) {
	if term == "" || r.sentence.kind != blockParagraph || len(r.items) == 0 || r.kindOf(0) != itemPhrase {
		return
	}
	p := r.phraseOf(0)
	if !isArticle(p.determiner) || r.items[0].first > 1 || r.mainVerb() {
		return
	}
	c := r.found.find(term)
	if c == nil {
		return
	}
	if c.describe == "" {
		c.defined, c.definition, c.describe = true, r.index, r.raw
	}
	if r.classStatement([]string{term}, 0, confidenceListed) {
		return
	}
	if r.isClass(p) && p.key != "" {
		r.state(term, p.key, r.kindType(term), confidenceListed)
	}
}

// mainVerb reports whether the sentence has a finite verb more than it has relative and
// other subordinate clauses.
func (r *reader) mainVerb() bool {
	finite, inner := 0, 0
	for i := range r.items {
		switch r.kindOf(i) {
		case itemWh, itemThat:
			inner++
		case itemVerb:
			if r.items[i].verb.finite {
				finite++
			}
		}
	}
	return finite > inner
}

// headingTerm returns the key of the one phrase that a heading is, or "".
func (r *reading) headingTerm(i int) string {
	s, phrases := &r.sentences[i], r.phrases[i]
	if len(phrases) != 1 || phrases[0].key == "" {
		return ""
	}
	if p := phrases[0]; s.words() > p.last-p.first+1 {
		return ""
	}
	return phrases[0].key
}
