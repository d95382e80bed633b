package keyterms

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// connectors stand within a name: "Universidad de Chile".
var connectors = wordSet("de del della delle di da do dos das du des d' la las los le el al van von of the ibn bin")

// within stand in a phrase that is repeated, as connectors without the articles.
var within = wordSet("de del della di da do du des von of")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// addNames finds runs of words with capitals: those that have one where no sentence begins,
// somewhere in the text.
func (t *text) addNames(terms map[string]*term) {
	inside := map[string]int{} // words that have a capital within a sentence
	lower := map[string]bool{} // words that are written without one
	for _, k := range t.tokens {
		if k.capital && !k.first {
			inside[stem(k.low)]++
		}
		if !k.capital {
			lower[k.low] = true
		}
	}
	for i := 0; i < len(t.tokens); {
		first := t.tokens[i]
		if !first.capital || t.stop[first.low] && (first.first || lower[first.low]) || first.first && inside[stem(first.low)] == 0 && !t.startsName(i, lower) {
			i++
			continue
		}
		end := t.nameEnd(i)
		t.addName(terms, i, end, inside)
		i = end
	}
}

// startsName reports whether a word at the beginning of a sentence begins a name: another
// capital follows, and the text has the word with no small letter.
func (t *text) startsName(i int, lower map[string]bool) bool {
	return i+1 < len(t.tokens) && t.tokens[i+1].capital && !lower[t.tokens[i].low] && !t.stop[t.tokens[i].low]
}

// nameEnd returns the place after the last word of the name that begins at one.
func (t *text) nameEnd(i int) int {
	end := i + 1
	const longest = 6
	for j := end; j < len(t.tokens) && j < i+longest && t.joined(j); j++ {
		k := t.tokens[j]
		switch {
		case k.capital, k.number && !t.nouns && j == end && len(k.low) <= 3:
			end = j + 1
		case connectors[k.low] && !t.nouns:
		default:
			return end
		}
	}
	return end
}

// joined reports whether only a space stands before a word.
func (t *text) joined(j int) bool {
	k := t.tokens[j]
	return k.low != "" && !k.unspaced && k.Start-t.tokens[j-1].End <= 1 && k.sentence == t.tokens[j-1].sentence
}

// addName counts a name. A noun of a language whose nouns have capitals is one only when it
// is repeated, or several stand together.
func (t *text) addName(terms map[string]*term, i, end int, inside map[string]int) {
	words := t.tokens[i:end]
	const shortest = 2 // letters
	if len(words) == 1 && (len(words[0].low) < shortest || t.nouns && inside[stem(words[0].low)] < 2 || t.stop[words[0].low]) {
		return
	}
	t.add(terms, keyOf(words), spanOf(words), len(words), !t.nouns || len(words) > 1)
}

func keyOf(words []token) string {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stem(w.low)
	}
	return strings.Join(stems, " ")
}

func spanOf(words []token) place {
	return place{Span: corpus.Span{Start: words[0].Start, End: words[len(words)-1].End}, sentence: words[0].sentence}
}
