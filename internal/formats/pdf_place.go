package formats

import (
	"slices"

	gopdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// pdfBox is where something is: from the left to the right and from the top to the bottom, in points,
// as somebody sees it who holds the paper so that lines go to the right.
type pdfBox struct{ left, top, right, bottom float64 }

// with returns a box around both.
func (b pdfBox) with(o pdfBox) pdfBox {
	return pdfBox{min(b.left, o.left), min(b.top, o.top), max(b.right, o.right), max(b.bottom, o.bottom)}
}

func (b pdfBox) width() float64  { return b.right - b.left }
func (b pdfBox) height() float64 { return b.bottom - b.top }

// beside reports whether two boxes are in one line: by more than half of the lower one.
func (b pdfBox) beside(o pdfBox) bool {
	return 2*(min(b.bottom, o.bottom)-max(b.top, o.top)) > min(b.height(), o.height())
}

// The directions in which lines go on the paper, whichever way it is turned.
const (
	linesRight = iota
	linesDown
	linesLeft
	linesUp
	linesUnknown // of one letter
)

// towards returns in which direction a word goes from its first letter to its last.
func (b pdfBox) towards(last pdfBox) int {
	x, y := last.left+last.right-b.left-b.right, last.top+last.bottom-b.top-b.bottom
	switch {
	case x == 0 && y == 0:
		return linesUnknown
	case x >= max(y, -y):
		return linesRight
	case -x >= max(y, -y):
		return linesLeft
	case y > 0:
		return linesDown
	}
	return linesUp
}

// turned returns where a box is on a paper that is turned so that the lines of a direction go to the
// right.
func (b pdfBox) turned(direction int) pdfBox {
	switch direction {
	case linesDown:
		return pdfBox{b.top, -b.right, b.bottom, -b.left}
	case linesLeft:
		return pdfBox{-b.right, -b.bottom, -b.left, -b.top}
	case linesUp:
		return pdfBox{-b.bottom, b.left, -b.top, b.right}
	}
	return b
}

// pdfGlyphs says where the characters of a page are. Each question is three calls into PDFium, so that
// no character is asked for twice: what finds spaces, lines and words needs many of them again.
type pdfGlyphs struct {
	library gopdfium.Pdfium
	page    references.FPDF_TEXTPAGE
	boxes   []pdfGlyphBox // of the characters of the page
}

// pdfGlyphBox is where a character is.
type pdfGlyphBox struct {
	box          pdfBox
	asked, known bool
}

// of has the glyphs be those of a page with so many characters.
func (g *pdfGlyphs) of(page references.FPDF_TEXTPAGE, count int) {
	g.page, g.boxes = page, slices.Grow(g.boxes[:0], count)[:count]
	clear(g.boxes)
}

// box returns where a character is, with what a line needs above and below it.
func (g *pdfGlyphs) box(index int) (box pdfBox, known bool) {
	b := &g.boxes[index]
	if !b.asked {
		b.asked = true
		b.box, b.known = g.ask(index)
	}
	return b.box, b.known
}

func (g *pdfGlyphs) ask(index int) (box pdfBox, known bool) {
	loose, err := g.library.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: g.page, Index: index})
	if err != nil {
		return box, false
	}
	r := loose.Rect
	box = pdfBox{float64(min(r.Left, r.Right)), -float64(max(r.Top, r.Bottom)), float64(max(r.Left, r.Right)), -float64(min(r.Top, r.Bottom))}
	return box, box.width() >= 0 && box.height() >= 0 // neither of what is no number
}
