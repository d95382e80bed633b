package formats

import (
	"slices"
	"strings"
	"unicode"
)

// goesDown reports whether each line of a page is below the one before it and none has a gap, as far
// as it asks: for where the words begin of every third line, of which a table and columns have one, and
// for the first character of the others. It saves most of the calls.
func goesDown(text []rune, lines []pdfLine, box func(index int) (pdfBox, bool)) bool {
	var before pdfBox
	for i, l := range lines {
		at, known := box(l.from)
		if !known || i > 0 && (at.beside(before) || at.bottom <= before.top) {
			return false
		}
		if before = at; i%zoneRows == 0 && mayHaveGap(text[:l.to], l.from, at, box) {
			return false
		}
	}
	return true
}

// mayHaveGap reports whether the words of a line that ends with the text begin further from each other
// than they are wide: by what letters are wide in most fonts, and by how far most words are.
func mayHaveGap(text []rune, from int, first pdfBox, box func(index int) (pdfBox, bool)) bool {
	const stretched, gap = 1.1, 0.4 // of a word, and of the height of a line
	var steps, widths, each []float64
	last, width := first.left, 0.0
	for i := from; i < len(text); i++ {
		if isLeftward(text[i]) { // PDFium has turned its words round
			return true
		}
		if i > from && unicode.IsSpace(text[i-1]) && !unicode.IsSpace(text[i]) {
			at, known := box(i)
			if !known || !at.beside(first) {
				return true
			}
			steps, widths, each = append(steps, at.left-last), append(widths, width), append(each, (at.left-last)/width)
			last, width = at.left, 0
		}
		width += usualWidth(text[i])
	}
	slices.Sort(each)
	for i, step := range steps {
		usual := min(each[len(each)/2], first.height())
		if step < 0 || step > stretched*usual*widths[i]+gap*first.height() {
			return true
		}
	}
	return false
}

// usualWidth returns about how wide a character is, in the size of its font.
func usualWidth(r rune) float64 {
	const narrow, letter, digit, capital, wide, full = 0.28, 0.52, 0.56, 0.68, 0.85, 1.0
	const ideographs = 0x2e80
	switch {
	case strings.ContainsRune(" iljtfrI.,:;'|!()[]", r):
		return narrow
	case strings.ContainsRune("mwMW@%—", r):
		return wide
	case unicode.IsDigit(r):
		return digit
	case unicode.IsUpper(r):
		return capital
	case r >= ideographs:
		return full
	}
	return letter
}
