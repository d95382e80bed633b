package english

import "strings"

// topic is what a sentence is about: what "it", "they" and "this disease" at the start
// of the next sentence of the block stand for.
type topic struct {
	key    string // of the only subject; empty when there is none or there are several
	plural bool
	block  int
}

// resolve gives the pronoun or the "this" phrase that starts the sentence the key of
// the topic before it.
func (r *reader) resolve(before topic, statements []statement) {
	if before.key == "" || before.block != r.sentence.block || len(r.phrases) == 0 {
		return
	}
	p := &r.phrases[0]
	if p.first > 0 {
		return
	}
	switch r.sentence.tokens[0].low {
	case "it":
		if !p.pronoun || before.plural {
			return
		}
	case "they":
		if !p.pronoun || !before.plural {
			return
		}
	case "this", "these":
		if p.pronoun || p.plural != before.plural || p.generic == "" && !isKnownAs(statements, before.key, p.key) {
			return
		}
	default:
		return
	}
	p.key, p.pronoun, p.generic, p.stands = before.key, false, "", true
	p.plural = before.plural
}

// isKnownAs reports whether a statement makes x a kind of class, so that "this class"
// stands for x.
func isKnownAs(statements []statement, x, class string) bool {
	for i := len(statements) - 1; i >= 0 && i >= len(statements)-12; i-- {
		st := statements[i]
		if st.from == x && (st.to == class || strings.HasSuffix(st.to, " "+class)) && (st.typ == "SPECIALIZES" || st.typ == "INSTANTIATES") {
			return true
		}
	}
	return false
}

// topic returns what the sentence is about: the subject of its first finite verb.
func (r *reader) topic() topic {
	t := topic{block: r.sentence.block}
	if r.conditional() {
		return t
	}
	for i := range r.items {
		if r.kindOf(i) != itemVerb || !r.items[i].verb.finite {
			continue
		}
		subjects, reduced := r.subjects(i)
		if reduced {
			continue
		}
		if len(subjects) == 1 {
			p := r.phraseOf(subjects[0])
			if !r.denies(p) && !p.pronoun {
				t.key, t.plural = p.key, p.plural
			}
		}
		return t
	}
	return t
}

// conditional reports a sentence that opens with a condition, as "Without a model": it is
// about that case, and what follows need not be.
func (r *reader) conditional() bool {
	switch low := r.sentence.tokens[0].low; low {
	case "without", "unless", "if":
		return true
	}
	return false
}

// person is who "he" or "she" stands for.
type person struct {
	key     string
	block   int
	pronoun string // the one that was used of them; empty when none was yet
}

// resolvePerson gives "he" and "she" in the sentence the key of the person that the
// sentences of the block before are about, as long as nobody else is named before them.
func (r *reader) resolvePerson(who *person) {
	if who.key == "" || who.block != r.sentence.block {
		return
	}
	for i := range r.phrases {
		p := &r.phrases[i]
		if p.key != "" && p.key != who.key {
			if c := r.found.find(p.key); c != nil && c != r.found.find(who.key) && r.found.isPerson(c) {
				return
			}
		}
		low := r.sentence.tokens[p.first].low
		if !p.pronoun || low != "he" && low != "she" || who.pronoun != "" && who.pronoun != low {
			continue
		}
		who.pronoun = low
		p.key, p.pronoun, p.stands, p.name = who.key, false, true, true
	}
}

// follow notes the person that the sentence is about.
func (r *reader) follow(who *person, about topic) {
	if who.block != r.sentence.block {
		*who = person{block: r.sentence.block}
	}
	c := r.found.find(about.key)
	switch {
	case about.key == "" || c == nil || !r.found.isPerson(c):
	case who.key == "" || r.found.find(who.key) != c:
		*who = person{key: about.key, block: r.sentence.block}
	}
}
