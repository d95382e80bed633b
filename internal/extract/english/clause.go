package english

import "strings"

// itemKind says what an item of a clause is.
type itemKind uint8

const (
	itemPhrase itemKind = iota
	itemVerb
	itemPreposition
	itemTo          // an infinitive's "to" that no verb group took
	itemConjunction // and, or, but
	itemComma
	itemWh   // which, that, who
	itemThat // a subordinating word: if, because, that before a clause
	itemStop // ; : — ( ) and the border of a table cell
	itemOther
)

// item is one element of the shallow structure of a sentence.
type item struct {
	kind        itemKind
	first, last int    // tokens
	low         string // the word of a preposition, conjunction or Wh word
	phrase      int    // of an itemPhrase: its index
	verb        verbGroup
}

// verbGroup is a run of auxiliaries, adverbs and one main verb.
type verbGroup struct {
	lemma   string // of the main verb; "be" for a lone form of be; empty when unknown
	low     string // the main verb as it stands
	passive bool
	negated bool
	hedged  bool // may, can, should
	unreal  bool // could, would; fails to, is said to, used to, wants to
	finite  bool
	plural  bool // agrees with a plural subject
	single  bool // agrees with a singular subject
	gerund  bool
	to      bool // starts with "to"
}

// itemsOf cuts a sentence into items. What stands in parentheses is left out:
// it neither has nor separates the parts of the clause around it.
func itemsOf(words *lexicon, s *sentence, phrases []phrase) []item {
	var items []item
	negated := false
	next := 0
	for i := 0; i < len(s.tokens); {
		for next < len(phrases) && phrases[next].last <= i {
			next++
		}
		if next < len(phrases) && phrases[next].first == i {
			last := phrases[next].last
			owner := last < len(s.tokens) && s.tokens[last].tag == posGenitive && next+1 < len(phrases) && phrases[next+1].first == last+1
			if !owner { // of "Python's library" the library is the part of the clause
				items = append(items, item{kind: itemPhrase, first: i, last: last, phrase: next})
			}
			i = last
			continue
		}
		if to := closing(s.tokens, i); to > i {
			i = to
			continue
		}
		if v, last, ok := verbGroupAt(words, s.tokens, i); ok && (next >= len(phrases) || last <= phrases[next].first) {
			v.negated = v.negated || negated
			negated = false
			items = append(items, item{kind: itemVerb, first: i, last: last, verb: v})
			i = last
			continue
		}
		it := itemAt(s.tokens, i)
		negated = negated || isNegation(s.tokens[i].low)
		if it.kind != itemOther {
			items = append(items, it)
		}
		i++
	}
	return items
}

// closing returns the index after the bracket that closes the one at i, or 0.
func closing(tokens []token, i int) int {
	if tokens[i].text != "(" && tokens[i].text != "[" {
		return 0
	}
	for j := i + 1; j < len(tokens) && j < i+40; j++ {
		if tokens[j].text == ")" || tokens[j].text == "]" {
			return j + 1
		}
	}
	return 0
}

// itemAt classifies the single token at i.
func itemAt(tokens []token, i int) item {
	t := tokens[i]
	it := item{kind: itemOther, first: i, last: i + 1, low: t.low}
	switch t.tag {
	case posPunct:
		switch t.text {
		case ",":
			it.kind = itemComma
		case ";", ":", "—", "–", "(", ")", "|", "?", "=", "→", "/", "-":
			it.kind = itemStop
		}
	case posConjunction:
		it.kind = itemConjunction
	case posTo:
		it.kind = itemTo
	case posWh:
		it.kind = itemWh
	case posPreposition:
		it.kind = itemPreposition
		switch t.low {
		case "that":
			it.kind = itemWh
		case "if", "whether", "because", "while", "although", "though", "unless", "until", "so":
			it.kind = itemThat
		}
	case posDeterminer:
		if t.low == "that" {
			it.kind = itemWh
		}
	}
	return it
}

