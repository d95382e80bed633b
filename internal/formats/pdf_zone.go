package formats

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

const (
	// zoneRows is how many lines stand beside each other at least before anything is called a table
	// or columns.
	zoneRows = 3
	// columnLines is how many lines a column of running text has at least, columnWords how many words
	// they have on average, and columnFill which part of the column most of them fill.
	columnLines = 4
	columnWords = 4.0
	columnFill  = 0.7
)

// pdfZone is a part of a page, in the order of its content, in which pieces stand beside each other
// with a white band between them from the top to the bottom.
type pdfZone struct {
	from, to int // of the pieces of the page
	pieces   []pdfPiece
	bands    []pdfBand // in the order of reading: what stands left and right of the white
	band     []int     // of each piece
	rows     [][]int   // pieces that stand beside each other, from the top
	leftward bool
	seen     int // pieces that were looked at
}

// pdfBand is from where to where pieces are, in points.
type pdfBand struct{ left, right float64 }

// zoneFrom returns the zone that begins at a piece or soon after it. There is none before to when ok
// is false.
func zoneFrom(pieces []pdfPiece, from int) (z pdfZone, ok bool) {
	const part = 16 // of what it costs to lay out a zone, for finding its end
	to, scanned := zoneEnd(pieces, from)
	z.from, z.to, z.seen = from, to, scanned/part
	if to-from < 2*zoneRows {
		return z, false
	}
	for z.trim(pieces) {
		z.seen += z.to - z.from
	}
	z.seen += z.to - z.from
	z.pieces = pieces[z.from:z.to]
	if len(z.pieces) < 2*zoneRows || len(bandsOf(z.pieces)) < 2 {
		return z, false
	}
	z.lay()
	return z, true
}

// zoneEnd returns before which piece a zone ends that begins at one, and how many it looked at.
func zoneEnd(pieces []pdfPiece, from int) (end, scanned int) {
	const far = 1.5 // heights of a line
	var bands []pdfBand
	hull := pieces[from].box
	end = from
	for i := from; i < len(pieces); i++ {
		p := pieces[i]
		scanned++
		if reach := far * p.box.height(); !p.known || p.box.top > hull.bottom+reach || p.box.bottom < hull.top-reach {
			break
		}
		before := len(bands)
		bands = withBand(bands, p.box)
		if len(bands) < before && (len(bands) < 2 || i-from >= 2*zoneRows) {
			break
		}
		hull = hull.with(p.box)
		if len(bands) > 1 {
			end = i + 1
		}
	}
	return end, scanned
}

// withBand adds where a piece is to bands, which become one where it reaches.
func withBand(bands []pdfBand, box pdfBox) []pdfBand {
	white := cellGap * max(1, box.height()) * 0.9
	add := pdfBand{box.left, box.right}
	if slices.ContainsFunc(bands, func(b pdfBand) bool { return b.left <= add.left && add.right <= b.right }) {
		return bands
	}
	kept := bands[:0:0]
	for _, b := range bands {
		if b.right+white < add.left || add.right+white < b.left {
			kept = append(kept, b)
			continue
		}
		add = pdfBand{min(b.left, add.left), max(b.right, add.right)}
	}
	at, _ := slices.BinarySearchFunc(kept, add, func(a, b pdfBand) int { return cmp.Compare(a.left, b.left) })
	return slices.Insert(kept, at, add)
}

func bandsOf(pieces []pdfPiece) []pdfBand {
	var bands []pdfBand
	for _, p := range pieces {
		bands = withBand(bands, p.box)
	}
	return bands
}

// trim leaves out what stands before the zone and after it in the content, above and below what
// stands beside each other. It reports whether there was any.
func (z *pdfZone) trim(pieces []pdfPiece) bool {
	within := pieces[z.from:z.to]
	bands := bandsOf(within)
	if len(bands) < 2 {
		return false
	}
	tops, bottoms := make([]float64, 0, len(bands)), make([]float64, 0, len(bands))
	for _, b := range bands {
		hull := pdfBox{}
		for _, p := range within {
			if p.box.left >= b.left && p.box.right <= b.right {
				if hull == (pdfBox{}) {
					hull = p.box
				}
				hull = hull.with(p.box)
			}
		}
		tops, bottoms = append(tops, hull.top), append(bottoms, hull.bottom)
	}
	slices.Sort(tops)
	slices.Sort(bottoms)
	top, bottom := tops[1], bottoms[len(bottoms)-2]
	from, to := z.from, z.to
	for z.from < z.to && pieces[z.from].box.bottom <= top {
		z.from++
	}
	for z.from < z.to && pieces[z.to-1].box.top >= bottom {
		z.to--
	}
	return from != z.from || to != z.to
}

