package formats

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pdfRun is a part of the content of a page that goes down the page.
type pdfRun struct {
	pieces []pdfPiece
	hull   pdfBox
	known  bool
}

// fromTheTop puts what stands above all of something before it, where the content has it behind: the
// text of a page whose footnotes, or whose footer, were written first. What stands beside something
// else keeps its order, and so does what would come into a sentence. It reports whether anything moved.
func fromTheTop(pieces []pdfPiece) (sorted []pdfPiece, moved bool) {
	runs := runsOf(pieces)
	for i := range runs {
		to := i
		for to > 0 && runs[i].above(runs[to-1]) {
			to--
		}
		for to < i && to > 0 && runs[to-1].goesOn(runs[to]) {
			to++
		}
		if to < i {
			run := runs[i]
			copy(runs[to+1:i+1], runs[to:i])
			runs[to], moved = run, true
		}
	}
	if !moved {
		return pieces, false
	}
	sorted = make([]pdfPiece, 0, len(pieces))
	for _, r := range runs {
		sorted = append(sorted, r.pieces...)
	}
	return sorted, true
}

// runsOf cuts the content where it goes up the page. A word that goes on in the next line is not
// parted from it.
func runsOf(pieces []pdfPiece) (runs []pdfRun) {
	for i, p := range pieces {
		if n := len(runs); n > 0 {
			last := pieces[i-1]
			if last.hyphened() || last.line == p.line || last.known && p.known && p.box.bottom > last.box.top {
				r := &runs[n-1]
				r.pieces, r.hull, r.known = pieces[i-len(r.pieces):i+1], r.hull.with(p.box), r.known && p.known
				continue
			}
		}
		runs = append(runs, pdfRun{pieces[i : i+1], p.box, p.known})
	}
	return runs
}

// above reports whether a run stands above another, and over it.
func (r pdfRun) above(o pdfRun) bool {
	over := min(r.hull.right, o.hull.right) - max(r.hull.left, o.hull.left)
	const part = 0.1
	return r.known && o.known && r.hull.bottom <= o.hull.top && over > part*min(r.hull.width(), o.hull.width())
}

// goesOn reports whether a sentence goes on from a run to the next.
func (r pdfRun) goesOn(next pdfRun) bool {
	before := strings.TrimSpace(r.pieces[len(r.pieces)-1].text)
	last, _ := utf8.DecodeLastRuneInString(before)
	first := firstRune(strings.TrimSpace(next.pieces[0].text))
	return (unicode.IsLetter(last) || slices.Contains([]rune(",;-\u0002\uFFFE"), last)) && unicode.IsLower(first)
}