// unrealModals say what would be, not what is.
const unrealModals = " could would might 'd "

// unrealised are verbs whose infinitive did not, does not or need not happen: "fails
// to prevent", "ceased to produce", "is said to cure", "aims to replace". "Used to" is
// one of them in the active voice alone.
const unrealised = " fail cease refuse decline neglect forget stop claim allege believe think say report suppose assume consider expect rumour rumor estimate predict plan intend aim want wish hope seek try attempt threaten pretend agree promise ask tell urge propose seem appear schedule use "

// realised reports whether the infinitive after the verb t is a fact.
func realised(words *lexicon, t token, passive bool) bool {
	lemma := words.verbs[t.low].lemma
	return lemma == "" || lemma == "use" && passive || !strings.Contains(unrealised, " "+lemma+" ")
}

// isNegation reports a word that turns the statement of the verb after it.
func isNegation(low string) bool {
	switch low {
	case "not", "n't", "never", "no", "without", "neither", "nor", "hardly", "rarely", "seldom", "scarcely", "nobody", "none", "cannot":
		return true
	}
	return false
}

// verbGroupAt reads the verb group that starts at i.
func verbGroupAt(words *lexicon, tokens []token, i int) (verbGroup, int, bool) {
	var v verbGroup
	main, be := -1, false
	for j := i; j < len(tokens); j++ {
		t := tokens[j]
		switch {
		case t.tag == posAdverb || isNegation(t.low) && t.low != "no" && t.low != "without":
			v.negated = v.negated || isNegation(t.low)
			continue
		case t.tag == posTo && (j == i || main >= 0) && opensInfinitive(words, tokens, j+1):
			v.to = v.to || main < 0
			v.unreal = v.unreal || main >= 0 && (be || !realised(words, tokens[main], v.passive)) // "the aim is to build"
			v.passive = false
			tokens[j+1].tag = posBase
			continue
		}
		if !t.tag.isVerb() || t.tag == posGerund && main >= 0 && !be || t.tag == posParticiple && main >= 0 && !auxiliary(tokens[main]) {
			break
		}
		v.take(t, main < 0, be)
		be = isBe(t.low)
		main = j
	}
	if main < 0 {
		return v, i, false
	}
	v.low = tokens[main].low
	v.lemma = words.verbs[v.low].lemma
	if isBe(v.low) {
		v.lemma = "be"
	}
	return v, main + 1, true
}

// auxiliary reports a verb that a participle follows: forms of "be" and "have", "get",
// modals.
func auxiliary(t token) bool {
	return isBe(t.low) || isHave(t.low) || t.tag == posModal || t.low == "having" || t.low == "get" || t.low == "gets" || t.low == "got" || t.low == "become" || t.low == "became"
}

// opensInfinitive reports whether tokens[j], after "to", is a verb.
func opensInfinitive(words *lexicon, tokens []token, j int) bool {
	return j < len(tokens) && (tokens[j].tag == posBase ||
		tokens[j].tag == posNoun && words.verbs[tokens[j].low].shape&shapeBase != 0)
}

// take adds the verb t to the group; be says that a form of "be" stands before
// it.
func (v *verbGroup) take(t token, first, be bool) {
	v.hedged = v.hedged || t.tag == posModal && t.low != "will"
	v.unreal = v.unreal || t.tag == posModal && strings.Contains(unrealModals, " "+t.low+" ")
	v.negated = v.negated || t.low == "cannot"
	v.finite = v.finite || first && t.tag.isFinite() && !v.to
	v.passive = be && t.tag == posParticiple
	if first {
		v.agree(t)
		v.gerund = t.tag == posGerund
	} else {
		v.gerund = false
	}
}

// agree sets the number of the subject from the group's first verb.
func (v *verbGroup) agree(t token) {
	switch {
	case t.tag == posModal || t.tag == posPast && !isBe(t.low):
	case t.low == "are" || t.low == "were" || t.low == "have" || t.tag == posBase:
		v.plural = true
	default:
		v.single = true
	}
}
