package formats

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// cellWords is how many words most cells of a column have at most, but for one column.
	cellWords = 5
	// columnRows is how many rows a table has at most, all of words, whose content goes column after
	// column: a longer one may be a list that is set in columns.
	columnRows = 12
)

// table reports whether a zone is a table, each row of which is one line: the pieces that stand
// beside each other are the cells of a row. Of a table whose cells have several lines nobody knows
// where a row ends.
func (z *pdfZone) table() bool {
	full, within, fill := 0, 0, 0
	for _, row := range z.rows {
		if n := z.filled(row); n > 1 {
			full, within, fill = full+1, within+len(row), fill+n
		}
	}
	const most, half = 0.9, 0.6
	if full < zoneRows || float64(within) < most*float64(len(z.pieces)) || float64(fill) < half*float64(full*len(z.bands)) {
		return false
	}
	long := 0
	for b := range z.bands {
		cells := z.column(b)
		if isMarks(cells) || b == 0 && areSections(cells) {
			return false
		}
		if middleWords(cells) > cellWords {
			long++
		}
	}
	return long <= 1 && !z.listing() && !z.led() && !slices.ContainsFunc(z.pieces, pdfPiece.hyphened) && !z.prose()
}

// downColumns reports whether the content of a zone goes column after column.
func (z *pdfZone) downColumns() bool {
	for i := 1; i < len(z.pieces); i++ {
		if z.band[i] < z.band[i-1] || z.band[i] == z.band[i-1] && z.pieces[i].box.top < z.pieces[i-1].box.top && !z.pieces[i].box.beside(z.pieces[i-1].box) {
			return false
		}
	}
	return true
}

// list reports whether a table whose content goes column after column may be something else: a list
// that is set in columns has as many words in each and no numbers alone.
func (z *pdfZone) list() bool {
	for b := range z.bands {
		numbers, cells := 0, z.column(b)
		for _, cell := range cells {
			if kind := kindOf(cell); kind == cellNumber || kind == cellDate {
				numbers++
			}
		}
		if 3*numbers >= 2*len(cells) {
			return false
		}
	}
	const columns = 3
	if len(z.bands) < columns || len(z.rows) > columnRows {
		return true
	}
	return slices.ContainsFunc(z.rows, func(row []int) bool { return len(row) != len(z.bands) })
}

// listing reports a zone in a font whose letters are all as wide: a listing, which has its blanks from
// who wrote it. Digits are as wide as each other in any font.
func (z *pdfZone) listing() bool {
	const alike, least = 1.03, 3
	narrow, wide, n := math.Inf(1), 0.0, 0
	for _, p := range z.pieces {
		if runes := utf8.RuneCountInString(p.text); runes >= least && !strings.ContainsFunc(p.text, unicode.IsDigit) {
			narrow, wide = min(narrow, p.box.width()/float64(runes)), max(wide, p.box.width()/float64(runes))
			n++
		}
	}
	return n >= least && wide < alike*narrow
}

// isMarks reports a column of bullets or of the numbers of items.
func isMarks(cells []string) bool {
	marks := 0
	for _, cell := range cells {
		mark := strings.TrimFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		const short = 3 // "(iv" has three
		if mark == "" || mark != cell && len(mark) <= short {
			marks++
		}
	}
	return 2*marks > len(cells)
}

// areSections reports a column of the numbers of sections: 6.2.1, or A.3.
func areSections(cells []string) bool {
	sections := 0
	for _, cell := range cells {
		parts, ok := strings.Split(strings.TrimSuffix(cell, "."), "."), true
		for i, part := range parts {
			number := part != "" && strings.Trim(part, "0123456789") == ""
			ok = ok && (number || i == 0 && len(part) == 1)
		}
		if ok && len(parts) > 1 {
			sections++
		}
	}
	return 2*sections > len(cells)
}

// led reports rows with dots that lead to the number of a page, as in a table of contents.
func (z *pdfZone) led() bool {
	led := 0
	for _, row := range z.rows {
		var text strings.Builder
		for _, i := range row {
			text.WriteString(strings.ReplaceAll(z.pieces[i].text, " ", ""))
		}
		if strings.Contains(text.String(), ".....") {
			led++
		}
	}
	return 2*led > len(z.rows)
}

// middleWords returns how many words the middle one of cells has.
func middleWords(cells []string) int {
	counts := make([]int, len(cells))
	for i, cell := range cells {
		counts[i] = len(strings.Fields(cell))
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}
