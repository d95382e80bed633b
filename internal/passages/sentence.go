package passages

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// width is how long a text is to read, in Latin letters: a character of a script that writes
// a word in one or two counts for more.
func width(text string) (n int) {
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	const wide = 3
	if r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return wide
	}
	if unicode.Is(unicode.Mn, r) {
		return 0
	}
	return 1
}

// wordWidth is how long a word is with the space after it, about.
const wordWidth = 6

// manyWords reports a text of at least so many words; in a script without spaces between
// them, of so many by its length.
func manyWords(text string, most int) bool {
	n, inWord, letters := 0, false, 0
	for _, r := range text {
		if r >= 0x0E00 && !unicode.IsSpace(r) { // the first script that does without spaces
			letters += runeWidth(r)
		}
		space := unicode.IsSpace(r)
		if !space && !inWord {
			n++
		}
		if n >= most || letters >= most*wordWidth {
			return true
		}
		inWord = !space
	}
	return false
}

// rank orders the places where a text may be cut.
type rank int

const (
	anywhere rank = iota
	atSpace
	atPause
	atLine
	atSentence
	atBlank
)

// cutAt returns where a text is cut best, between two lengths in bytes: at the best place,
// and among equals at the one that is nearest to a third length. It reads the text once.
func cutAt(text string, least, ideal, most int) int {
	best, at := anywhere, 0
	take := func(r rank, place int) {
		if r > best || r == best && abs(place-ideal) < abs(at-ideal) {
			best, at = r, place
		}
	}
	word := 0 // where the word before the place begins
	for i := 0; i < len(text) && i < most; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) {
			i += size
			if i >= least && i < most && strings.ContainsRune(corpus.SentenceMarks, r) {
				take(atSentence, pastClosers(text, i, most))
			}
			continue
		}
		end, after, newlines := i, i, 0
		for after < len(text) {
			r, size := utf8.DecodeRuneInString(text[after:])
			if !unicode.IsSpace(r) {
				break
			}
			if r == '\n' {
				newlines++
			}
			after += size
		}
		if end >= least && after <= most {
			take(rankAt(text[word:end], text[after:], newlines), after)
		}
		i, word = after, after
	}
	if at > 0 {
		return at
	}
	at = min(most, len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func abs(n int) int { return max(n, -n) }

func pastClosers(text string, at, most int) int {
	for at < most {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(corpus.ClosingMarks, r) || at+size > most {
			break
		}
		at += size
	}
	return at
}

// rankAt ranks the place between a word and what follows it after white space.
func rankAt(word, next string, newlines int) rank {
	last, _ := utf8.DecodeLastRuneInString(word)
	switch {
	case newlines > 1:
		return atBlank
	case corpus.EndsSentence(word, next):
		return atSentence
	case newlines == 1:
		return atLine
	case strings.ContainsRune(";:,—–", last):
		return atPause
	}
	return atSpace
}
