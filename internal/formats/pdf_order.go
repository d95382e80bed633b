package formats

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pdfText is the text of a page as it is put together.
type pdfText struct {
	text    strings.Builder
	running strings.Builder // lines that are not written yet, with the marks of PDFium
	line    int             // of the content, of the last piece
	changed bool
}

// maxZones is how many zones of a page are looked at, of as many pieces as a page may have.
const maxZones = 10

// inOrder returns the text of the pieces of a page in the order of reading: from the top, a table row
// by row and columns of running text one after the other, where the content goes another way.
// Everything else has the order of the content, and changed is false when all has. No piece is lost
// or comes twice.
func inOrder(pieces []pdfPiece) (text string, changed bool) {
	t := pdfText{line: -1}
	pieces, t.changed = fromTheTop(pieces)
	seen := 0 // pieces of zones, which may begin at each piece
	for i := 0; i < len(pieces); {
		z, ok := pdfZone{}, false
		if seen < maxZones*maxPieces {
			z, ok = zoneFrom(pieces, i)
			seen += z.seen
		}
		if !ok {
			t.piece(pieces[i])
			i++
			continue
		}
		for ; i < z.from; i++ {
			t.piece(pieces[i])
		}
		switch {
		case z.acrossColumns():
			t.columns(&z)
		case z.table() && (!z.downColumns() || !z.list()):
			t.rows(&z)
		default: // a zone may begin behind the first piece of this one
			t.piece(pieces[i])
			i++
			continue
		}
		i, t.changed = z.to, true
	}
	t.flush()
	return t.text.String(), t.changed
}

// piece writes a piece behind the one before it, in its line if it was there.
func (t *pdfText) piece(p pdfPiece) {
	if t.running.Len() > 0 {
		if p.line == t.line {
			t.running.WriteByte(' ')
		} else {
			t.running.WriteString("\r\n")
		}
	}
	t.line = p.line
	t.running.WriteString(p.text)
}

// columns writes columns of running text one after the other.
func (t *pdfText) columns(z *pdfZone) {
	t.flush()
	for band := range z.bands {
		last := ""
		for i, p := range z.pieces {
			if z.band[i] != band {
				continue
			}
			if last != "" {
				t.running.WriteString(hyphenated(last, p.text) + "\r\n")
			}
			last = p.text
		}
		t.running.WriteString(last + "\r\n")
	}
	t.flush()
}

// hyphenated returns a line of a column, with the mark for a word that goes on in the next line,
// which PDFium sets only at the end of what it takes for a line.
func hyphenated(line, next string) string {
	word, ok := strings.CutSuffix(line, "-")
	before, _ := utf8.DecodeLastRuneInString(word)
	after, _ := utf8.DecodeRuneInString(next)
	if ok && unicode.IsLetter(before) && unicode.IsLower(after) {
		return word + "\u0002"
	}
	return line
}

// rows writes a table, each row as a line with its cells as the other readers separate them. The
// names of columns are not repeated: a page does not say which row has them. A table whose content
// goes row by row keeps its order, and cells of several lines go on behind their first.
func (t *pdfText) rows(z *pdfZone) {
	t.flush()
	down := z.downColumns()
	order := slices.Concat(z.rows...)
	if !down {
		order = z.byContent()
	}
	for n, i := range order {
		if n > 0 {
			t.text.WriteString(z.between(order[n-1], i, down))
		}
		t.text.WriteString(logical(cleanPage(z.pieces[i].text)))
	}
	t.text.WriteByte('\n')
	t.line = -1
}

// byContent returns the pieces in the order of the content, but for those of a row that come one after
// the other: these stand in the row's order.
func (z *pdfZone) byContent() (order []int) {
	for from := 0; from < len(z.pieces); {
		to := from
		for to < len(z.pieces) && (to == from || z.pieces[to].box.beside(z.pieces[from].box)) {
			order = append(order, to)
			to++
		}
		z.sortRow(order[from:])
		from = to
	}
	return order
}

// between returns what stands between two pieces of a table, one of which is written behind the other.
func (z *pdfZone) between(before, piece int, down bool) string {
	a, b := z.pieces[before], z.pieces[piece]
	const near = 0.5 // of a height, between the lines of a cell
	switch {
	case a.line == b.line || a.box.beside(b.box):
		if strings.HasSuffix(a.text, ":") {
			return " "
		}
		return "; "
	case !down && z.band[before] == z.band[piece] && z.band[piece] > 0 && b.box.top-a.box.bottom < near*b.box.height():
		return " "
	}
	return "\n"
}

// flush writes the lines that wait, each in its order.
func (t *pdfText) flush() {
	if t.running.Len() == 0 {
		return
	}
	text := logical(cleanPage(t.running.String()))
	t.text.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	t.running.Reset()
	t.line = -1
}
