package english

import "strings"

// noClassHeads are heads of lists whose entries are not of the kind that the head names.
const noClassHeads = " keyword tag topic content note link reference download requirement prerequisite ingredient thank credit tip goal step day time hour price figure result attendee absentee participant subject date change fix "

// enumerated reads a line without a verb such as "Allergens: fish, milk" and "Holder:
// Brenner Pharma": what follows the colon is what stands before it.
func (r *reader) enumerated() {
	if r.sentence.kind == blockRow || r.sentence.kind == blockHeading || len(r.items) < 3 || r.kindOf(0) != itemPhrase || r.anyVerb() {
		return
	}
	at := r.afterPhrases(0)
	if at >= len(r.items) || r.kindOf(at) != itemStop || r.sentence.tokens[r.items[at].first].text != ":" {
		return
	}
	if first := r.items[at].first; r.items[at-1].last != first {
		return
	}
	class, names := r.phraseOf(0), !r.phraseOf(0).plural
	if names && (!personal(r.sentence.tokens[class.last-1].low) || class.last-class.from < 2) || class.key == "" || class.name || !r.isClassHead(class) {
		return
	}
	var found []string
	for k := at + 1; k < len(r.items); {
		if r.kindOf(k) != itemPhrase || names && !r.phraseOf(k).name {
			return
		}
		found = append(found, r.concept(k))
		if k = r.afterPhrases(k); names && k < len(r.items) && r.kindOf(k) != itemComma {
			return
		} else if names {
			break
		}
		for k < len(r.items) && (r.kindOf(k) == itemComma || r.kindOf(k) == itemConjunction || r.kindOf(k) == itemStop) {
			k++
		}
	}
	if len(found) < 2 && !names {
		return
	}
	for _, x := range found {
		r.state(x, class.key, r.kindType(x), confidenceReduced)
	}
}

// isClassHead reports whether a phrase before a list can name what its entries are.
func (r *reader) isClassHead(p *phrase) bool {
	return r.isClass(p) && !strings.Contains(noClassHeads, " "+singular(r.sentence.tokens[p.last-1].low)+" ")
}

// anyVerb reports whether the sentence has a finite verb.
func (r *reader) anyVerb() bool {
	for _, it := range r.items {
		if it.kind == itemVerb && it.verb.finite {
			return true
		}
	}
	return false
}

// lead is what the line before a list says of its entries.
type lead struct {
	block    int // of the last line that belongs to it
	class    string
	subjects []string // of a verb that ends with the line: "the kit consists of:"
	rule     verbRule
}

// leads returns what the sentence says of the list behind it: "It reads these formats:".
func (r *reader) leads() lead {
	out := lead{block: r.sentence.block}
	last := len(r.items) - 1
	if last < 1 || r.sentence.kind == blockRow || r.sentence.tokens[len(r.sentence.tokens)-1].text != ":" || r.hypothetical() {
		return out
	}
	for r.kindOf(last) == itemStop {
		last--
	}
	if r.kindOf(last) == itemPhrase {
		p := r.phraseOf(last)
		if p.plural && !p.name && p.key != "" && p.generic == "" && r.isClassHead(p) && !r.denies(p) && r.kindOf(last-1) != itemPreposition {
			out.class = p.key
		}
		return out
	}
	prep := ""
	if r.kindOf(last) == itemPreposition || r.kindOf(last) == itemTo {
		prep = r.low(last)
		last--
	}
	if r.kindOf(last) != itemVerb {
		return out
	}
	v := r.items[last].verb
	rule, ok := r.rules[ruleKey{lemma: v.lemma, passive: v.passive, prep: prep}]
	if !ok || !v.finite || v.negated || v.unreal || v.hedged || rule.typ == typeIsA || r.supposed()[last] {
		return out
	}
	subjects, _ := r.subjects(last)
	out.subjects, out.rule = r.concepts(subjects), rule
	return out
}

// entry reads the sentence as an entry of the list that l leads.
func (r *reader) entry(l *lead) {
	if r.sentence.kind != blockItem || l.class == "" && len(l.subjects) == 0 || r.sentence.block > l.block+1 {
		return
	}
	first := r.sentence.block != l.block
	l.block = r.sentence.block
	if !first || r.kindOf(0) != itemPhrase || r.items[0].first > 0 || r.anyVerb() && !r.glossed() {
		return
	}
	p := r.phraseOf(0)
	if end := r.afterPhrases(0); p.key == "" || p.pronoun || r.denies(p) || end < len(r.items) && r.kindOf(end) != itemStop && r.kindOf(end) != itemComma {
		return
	}
	if l.class != "" {
		r.state(p.key, l.class, r.kindType(p.key), confidenceReduced)
	}
	from, to := l.subjects, []string{p.key}
	if l.rule.inverted {
		from, to = to, from
	}
	r.each(from, to, l.rule.typ, confidenceReduced)
}

// glossed reports whether a dash or colon follows the first phrase of the sentence.
func (r *reader) glossed() bool {
	return r.kindOf(1) == itemStop && r.items[0].last == r.items[1].first
}
