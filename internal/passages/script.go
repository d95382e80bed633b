package passages

import (
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// clearWords is how many words a text has in which its language is clear.
const clearWords = 20

// mayBeOfOneLanguage reports whether two texts are of one script, and not clearly of two languages.
func mayBeOfOneLanguage(a, b string) bool {
	if beyondLatin(a) != beyondLatin(b) {
		return false
	}
	if !manyWords(a, clearWords) || !manyWords(b, clearWords) {
		return true
	}
	one, other := corpus.LanguageOf(a), corpus.LanguageOf(b)
	return one.Code == "" || other.Code == "" || one.Code == other.Code || one.Share < otherShare || other.Share < otherShare
}

// beyondLatin reports whether most letters at the beginning of a text are of other scripts than
// Latin. Paragraphs that differ in that are in different languages.
func beyondLatin(text string) bool {
	const looked, firstGreek = 40, 0x370
	letters, others := 0, 0
	for i := 0; i < len(text) && letters < looked; {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r >= firstGreek {
			others++
		}
	}
	return 2*others > letters
}
