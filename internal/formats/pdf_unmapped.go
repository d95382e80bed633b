package formats

import "unicode"

// leastUnmapped is how many characters a page has at least that are none, if it is taken for a picture.
const leastUnmapped = 8

// unmapped reports whether what PDFium says of a page is no text: the font of most of it shows shapes
// and does not say which letters they are, so that their numbers come out as control characters, as
// private ones, or as ones that nobody has assigned. Who looks at the page reads it, and OCR does.
// Numbers that happen to be those of letters cannot be told from words; a formula's signs among words
// are not most of a page.
func unmapped(text string) bool {
	seen, none := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsSpace(r), r == '\u0002', r == '\uFFFE': // the last two mark hyphens
		case r == unicode.ReplacementChar, !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			seen, none = seen+1, none+1
		default:
			seen++
		}
	}
	return none >= leastUnmapped && 2*none >= seen
}
