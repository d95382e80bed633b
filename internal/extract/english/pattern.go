package english

// patterns takes the statements that enumerations and appositions make.
func (r *reader) patterns() {
	doubtful := r.hypothetical()
	for i := range r.items {
		switch {
		case r.kindOf(i) == itemPhrase:
			r.such(i)
			r.including(i)
			r.apposition(i)
			r.insertedName(i)
			r.called(i)
			r.typesAre(i)
			r.titled(i)
			if !doubtful {
				r.places(i)
				r.standsIn(i)
				r.instead(i)
			}
		case r.kindOf(i) == itemConjunction:
			r.andOther(i)
		}
	}
	for k := range r.phrases {
		r.genitive(k)
	}
	r.parentheses()
}

// such reads "Y such as A, B and C": the A are kinds of Y.
func (r *reader) such(i int) {
	at := i + 1
	if r.kindOf(at) == itemComma {
		at++
	}
	if at >= len(r.items) || !r.wordsAt(r.items[i].last, "such", "as") && !r.wordsAt(r.items[i].last, ",", "such", "as") {
		return
	}
	for at < len(r.items) && r.kindOf(at) != itemPhrase && r.items[at].first < r.items[i].last+3 {
		at++
	}
	if r.inRelative(i) {
		return // "clients that send no headers, such as browsers": the clients
	}
	r.kinds(at, r.broader(i))
}

// inRelative reports whether the phrase at item i is the object of a relative clause.
func (r *reader) inRelative(i int) bool {
	if r.kindOf(i-1) == itemPreposition && r.low(i-1) != "of" {
		i-- // "APIs that run through runners, such as …"
	}
	return r.kindOf(i-1) == itemVerb && r.kindOf(i-2) == itemWh && r.kindOf(i-3) == itemPhrase && r.phraseOf(i-3).plural && r.low(i-2) != "what"
}

// wordsAt reports whether the tokens from i on are these words.
func (r *reader) wordsAt(i int, words ...string) bool {
	tokens := r.sentence.tokens
	if i+len(words) > len(tokens) {
		return false
	}
	for k, w := range words {
		if tokens[i+k].low != w {
			return false
		}
	}
	return true
}

// broader returns the phrase that an enumeration after item i is about: the
// nearest plural of the chain that ends at i.
func (r *reader) broader(i int) string {
	for k := i; r.kindOf(k) == itemPhrase; k -= 2 {
		if p := r.phraseOf(k); p.plural && p.key != "" {
			return p.key
		}
		if r.kindOf(k-1) != itemPreposition || r.kindOf(k-2) != itemPhrase {
			break
		}
	}
	return ""
}

// kinds states that each element of the list at item i is a kind of y.
func (r *reader) kinds(i int, y string) {
	if y == "" {
		return
	}
	for _, x := range r.concepts(r.listUntil(i, true)) {
		r.state(x, y, r.kindType(x), confidenceListed)
	}
}

// examples are the words that introduce examples of a plural before them.
// After "like" only names count.
var examples = [...]struct {
	words    []string
	nameOnly bool
}{
	{words: []string{"including"}},
	{words: []string{",", "including"}},
	{words: []string{",", "especially"}},
	{words: []string{",", "notably"}},
	{words: []string{",", "namely"}},
	{words: []string{",", "for", "instance"}},
	{words: []string{",", "for", "example"}},
	{words: []string{",", "for", "example", ","}},
	{words: []string{",", "e.g."}},
	{words: []string{"like"}, nameOnly: true},
}

// including reads "Y, including A and B" for a plural Y.
func (r *reader) including(i int) {
	last := r.items[i].last
	for _, ex := range examples {
		if !r.wordsAt(last, ex.words...) {
			continue
		}
		for at := i + 1; at < len(r.items) && at <= i+5; at++ {
			if r.kindOf(at) == itemPhrase && r.items[at].first == last+len(ex.words) && (!ex.nameOnly || r.phraseOf(at).name) {
				r.kinds(at, r.broader(i))
				return
			}
		}
	}
}

// called reads "Y called X" and "Y, known as X": X is a kind of Y.
func (r *reader) called(i int) {
	last := r.items[i].last
	if r.wordsAt(last, ",") {
		last++
	}
	if r.wordsAt(last, "also") {
		last++
	}
	switch {
	case r.wordsAt(last, "called"):
		if last+1 < len(r.sentence.tokens) && r.sentence.tokens[last+1].low == "the" {
			return // "critics called the hall a whale"
		}
		last++
	case r.wordsAt(last, "known", "as"):
		last += 2
	default:
		return
	}
	if r.kindOf(i-1) == itemPreposition && r.low(i-1) == "by" {
		return // "a function of the package called Add"
	}
	for at := i + 1; at < len(r.items) && at <= i+4; at++ {
		if r.kindOf(at) != itemPhrase || r.items[at].first != last {
			continue
		}
		x, y := r.phraseOf(at), r.phraseOf(i)
		k := i
		for y.plural != x.plural && r.kindOf(k-1) == itemPreposition && r.kindOf(k-2) == itemPhrase {
			k -= 2
			y = r.phraseOf(k)
		}
		r.state(x.key, y.key, r.kindType(x.key), confidenceListed)
		return
	}
}

// andOther reads "A, B and other Y" at the conjunction i.
func (r *reader) andOther(i int) {
	if r.kindOf(i+1) != itemPhrase {
		return
	}
	first := r.items[i+1].first
	if !r.wordsAt(first, "other") && !r.wordsAt(first, "similar") {
		return
	}
	y := r.phraseOf(i + 1)
	if !y.plural || y.key == "" {
		return
	}
	for k := i - 1; ; {
		if r.kindOf(k) == itemComma {
			k--
		}
		if r.kindOf(k) != itemPhrase {
			return
		}
		if before := r.kindOf(k - 1); before == itemPreposition && k == i-1 && r.low(k-1) == "of" {
			return // "the growth of trees and other plants" is clear only for the nearest
		}
		if x := r.concept(k); x != "" {
			r.state(x, y.key, r.kindType(x), confidenceListed)
		}
		if r.kindOf(k-1) != itemComma {
			return
		}
		k--
	}
}
