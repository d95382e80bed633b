package english

import "strings"

// statement is a relationship that one sentence states between two phrases.
type statement struct {
	from, to   string // keys of candidates
	typ        string
	confidence float64
	sentence   int
}

// reader takes the statements out of one sentence.
type reader struct {
	words    *lexicon
	rules    map[ruleKey]verbRule
	found    *candidates
	sentence *sentence
	index    int
	phrases  []phrase
	items    []item
	classes  map[string]verbRule
	raw      string   // the sentence as a description
	columns  []column // of the table that the sentence is a row of, when its head is known
	out      []statement
}

// kindOf returns the kind of item i, itemStop outside the sentence.
func (r *reader) kindOf(i int) itemKind {
	if i < 0 || i >= len(r.items) {
		return itemStop
	}
	return r.items[i].kind
}

// low returns the word of item i, or "".
func (r *reader) low(i int) string {
	if i < 0 || i >= len(r.items) {
		return ""
	}
	return r.items[i].low
}

// phraseOf returns the phrase of item i.
func (r *reader) phraseOf(i int) *phrase {
	return &r.phrases[r.items[i].phrase]
}

// isOf reports whether items i and i+1 are "of" and a phrase.
func (r *reader) isOf(i int) bool {
	return r.kindOf(i) == itemPreposition && r.low(i) == "of" && r.kindOf(i+1) == itemPhrase
}

// concept returns the key of what the phrase at item i is about. A head that
// names nothing passes the question on: "a number of proteins" is about
// proteins. "The lack of iron" is not about iron.
func (r *reader) concept(i int) string {
	for r.kindOf(i) == itemPhrase {
		p := r.phraseOf(i)
		if p.pronoun || r.denies(p) {
			return ""
		}
		head := r.sentence.tokens[p.last-1].low
		if strings.Contains(privatives, " "+singular(head)+" ") && (p.last-p.from == 1 || r.isOf(i+1)) {
			return ""
		}
		if at := r.titledAt(i); at > 0 {
			return r.phraseOf(at).key // "by the virologist Søren Thrane"
		}
		if p.key != "" {
			return p.key
		}
		if !r.isOf(i + 1) {
			return ""
		}
		i += 2
	}
	return ""
}

// privatives are nouns whose "of" phrase is what is missing or changing.
const privatives = " lack absence deficiency shortage loss failure removal reduction decline decrease cause effect result consequence end prevention avoidance cost price risk amount rate rest half fifth third quarter tenth percent "

// fractions are nouns of parts of a whole.
const fractions = " half third quarter fifth sixth seventh eighth ninth tenth hundredth thousandth majority minority fraction "

// state adds a statement when both ends name something.
func (r *reader) state(from, to, typ string, confidence float64) {
	if from == "" || to == "" || from == to {
		return
	}
	a, b := r.found.find(from), r.found.find(to)
	if a == nil || b == nil || a == b {
		return
	}
	r.out = append(r.out, statement{from: from, to: to, typ: typ, confidence: confidence, sentence: r.index})
}

// list returns the items of the coordinated phrases that start at item i: "A",
// "A and B", "A, B and C". Commas without a closing conjunction do not make a
// list. An element that a finite verb follows starts a clause of its own.
func (r *reader) list(i int) []int { return r.listUntil(i, false) }

// listUntil is list; with verbs it also takes a last element that a finite verb
// follows, as after "such as", where the verb belongs to what was exemplified.
func (r *reader) listUntil(i int, verbs bool) []int {
	if r.kindOf(i) != itemPhrase {
		return nil
	}
	if r.phraseOf(i).pronoun {
		return []int{i} // "ends them and logs it"
	}
	out, closed := []int{i}, false
	j := r.afterElement(i)
	for !closed {
		k := j
		if r.kindOf(k) == itemComma {
			k++
		}
		if r.kindOf(k) == itemConjunction && (r.low(k) == "and" || r.low(k) == "or") {
			if k > j && len(out) == 1 {
				break // "A, and B …" starts a clause
			}
			k++
			closed = true
		}
		if k == j || r.kindOf(k) != itemPhrase || !closed && r.renames(i, k) || r.startsVerb(k) {
			break
		}
		if closed && k == j+1 && len(out) == 1 && j > i+1 && r.phraseOf(k).determiner == "" && !r.isOf(k+1) {
			closed = false
			break // "the signature of a parent or guardian"
		}
		next := r.afterChain(k)
		if closed && !verbs && r.kindOf(next) == itemVerb && r.items[next].verb.finite {
			closed = false
			break
		}
		out = append(out, k)
		j = next
		if !closed {
			j = r.afterElement(k)
		}
	}
	if !closed {
		return out[:1]
	}
	return out
}

// afterElement returns the item after the element of a list at item i: it may have a
// phrase of its own before the comma, as in "a head, a trunk with two arms, and a tail".
func (r *reader) afterElement(i int) int {
	j := r.afterChain(i)
	if r.kindOf(j) != itemPreposition || r.low(j) != "with" || r.kindOf(j+1) != itemPhrase || !r.governed(j+1) {
		return j
	}
	if k := r.afterChain(j + 1); r.kindOf(k) == itemComma {
		return k
	}
	return j
}

// renames reports whether the phrase at item k, after a comma, has an indefinite
// article while the one at item i has none: "the cog, a broad ship".
func (r *reader) renames(i, k int) bool {
	return isArticle(r.phraseOf(k).determiner) && !isArticle(r.phraseOf(i).determiner)
}

// isArticle reports an indefinite article.
func isArticle(low string) bool { return low == "a" || low == "an" }

// afterChain returns the item after the phrase at i and its "of" phrases.
func (r *reader) afterChain(i int) int {
	i++
	for r.isOf(i) {
		i += 2
	}
	return i
}

// concepts returns the keys of the phrases at items.
func (r *reader) concepts(items []int) []string {
	var keys []string
	for _, i := range items {
		if k := r.concept(i); k != "" {
			keys = append(keys, k)
		}
	}
	return keys
}

// kindType returns the type of "x is a kind of …": names are instances, common
// nouns are specialisations.
func (r *reader) kindType(x string) string {
	if c := r.found.find(x); c != nil && (c.name && !c.acronym || c.code) {
		return "INSTANTIATES"
	}
	return "SPECIALIZES"
}
