package formats

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxOrdered is how many characters of a page are put in order, and maxPieces in how many pieces.
	maxOrdered = 50_000
	maxPieces  = 2000
	// cellGap is how far pieces of a line are from each other, in heights of the line: words of a
	// line that fills its column are seldom so far.
	cellGap = 1.0
	// listingSpaces are more spaces than stand between cells: a listing is set with them.
	listingSpaces = 3
)

// pdfPiece is a part of a line of a page that stands together.
type pdfPiece struct {
	text  string
	line  int // of the content
	box   pdfBox
	known bool // where it is
}

// words counts the words of a piece.
func (p pdfPiece) words() int { return len(strings.Fields(p.text)) }

// hyphened reports whether a word of a piece goes on in the next line, as PDFium says it.
func (p pdfPiece) hyphened() bool {
	r, _ := utf8.DecodeLastRuneInString(p.text)
	return isHyphenMark(r)
}

func isHyphenMark(r rune) bool { return r == '\u0002' || r == '\uFFFE' }

// lineWord is a word of a line: from where to where it is in the text of a page.
type lineWord struct {
	from, to int
	spaces   int // before it
	box      pdfBox
	known    bool
	goes     int // the direction of its letters
}

// piecesOf cuts the lines of a page where they have gaps, in the order of the content. Those that go
// another way than most have no place. Of a page that plainly goes down line by line there are none.
func piecesOf(text []rune, box func(index int) (pdfBox, bool)) []pdfPiece {
	lines := linesOf(text)
	if goesDown(text, lines, box) {
		return nil
	}
	words := make([][]lineWord, 0, len(lines))
	for _, l := range lines {
		if l.words == nil {
			l.words = wordsOfLine(text, l.from, l.to, box)
		}
		words = append(words, l.words)
	}
	direction := mostGo(words...)
	if direction == linesUnknown {
		direction = linesRight
	}
	var pieces []pdfPiece
	for i := range words {
		pieces = append(pieces, cutLine(text, words[i], direction, i)...)
	}
	return pieces
}

// pdfLine is a line of the content, from its first character to behind its last, neither of which is
// a blank.
type pdfLine struct {
	from, to int
	words    []lineWord // nil while nobody has asked for them
}

// linesOf returns the lines of a page that hold something. A word that goes on in the next line ends
// its own, also where PDFium writes none.
func linesOf(text []rune) (lines []pdfLine) {
	for from := 0; from < len(text); {
		to, l := from, pdfLine{from: -1}
		for to < len(text) && text[to] != '\r' && text[to] != '\n' && (to == from || !isHyphenMark(text[to-1])) {
			if to++; !unicode.IsSpace(text[to-1]) {
				if l.to = to; l.from < 0 {
					l.from = to - 1
				}
			}
		}
		if l.from >= 0 {
			lines = append(lines, l)
		}
		for from = to; from < len(text) && (text[from] == '\r' || text[from] == '\n'); from++ {
		}
	}
	return lines
}

// goesDown reports whether each line of a page is below the one before it and none has a gap, as far
// as it asks: for the words of every third line, of which a table and columns have one, and for the
// ends of the others. It saves most of the calls.
func goesDown(text []rune, lines []pdfLine, box func(index int) (pdfBox, bool)) bool {
	var before pdfBox
	for i := range lines {
		l := &lines[i]
		at, known := box(l.from)
		if last, ok := box(l.to - 1); ok && known {
			at = at.with(last)
		}
		if !known || i > 0 && (at.beside(before) || at.bottom <= before.top) {
			return false
		}
		if before = at; i%zoneRows != 0 {
			continue
		}
		l.words = wordsOfLine(text, l.from, l.to, box)
		if len(cutLine(text, l.words, linesRight, i)) > 1 {
			return false
		}
	}
	return true
}

// wordsOfLine returns the words between two offsets. The ends of a word say where it is, whichever
// way it reads.
func wordsOfLine(text []rune, from, to int, box func(index int) (pdfBox, bool)) (words []lineWord) {
	for i := from; i < to; {
		w := lineWord{from: i}
		for w.from < to && unicode.IsSpace(text[w.from]) {
			w.from++
		}
		w.spaces = w.from - i
		for w.to = w.from; w.to < to && !unicode.IsSpace(text[w.to]); w.to++ {
		}
		if i = w.to; w.from == w.to {
			break
		}
		end := w.to - 1
		if isHyphenMark(text[end]) && end > w.from {
			end--
		}
		w.box, w.known = box(w.from)
		if last, known := box(end); known && w.known {
			w.goes = w.box.towards(last)
			if w.goes != linesUnknown && isLeftward(text[w.from]) { // PDFium has turned its letters round
				w.goes = (w.goes + 2) % linesUnknown
			}
			w.box = w.box.with(last)
		}
		words = append(words, w)
	}
	return words
}

// mostGo returns in which direction most words go.
func mostGo(lines ...[]lineWord) int {
	var words [linesUnknown + 1]int
	for _, line := range lines {
		for _, w := range line {
			if w.known {
				words[w.goes]++
			}
		}
	}
	most := linesUnknown
	for d, n := range words[:linesUnknown] {
		if n > 0 && (most == linesUnknown || n > words[most]) {
			most = d
		}
	}
	return most
}

// cutLine cuts a line into pieces.
func cutLine(text []rune, words []lineWord, direction, line int) (pieces []pdfPiece) {
	goes := mostGo(words)
	known := goes == direction || goes == linesUnknown
	for i, w := range words {
		p := pdfPiece{text: string(text[w.from:w.to]), line: line, box: w.box.turned(direction), known: known && w.known}
		if i > 0 {
			last := &pieces[len(pieces)-1]
			if !known || last.known == p.known && (w.spaces >= listingSpaces || !apart(last.box, p.box)) {
				last.text += string(text[words[i-1].to:w.to])
				last.box = last.box.with(p.box)
				continue
			}
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// apart reports whether a word is not the next in a line: it is far from what stands before it, or
// before that.
func apart(before, word pdfBox) bool {
	gap := cellGap * max(1, min(before.height(), word.height()))
	return word.left-before.right > gap || word.right < before.left-gap || !before.beside(word)
}
