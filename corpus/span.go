package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a half-open range of byte offsets. text[Start:End] is what it marks.
type Span struct {
	Start int `json:"start_byte"`
	End   int `json:"end_byte"`
}

// Whole reports whether a span of a text begins and ends where words do: 18 is no word of 1870.
func (s Span) Whole(text string) bool {
	first, _ := utf8.DecodeRuneInString(text[s.Start:s.End])
	last, _ := utf8.DecodeLastRuneInString(text[s.Start:s.End])
	before, _ := utf8.DecodeLastRuneInString(text[:s.Start])
	after, _ := utf8.DecodeRuneInString(text[s.End:])
	return !(ofWord(first) && ofWord(before)) && !(ofWord(last) && ofWord(after))
}

// HasWords reports whether a text has these words, and not only as a part of longer ones.
func HasWords(text, words string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return false
		}
		start := from + at
		if (Span{start, start + len(words)}).Whole(text) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

// ofWord reports a letter or digit of a script that puts spaces between words.
func ofWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_') &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
