package keyterms

import "unicode/utf8"

const (
	longestPhrase = 4 // words
	// shortestWord is the length of a word that is a term alone, in letters.
	shortestWord = 4
	leastPhrase  = 2 // times that a phrase stands in the text
	leastWord    = 3 // times that a word does
)

// addRepeated finds phrases and words that are repeated and have no capitals.
func (t *text) addRepeated(terms map[string]*term) {
	found := map[string]*term{}
	between := map[string]int{} // how often a word stands between function words
	for i, k := range t.tokens {
		if !t.content(k) {
			continue
		}
		t.add(found, stem(k.low), spanOf(t.tokens[i:i+1]), 1, false)
		if t.bounds(i-1) && t.bounds(i+1) {
			between[stem(k.low)]++
		}
		for n := 2; n <= longestPhrase && i+n <= len(t.tokens) && t.joined(i+n-1); n++ {
			last := t.tokens[i+n-1]
			if k.capital && !last.capital {
				break // a name ends with its last capital
			}
			if !t.content(last) {
				if within[last.low] {
					continue
				}
				break
			}
			t.add(found, keyOf(t.tokens[i:i+n]), spanOf(t.tokens[i:i+n]), n, false)
		}
	}
	for key, k := range found {
		least := leastPhrase
		if k.words == 1 {
			least = leastWord
			if between[key] < 2 || utf8.RuneCountInString(k.label()) < shortestWord {
				continue
			}
		}
		if len(k.places) < least {
			continue
		}
		if named := terms[key]; named == nil {
			terms[key] = k
		}
	}
}

// content reports a word that says something. Where nouns have capitals they alone do.
func (t *text) content(k token) bool {
	return (!t.nouns || k.capital && !k.first) && k.low != "" && !k.number && !k.unspaced && !t.stop[k.low] && utf8.RuneCountInString(k.low) > 2
}

// bounds reports whether a phrase may begin after a place, or end before it.
func (t *text) bounds(i int) bool {
	return i < 0 || i >= len(t.tokens) || t.tokens[i].low == "" || t.stop[t.tokens[i].low] || t.tokens[i].first
}
