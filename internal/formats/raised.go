package formats

import (
	"unicode"
	"unicode/utf8"
)

// raises reports whether a raised text needs a sign before it: it begins with a digit, and stands
// behind a letter or a digit. Without one 10 to the power of 9 is 109, and the number of a note is a
// part of the word before it.
func raises(before, text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsDigit(first) && (unicode.IsDigit(last) || unicode.IsLetter(last))
}
