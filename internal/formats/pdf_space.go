package formats

import (
	"slices"
	"unicode"
)

const (
	// wordGap is from which part of the height of a line on letters are two words, where the content
	// has no space between them: that is less than half of a space of most fonts, and more than
	// letters are moved from each other by those who set them.
	wordGap = 0.1
	// joinGap is up to which part of a height two parts of a line are one word.
	joinGap = 0.05
	// sameLine is up to which part of a height letters of a line are higher or lower than others.
	sameLine = 0.08
	// spacePages is how many pages of a document are looked into for spaces, and spaceEvery which
	// page after them, while none lacks any: a program makes the same fault on most pages.
	spacePages, spaceEvery = 10, 16
)

// pdfSpaces finds the spaces that PDFium does not see: it compares gaps with the width of the space of a
// font, and lines that are set tight, or with letters of two fonts, have less.
type pdfSpaces struct {
	looked, found int // pages
}

// asks reports whether a page is to be looked into: each of its characters is asked for then.
func (s *pdfSpaces) asks() bool {
	return s.found > 0 || s.looked < spacePages || s.looked%spaceEvery == 0
}

// spaced returns the text of a page with the spaces between words that it lacks and without ends of
// lines within words, and where each of its characters is in the text as it was; -1 for a space.
func (s *pdfSpaces) spaced(text []rune, box func(index int) (pdfBox, bool)) (spaced []rune, at []int) {
	if !s.asks() {
		s.looked++
		return text, nil
	}
	s.looked++
	edit := map[int]rune{} // behind the character at an index: a space, or nothing instead of an end of a line
	end := pdfGlyph{}      // the last character of the line before
	for _, l := range linesOf(text) {
		glyphs := glyphsOf(text, l, box)
		if len(glyphs) == 0 {
			end = pdfGlyph{}
			continue
		}
		if end.known && end.goesOn(glyphs[0], text) {
			edit[end.index] = 0
		}
		for _, i := range lackSpaces(glyphs, text) {
			edit[i] = ' '
		}
		for i := 1; i < len(glyphs); i++ {
			if glyphs[i].index == glyphs[i-1].index+1 && glyphs[i-1].far(glyphs[i]) {
				edit[glyphs[i-1].index] = ' '
			}
		}
		end = glyphs[len(glyphs)-1]
	}
	if len(edit) == 0 {
		return text, nil
	}
	s.found++
	for i := 0; i < len(text); i++ {
		spaced, at = append(spaced, text[i]), append(at, i)
		switch r, ok := edit[i]; {
		case ok && r == ' ':
			spaced, at = append(spaced, r), append(at, -1)
		case ok:
			for i+1 < len(text) && (text[i+1] == '\r' || text[i+1] == '\n') {
				i++
			}
		}
	}
	return spaced, at
}

// pdfGlyph is a character of a line.
type pdfGlyph struct {
	index int
	box   pdfBox
	known bool
}

// glyphsOf returns the characters of a line.
func glyphsOf(text []rune, l pdfLine, box func(index int) (pdfBox, bool)) (glyphs []pdfGlyph) {
	for i := l.from; i < l.to; i++ {
		if unicode.IsSpace(text[i]) || isHyphenMark(text[i]) {
			continue
		}
		g := pdfGlyph{index: i}
		g.box, g.known = box(i)
		glyphs = append(glyphs, g)
	}
	return glyphs
}

// gap returns how far the next character is, in heights of the line. It is not known of what does not
// stand in a line that reads from the left, or is raised.
func (g pdfGlyph) gap(next pdfGlyph) (gap float64, ok bool) {
	height := min(g.box.height(), next.box.height())
	if !g.known || !next.known || height <= 0 || next.box.left < g.box.left || max(g.box.bottom-next.box.bottom, next.box.bottom-g.box.bottom) > sameLine*height {
		return 0, false
	}
	return (next.box.left - g.box.right) / height, true
}

// far reports whether the next character stands elsewhere: some lines above or below, or to the left of
// where a word would be that is turned round.
func (g pdfGlyph) far(next pdfGlyph) bool {
	const lines, letters = 1.5, 3
	size := max(g.box.height(), g.box.width(), next.box.height(), next.box.width()) // whichever way the letters stand
	if !g.known || !next.known || size <= 0 {
		return false
	}
	up, left := max(g.box.bottom-next.box.bottom, next.box.bottom-g.box.bottom), g.box.left-next.box.right
	return up > lines*size || left > letters*size
}

// goesOn reports whether a word goes on from the end of a line with the first character of the next
// one, which stands beside it.
func (g pdfGlyph) goesOn(next pdfGlyph, text []rune) bool {
	gap, ok := g.gap(next)
	return ok && gap > -joinGap && gap < joinGap && isSpacedLetter(text[g.index]) && isSpacedLetter(text[next.index])
}

// lackSpaces returns behind which characters of a line a space is missing: those that are further from
// the next than most are.
func lackSpaces(glyphs []pdfGlyph, text []rune) (behind []int) {
	var gaps []float64
	for i := 1; i < len(glyphs); i++ {
		if gap, ok := glyphs[i-1].gap(glyphs[i]); ok && glyphs[i].index == glyphs[i-1].index+1 {
			gaps = append(gaps, gap)
		}
	}
	const least, share = 4, 3
	if len(gaps) < least {
		return nil
	}
	slices.Sort(gaps)
	usual := gaps[len(gaps)/2]
	if usual < -wordGap/2 || usual > wordGap/2 { // its letters stand apart, or the font does not say how wide they are
		return nil
	}
	for i := 1; i < len(glyphs); i++ {
		before, g := glyphs[i-1], glyphs[i]
		if g.index != before.index+1 || !isSpacedLetter(text[before.index]) || !isSpacedLetter(text[g.index]) {
			continue
		}
		if gap, ok := before.gap(g); ok && gap-usual > wordGap {
			behind = append(behind, before.index)
		}
	}
	if share*len(behind) > len(gaps) {
		return nil
	}
	return behind
}

// isSpacedLetter reports a letter of an alphabet whose words have spaces between them.
func isSpacedLetter(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian)
}

// boxAt returns where the characters of a text are that was made of another one; at says of which
// characters, and is nil when it is the same.
func boxAt(box func(index int) (pdfBox, bool), at []int) func(index int) (pdfBox, bool) {
	if at == nil {
		return box
	}
	return func(index int) (pdfBox, bool) {
		if at[index] < 0 {
			return pdfBox{}, false
		}
		return box(at[index])
	}
}
