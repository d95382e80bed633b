package formats

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// The records of a workbook.
const (
	biffBegins   = 0x0809
	biffEnds     = 0x000A
	biffMore     = 0x003C // continues the record before
	biffPassword = 0x002F
	biffSheet    = 0x0085
	biffStrings  = 0x00FC
	biffFormat   = 0x041E
	biffStyle    = 0x00E0
	biffDates    = 0x0022
	biffPage     = 0x0042
	biffShared   = 0x00FD // a cell with a text that is shared
	biffLabel    = 0x0204
	biffRich     = 0x00D6
	biffNumber   = 0x0203
	biffShort    = 0x027E
	biffShorts   = 0x00BD
	biffFormula  = 0x0006
	biffResult   = 0x0207 // the text that a formula makes
	biffBool     = 0x0205
	biffBox      = 0x01B6 // the text of a box or of a comment

	biffHeader = 4      // bytes
	biff8      = 0x0600 // the version of Excel 97 to 2003
	biff5      = 0x0500
)

const saveAsXLSX = "Open it in Excel or LibreOffice and save it as .xlsx"

// readXLS reads the sheets of a workbook of Excel 5 to 2003 as tables.
func readXLS(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	container, err := openOLE(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	b := biff{page: 1252}
	for name := range container.streams {
		if strings.EqualFold(name, "Workbook") || b.text == nil && strings.EqualFold(name, "Book") {
			b.text = container.stream(name)
		}
	}
	if err := b.globals(); err != nil {
		return corpus.DocumentText{}, err
	}
	for _, sheet := range b.sheets {
		if err := b.sheet(ctx, sheet); err != nil {
			return corpus.DocumentText{}, err
		}
	}
	return corpus.DocumentText{Text: strings.TrimSpace(b.out.String()), Markup: corpus.ContentMarkdown, Warnings: container.cutShort()}, nil
}

// biff is a workbook that is being read.
type biff struct {
	text    []byte
	out     strings.Builder
	version uint16
	page    int // the code page of texts before Excel 97
	dates   numberDates
	sheets  []biffSheetPlace
	shared  []string
	formats map[int]string
	styles  []int // formats of cells
	rows    int   // that were read
}

type biffSheetPlace struct {
	at   int
	name string
}

// biffRecord is a record, with those that continue it.
type biffRecord struct {
	kind  int
	parts [][]byte
}

func (r biffRecord) first() []byte { return r.parts[0] }

// next returns the record at an offset, and where the one after it is; 0 is none.
func (b *biff) next(at int) (r biffRecord, after int) {
	for len(b.text)-at >= biffHeader && at >= 0 {
		kind := int(binary.LittleEndian.Uint16(b.text[at:]))
		if r.parts != nil && kind != biffMore {
			return r, at
		}
		part := slice(b.text, at+biffHeader, int(binary.LittleEndian.Uint16(b.text[at+2:])))
		if r.parts == nil {
			r.kind = kind
		}
		r.parts = append(r.parts, part)
		at += biffHeader + len(part)
	}
	if r.parts == nil {
		return r, 0
	}
	return r, at
}

// globals reads what the sheets share.
func (b *biff) globals() error {
	b.formats = map[int]string{}
	r, at := b.next(0)
	if at == 0 || r.kind != biffBegins || len(r.first()) < 4 {
		return malformed("The workbook is broken or of Excel 4 or older, whose format is not read. %s.", saveAsXLSX)
	}
	b.version = binary.LittleEndian.Uint16(r.first())
	if b.version != biff8 && b.version != biff5 {
		return malformed("The workbook is in a format of Excel that is not read (%#x). %s.", b.version, saveAsXLSX)
	}
	for at > 0 && r.kind != biffEnds {
		if r, at = b.next(at); at == 0 {
			break
		}
		if r.kind == biffPassword {
			return malformed("The workbook is encrypted: remove its password first. %s.", saveAsXLSX)
		}
		b.global(r)
	}
	if len(b.formats) > maxXLSXFormats {
		return malformed("The workbook has %d formats of numbers; at most %d are read. Copy its sheets to a new one.", len(b.formats), maxXLSXFormats)
	}
	return nil
}

// global reads a record that the sheets share.
func (b *biff) global(r biffRecord) {
	t := biffText{parts: r.parts, wideKnown: b.version == biff8, page: b.page}
	switch content := r.first(); r.kind {
	case biffSheet:
		if len(content) >= 8 && content[5] == 0 { // a sheet of cells
			t.skip(6)
			b.sheets = append(b.sheets, biffSheetPlace{int(binary.LittleEndian.Uint32(content)), oneLine(t.text(int(t.byte())))})
		}
	case biffStrings:
		t.skip(8)
		for !t.done() {
			b.shared = append(b.shared, t.rich())
		}
	case biffFormat:
		if len(content) >= 4 {
			t.skip(2)
			n := int(t.short())
			if b.version == biff5 {
				t.at--
				n = int(content[2])
			}
			b.formats[int(binary.LittleEndian.Uint16(content))] = t.text(n)
		}
	case biffStyle:
		if len(content) >= 4 {
			b.styles = append(b.styles, int(binary.LittleEndian.Uint16(content[2:])))
		}
	case biffDates:
		b.dates.from1904 = len(content) > 0 && content[0] == 1
	case biffPage:
		if len(content) >= 2 {
			b.page = int(binary.LittleEndian.Uint16(content))
			if b.page == 0x8000 {
				b.page = pageMac
			}
		}
	}
}

// biffCells is a sheet that is being read.
type biffCells struct {
	table
	row     int
	cells   tableRow
	formula []int // the row and the column whose text follows
	boxes   []string
}

// sheet reads one sheet.
func (b *biff) sheet(ctx context.Context, place biffSheetPlace) error {
	s := biffCells{table: table{text: &b.out, heading: "## " + place.name + "\n\n"}, row: -1}
	r, at := b.next(place.at)
	if at == 0 || r.kind != biffBegins {
		return nil
	}
	for depth := 1; depth > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r, at = b.next(at); at == 0 {
			break
		}
		switch {
		case r.kind == biffBegins: // a chart within the sheet
			depth++
		case r.kind == biffEnds:
			depth--
		case r.kind == biffBox:
			s.boxes = append(s.boxes, b.box(r))
		case depth == 1:
			if err := b.cell(&s, r); err != nil {
				return err
			}
		}
	}
	if err := b.endRow(&s); err != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	for _, text := range s.boxes {
		if text = oneLine(text); text != "" {
			b.out.WriteString(s.heading + text + "\n\n")
			s.heading = ""
		}
	}
	return nil
}

