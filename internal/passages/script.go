package passages

import (
	"unicode"
	"unicode/utf8"
)

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
