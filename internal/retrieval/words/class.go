package words

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// What an ASCII character is, as bits.
const (
	letter = 1 << iota
	upper
	digit
	ends   // may end a sentence
	closes // may follow the end of a sentence
)

var ascii = [128]uint8{
	'\n': ends, '.': ends, '!': ends, '?': ends,
	'"': closes, '\'': closes, ')': closes, ']': closes, '}': closes, '*': closes, '_': closes,
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit,
	'5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	'a': letter, 'b': letter, 'c': letter, 'd': letter, 'e': letter, 'f': letter, 'g': letter,
	'h': letter, 'i': letter, 'j': letter, 'k': letter, 'l': letter, 'm': letter, 'n': letter,
	'o': letter, 'p': letter, 'q': letter, 'r': letter, 's': letter, 't': letter, 'u': letter,
	'v': letter, 'w': letter, 'x': letter, 'y': letter, 'z': letter,
	'A': letter | upper, 'B': letter | upper, 'C': letter | upper, 'D': letter | upper,
	'E': letter | upper, 'F': letter | upper, 'G': letter | upper, 'H': letter | upper,
	'I': letter | upper, 'J': letter | upper, 'K': letter | upper, 'L': letter | upper,
	'M': letter | upper, 'N': letter | upper, 'O': letter | upper, 'P': letter | upper,
	'Q': letter | upper, 'R': letter | upper, 'S': letter | upper, 'T': letter | upper,
	'U': letter | upper, 'V': letter | upper, 'W': letter | upper, 'X': letter | upper,
	'Y': letter | upper, 'Z': letter | upper,
}

// How a character is cut.
type class uint8

const (
	classNone   class = iota // it stands between words
	classWord                // with its neighbours
	classUnseen              // with its neighbours, but it is not compared: soft hyphens, joiners
	classPair                // by one and two
	classTriple              // by three
)

func classOf(r rune) class {
	if r < 0x10000 {
		return plane()[r]
	}
	return classify(r)
}

// plane holds the classes of the characters that most texts are written in.
var plane = sync.OnceValue(func() *[0x10000]class {
	var p [0x10000]class
	for r := range rune(len(p)) {
		p[r] = classify(r)
	}
	return &p
})

func classify(r rune) class {
	switch {
	case r == utf8.RuneError:
		return classNone
	case unicode.Is(unicode.Cf, r):
		return classUnseen
	case r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return classPair
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return classTriple
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
		return classWord
	}
	return classNone
}

// prolonged lengthens the vowel of a kana; Unicode counts it to no script.
const prolonged = 'ー'

func kana(r rune) bool {
	return r == prolonged || unicode.In(r, unicode.Hiragana, unicode.Katakana)
}

// voiced returns the bytes of the marks at i that belong to the kana before.
func voiced(text string, i int) int {
	n := 0
	for i+n < len(text) {
		r, size := decode(text, i+n)
		if r != '\u3099' && r != '\u309a' && r != '\uff9e' && r != '\uff9f' {
			break
		}
		n += size
	}
	return n
}

// joins reports whether a character between two words makes one of them.
func joins(b byte) bool {
	return b == '-' || b == '.' || b == '/' || b == '_' || b == '@'
}

// plus returns the bytes behind the letter at start that belong to the name of a language of
// programs: C++, C#.
func plus(text string, start, end int) int {
	if end-start != 1 || end == len(text) || ascii[text[start]&0x7f]&letter == 0 {
		return 0
	}
	n := 0
	switch rest := text[end:]; {
	case rest[0] == '#':
		n = 1
	case len(rest) > 1 && rest[:2] == "++":
		n = 2
	}
	if at := end + n; n == 0 || at < len(text) && (text[at] >= 0x80 || ascii[text[at]]&(letter|digit) != 0) {
		return 0
	}
	return n
}

// possessive returns the bytes of an 's at i.
func possessive(text string, i int) int {
	rest, n := text[i:], 1
	switch {
	case len(rest) > 1 && rest[0] == '\'':
	case len(rest) > 3 && rest[:3] == "’":
		n = 3
	default:
		return 0
	}
	if rest[n] != 's' && rest[n] != 'S' {
		return 0
	}
	n++
	if n < len(rest) {
		if r, _ := decode(rest, n); classOf(r) == classWord {
			return 0
		}
	}
	return n
}

func decode(text string, i int) (rune, int) {
	if b := text[i]; b < 0x80 {
		return rune(b), 1
	}
	return utf8.DecodeRuneInString(text[i:])
}
