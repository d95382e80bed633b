package words

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

const (
	prefixLetters = 5
	// A syllable of Korean is a character of two or three letters.
	prefixSyllables = 2
	gramLetters     = 4
)

// Prefix returns the first five letters of a folded word, which stand for its stem where no
// stemmer is used. Numbers are whole, and of Korean it is two syllables.
func Prefix(text string) string {
	most, count := prefixLetters, 0
	for i, r := range text {
		if i == 0 {
			switch {
			case unicode.IsDigit(r):
				return text
			case unicode.Is(unicode.Hangul, r):
				most = prefixSyllables
			}
		}
		if count == most {
			return text[:i]
		}
		count++
	}
	return text
}

// Grams yields the runs of four letters inside a folded word, or all of it where it has no more.
// Numbers are whole.
func Grams(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if text == "" {
			return
		}
		if text[0] >= '0' && text[0] <= '9' {
			yield(text)
			return
		}
		end := 0
		for range gramLetters {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		for start := 0; ; {
			if !yield(text[start:end]) || end == len(text) {
				return
			}
			_, size := utf8.DecodeRuneInString(text[start:])
			start += size
			_, size = utf8.DecodeRuneInString(text[end:])
			end += size
		}
	}
}

// Unspaced reports whether a folded word is a piece of a text that is written without spaces.
func Unspaced(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	class := classOf(r)
	return class == classPair || class == classTriple
}

// Function reports whether a folded word is one of the English words that hold a sentence
// together and say nothing of its subject.
func Function(text string) bool { return len(text) <= longestFunction && function[text] }

const longestFunction = 5

var function = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "as": true, "at": true, "be": true, "been": true,
	"by": true, "can": true, "could": true, "did": true, "do": true, "does": true, "for": true, "from": true,
	"had": true, "has": true, "have": true, "how": true, "i": true, "in": true, "into": true, "is": true,
	"it": true, "its": true, "many": true, "me": true, "much": true, "of": true, "on": true, "or": true,
	"that": true, "the": true, "their": true, "there": true, "these": true, "this": true, "to": true, "was": true,
	"were": true, "what": true, "when": true, "where": true, "which": true, "who": true, "whom": true, "whose": true,
	"why": true, "will": true, "with": true, "would": true, "you": true,
}