// box returns the text of a box or of a comment.
func (b *biff) box(r biffRecord) string {
	const counts = 12
	if len(r.first()) < counts || len(r.parts) < 2 {
		return ""
	}
	t := biffText{parts: r.parts[1:], wideKnown: b.version == biff8, page: b.page}
	return t.text(int(binary.LittleEndian.Uint16(r.first()[10:])))
}

// cell reads a record that has cells.
func (b *biff) cell(s *biffCells, r biffRecord) error {
	const place = 6 // bytes: row, column, style
	c := r.first()
	if r.kind == biffResult && s.formula != nil {
		t := biffText{parts: r.parts, wideKnown: b.version == biff8, page: b.page}
		err := b.add(s, s.formula[0], s.formula[1], t.text(int(t.short())))
		s.formula = nil
		return err
	}
	if len(c) < place {
		return nil
	}
	row, column, style := int(binary.LittleEndian.Uint16(c)), int(binary.LittleEndian.Uint16(c[2:])), int(binary.LittleEndian.Uint16(c[4:]))
	value := c[place:]
	switch {
	case r.kind == biffShared && len(value) >= 4:
		if n := int(binary.LittleEndian.Uint32(value)); n >= 0 && n < len(b.shared) {
			return b.add(s, row, column, b.shared[n])
		}
	case r.kind == biffLabel || r.kind == biffRich:
		t := biffText{parts: r.parts, wideKnown: b.version == biff8, page: b.page}
		t.skip(place)
		return b.add(s, row, column, t.text(int(t.short())))
	case r.kind == biffNumber && len(value) >= 8:
		return b.add(s, row, column, b.number(math.Float64frombits(binary.LittleEndian.Uint64(value)), style))
	case r.kind == biffShort && len(value) >= 4:
		return b.add(s, row, column, b.number(shortNumber(value), style))
	case r.kind == biffShorts:
		const size = 6
		for list := c[4:]; len(list) >= size+2; list = list[size:] {
			if err := b.add(s, row, column, b.number(shortNumber(list[2:]), int(binary.LittleEndian.Uint16(list)))); err != nil {
				return err
			}
			column++
		}
	case r.kind == biffFormula && len(value) >= 8:
		return b.result(s, row, column, style, value)
	case r.kind == biffBool && len(value) >= 2 && value[1] == 0:
		return b.add(s, row, column, strings.ToUpper(strconv.FormatBool(value[0] != 0)))
	case r.kind == biffBool && len(value) >= 2:
		return b.add(s, row, column, biffErrors[value[0]])
	}
	return nil
}

// result reads what a formula makes.
func (b *biff) result(s *biffCells, row, column, style int, value []byte) error {
	const text, truth, failure, other = 0, 1, 2, 0xFFFF
	switch {
	case binary.LittleEndian.Uint16(value[6:]) != other:
		return b.add(s, row, column, b.number(math.Float64frombits(binary.LittleEndian.Uint64(value)), style))
	case value[0] == text:
		s.formula = []int{row, column}
	case value[0] == truth:
		return b.add(s, row, column, strings.ToUpper(strconv.FormatBool(value[2] != 0)))
	case value[0] == failure:
		return b.add(s, row, column, biffErrors[value[2]])
	}
	return nil
}

// biffErrors are what a cell shows that cannot be computed.
var biffErrors = map[byte]string{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A"}

// shortNumber reads a number of four bytes: an integer or the upper part of another, and
// whether it is a hundred times as much.
func shortNumber(b []byte) float64 {
	bits := binary.LittleEndian.Uint32(b)
	n := math.Float64frombits(uint64(bits&^3) << 32)
	if bits&2 != 0 {
		n = float64(int32(bits) >> 2)
	}
	if bits&1 != 0 {
		n /= 100
	}
	return n
}

// add adds a cell to the row that is open, or to the next one.
func (b *biff) add(s *biffCells, row, column int, text string) error {
	if row != s.row {
		if err := b.endRow(s); err != nil {
			return err
		}
		s.row = row
	}
	if text != "" {
		s.cells.cells = append(s.cells.cells, text)
		s.cells.columns = append(s.cells.columns, column)
	}
	return nil
}

func (b *biff) endRow(s *biffCells) error {
	if len(s.cells.cells) == 0 {
		return nil
	}
	if b.rows++; b.rows > maxXLSXRows {
		return malformed("The workbook has more than %d rows. Split it into smaller ones.", maxXLSXRows)
	}
	r := s.cells
	s.cells = tableRow{}
	return s.table.row(r.cells, r.columns)
}

// number returns what a cell with a number shows.
func (b *biff) number(n float64, style int) string {
	format := 0
	if style < len(b.styles) {
		format = b.styles[style]
	}
	return b.dates.shown(n, format, b.formats[format])
}
