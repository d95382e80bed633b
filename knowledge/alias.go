package knowledge

import (
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/knowledge/naming"
)

// AliasKind says by what kind of short name two concepts may be one.
type AliasKind int

// The kinds of short names.
const (
	NoAlias AliasKind = iota
	// Abbreviation is a short form whose letters stand in the long form in order: NLP.
	// A document that explains it uses it for nothing else.
	Abbreviation
	// Surname is the last word of a name: Lovelace. It holds in its document only.
	Surname
)

// AliasOf reports whether c is called by a short name of a known concept with that label
// and those other names, or the other way round. It is so only when one of the two has
// the other's name among its search terms, because a text explained it.
func AliasOf(c ExtractedConcept, label string, terms []string) AliasKind {
	if kind := shortNameOf(c.Label, label, terms); kind != NoAlias {
		return kind
	}
	return shortNameOf(label, c.Label, c.SearchTerms)
}

// shortNameOf returns what kind of short name of long the name short is, which is
// among the other names of long.
func shortNameOf(short, long string, terms []string) AliasKind {
	for _, term := range terms {
		if strings.TrimSuffix(short, "s") != strings.TrimSuffix(term, "s") {
			continue
		}
		if abbreviates(short, long) {
			return Abbreviation
		}
		if words := strings.Fields(long); len(words) > 1 && words[len(words)-1] == short && naming.StartsUpper(short) && naming.StartsUpper(long) {
			return Surname
		}
	}
	return NoAlias
}

// abbreviates reports whether short is written like an abbreviation, and its letters
// stand in long in order, the first at its start.
func abbreviates(short, long string) bool {
	const longest = 10
	upper := 0
	for _, r := range short {
		if unicode.IsUpper(r) {
			upper++
		}
	}
	letters := nameLetters(strings.TrimSuffix(short, "s"))
	rest := nameLetters(long)
	if upper < 2 || len(short) > longest || len(letters) < 2 || len(rest) <= len(letters) || rest[0] != letters[0] {
		return false
	}
	for _, r := range letters {
		i := strings.IndexRune(string(rest), r)
		if i < 0 {
			return false
		}
		rest = []rune(string(rest)[i+len(string(r)):])
	}
	return true
}

// nameLetters returns the letters and digits of a name in lower case.
func nameLetters(name string) []rune {
	var letters []rune
	for _, r := range strings.ToLower(naming.FoldLetters(name)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters = append(letters, r)
		}
	}
	return letters
}