// lay finds the bands and the rows of a zone.
func (z *pdfZone) lay() {
	z.bands, z.leftward = bandsOf(z.pieces), mostlyLeftward(z.pieces)
	if z.leftward {
		slices.Reverse(z.bands)
	}
	z.band = make([]int, len(z.pieces))
	order := make([]int, len(z.pieces))
	for i, p := range z.pieces {
		order[i] = i
		z.band[i] = slices.IndexFunc(z.bands, func(b pdfBand) bool { return p.box.left >= b.left && p.box.right <= b.right })
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(z.pieces[a].box.top, z.pieces[b].box.top) })
	for _, i := range order {
		if n := len(z.rows); n > 0 && z.pieces[z.rows[n-1][0]].box.beside(z.pieces[i].box) {
			z.rows[n-1] = append(z.rows[n-1], i)
			continue
		}
		z.rows = append(z.rows, []int{i})
	}
	for _, row := range z.rows {
		z.sortRow(row)
	}
}

// sortRow sorts pieces that stand beside each other.
func (z *pdfZone) sortRow(row []int) {
	slices.SortStableFunc(row, func(a, b int) int {
		if z.leftward {
			return cmp.Compare(z.pieces[b].box.right, z.pieces[a].box.right)
		}
		return cmp.Compare(z.pieces[a].box.left, z.pieces[b].box.left)
	})
}

// mostlyLeftward reports whether most letters are of a script that reads from the right.
func mostlyLeftward(pieces []pdfPiece) bool {
	left, all := 0, 0
	for _, p := range pieces {
		for _, r := range p.text {
			if unicode.IsLetter(r) {
				all++
				if isLeftward(r) {
					left++
				}
			}
		}
	}
	return 2*left > all
}

// filled counts the bands that a row has something in.
func (z *pdfZone) filled(row []int) int {
	seen := map[int]bool{}
	for _, i := range row {
		seen[z.band[i]] = true
	}
	return len(seen)
}

// acrossColumns reports running text in columns whose content goes across them.
func (z *pdfZone) acrossColumns() bool {
	switches, rising := 0, 0
	for i := 1; i < len(z.pieces); i++ {
		if z.band[i] != z.band[i-1] {
			switches++
		}
		if z.pieces[i].box.bottom < z.pieces[i-1].box.top {
			rising++
		}
	}
	return 2*switches >= len(z.pieces)-1 && rising == 0 && z.prose()
}

// prose reports whether all bands are columns of running text.
func (z *pdfZone) prose() bool {
	for b := range z.bands {
		if !z.proseBand(b) {
			return false
		}
	}
	return true
}

// proseBand reports whether a band is a column of running text: its lines fill it, and some begin
// within a sentence.
func (z *pdfZone) proseBand(band int) bool {
	lines, words, wide, within := 0, 0, 0, 0
	for i, p := range z.pieces {
		if z.band[i] != band {
			continue
		}
		lines++
		words += p.words()
		if p.box.width() >= columnFill*(z.bands[band].right-z.bands[band].left) {
			wide++
		}
		if r := firstRune(p.text); unicode.IsLetter(r) && !unicode.IsUpper(r) {
			within++
		}
	}
	return lines >= columnLines && float64(words) >= columnWords*float64(lines) && 2*wide > lines && 3*within >= lines
}

// column returns the cells of a band.
func (z *pdfZone) column(band int) (cells []string) {
	for _, row := range z.rows {
		for _, i := range row {
			if z.band[i] == band {
				cells = append(cells, strings.TrimSpace(z.pieces[i].text))
			}
		}
	}
	return cells
}
