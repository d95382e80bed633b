package formats

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/kappagraph/kappa/corpus"
)

const (
	// fibWord6 is the version of the format of Word 6, and fibWord97 that from Word 97 on.
	fibWord6  = 101
	fibWord97 = 0xC1
	saveAsNew = "Open it in Word or LibreOffice and save it as .docx"
)

// readDOC makes Markdown of a document of Word 6 to 2003: its text with its tables, and its
// notes, comments and text boxes after it.
func readDOC(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	container, err := openOLE(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	main := container.stream("WordDocument")
	d := msdoc{main: main}
	if err := d.open(container); err != nil {
		return corpus.DocumentText{}, err
	}
	text := corpus.DocumentText{Markup: corpus.ContentMarkdown, Warnings: container.cutShort()}
	text.Text, err = d.read(ctx)
	return d.margins.after(text), err
}

// msdoc is a document of Word that is being read.
type msdoc struct {
	main, table []byte
	pieces      []docPiece
	page        int // the code page of what is not in UTF-16
	counts      int // where in the file information block the counts of characters are
	margins     pageMargins
}

// docPiece is a piece of the text: characters from one to another, which are in main.
type docPiece struct {
	from, to int
	at       int  // in main, in bytes
	wide     bool // UTF-16, not Windows-1252
}

// The places of the file information block.
const (
	fibLanguage   = 0x06
	fibFlags      = 0x0A
	fibMachine    = 0x12
	fibCounts     = 0x4C // of characters: main, footnotes, headers, macros, comments, endnotes, text boxes, those in headers
	fibPairs      = 0x9A // offsets and lengths in table
	fibPapx       = 13
	fibClx        = 33
	fibLeast      = fibPairs + 8*(fibClx+1)
	fibOldText    = 0x18 // of Word 6 and 95: where the text begins and ends in main
	fibOldCounts  = 0x34
	fibOldClx     = 0x160
	flagComplex   = 0x0004
	flagEncrypted = 0x0100
	flagTable1    = 0x0200
)

// open reads where the text is.
func (d *msdoc) open(container *ole) error {
	if len(d.main) < fibLeast {
		return malformed("The document is broken: its text is cut short. %s.", saveAsNew)
	}
	version, flags := binary.LittleEndian.Uint16(d.main[2:]), binary.LittleEndian.Uint16(d.main[fibFlags:])
	switch {
	case flags&flagEncrypted != 0:
		return malformed("The document is encrypted: remove its password first. %s.", saveAsNew)
	case version < fibWord6:
		return malformed("The document is of Word 2 or older, whose format is not read. %s.", saveAsNew)
	case version < fibWord97:
		return d.openOld(flags&flagComplex != 0)
	}
	d.counts, d.page = fibCounts, 1252
	name := "0Table"
	if flags&flagTable1 != 0 {
		name = "1Table"
	}
	d.table = container.stream(name)
	if d.pieces = d.piecesOf(d.pair(fibClx)); len(d.pieces) == 0 {
		return malformed("The document is broken: where its text is cannot be found. %s.", saveAsNew)
	}
	return nil
}

// openOld reads where the text of Word 6 and 95 is: in one place, or in the pieces that it was
// saved in. It is in a code page, and what the pieces refer to is in main, too.
func (d *msdoc) openOld(inPieces bool) error {
	d.counts, d.page = fibOldCounts, pageOfLanguage(d.main[fibLanguage])
	if d.main[fibMachine] == 1 {
		d.page = pageMac
	}
	from, to := int(le32(d.main[fibOldText:])), int(le32(d.main[fibOldText+4:]))
	d.pieces = []docPiece{{to: min(max(to-from, 0), len(d.main)), at: from}}
	if !inPieces {
		return nil
	}
	d.pieces = d.piecesOf(slice(d.main, int(le32(d.main[fibOldClx:])), int(le32(d.main[fibOldClx+4:]))))
	for i := range d.pieces {
		if p := &d.pieces[i]; p.wide { // as Word 97 would see it
			p.wide = false
		} else {
			p.at *= 2
		}
	}
	if len(d.pieces) == 0 {
		return malformed("The document is broken: where its text is cannot be found. %s.", saveAsNew)
	}
	return nil
}

// pair returns a part of the table stream that the file information block refers to.
func (d *msdoc) pair(n int) []byte {
	at := fibPairs + 8*n
	if len(d.main) < at+8 {
		return nil
	}
	return slice(d.table, int(binary.LittleEndian.Uint32(d.main[at:])), int(binary.LittleEndian.Uint32(d.main[at+4:])))
}

// slice returns n bytes from an offset on, or what there is of them.
func slice(b []byte, at, n int) []byte {
	if at < 0 || n < 0 || at > len(b) {
		return nil
	}
	return b[at:min(at+n, len(b))]
}

// piecesOf reads the table of pieces.
func (d *msdoc) piecesOf(clx []byte) []docPiece {
	for len(clx) > 5 && clx[0] == 1 { // properties that pieces share
		clx = clx[min(3+int(binary.LittleEndian.Uint16(clx[1:])), len(clx)):]
	}
	const head, position, descriptor, wideBit = 5, 4, 8, 1 << 30
	if len(clx) < head || clx[0] != 2 {
		return nil
	}
	table := slice(clx, head, int(binary.LittleEndian.Uint32(clx[1:])))
	n := (len(table) - position) / (position + descriptor)
	var pieces []docPiece
	last := 0
	for i := range max(n, 0) {
		at := binary.LittleEndian.Uint32(table[position*(n+1)+descriptor*i+2:])
		p := docPiece{
			from: int(binary.LittleEndian.Uint32(table[position*i:])), to: int(binary.LittleEndian.Uint32(table[position*(i+1):])),
			at: int(at), wide: at&wideBit == 0,
		}
		if !p.wide {
			p.at = int(at&^uint32(wideBit)) / 2
		}
		if p.from != last || p.to < p.from { // those that overlap would show the same again
			break
		}
		last = p.to
		pieces = append(pieces, p)
	}
	return pieces
}

// The parts of the text that are not read with it.
const (
	docHeaders     = 2
	docMacros      = 3
	docHeaderBoxes = 7
)

// read returns the text: the main one, and what belongs to it.
func (d *msdoc) read(ctx context.Context) (string, error) {
	counts := make([]int, 8)
	for i := range counts {
		counts[i] = int(binary.LittleEndian.Uint32(d.main[d.counts+4*i:]))
	}
	w := docWriter{prose: &prose{}, page: d.page, paragraphs: d.findRanges(fibPapx, paragraphRange), characters: d.findRanges(fibChpx, characterRange)}
	total := 0
	for part, label := range []string{"", "Footnote", "", "", "Comment", "Endnote", "", ""} {
		end := total + counts[part]
		if part == docHeaders || part == docHeaderBoxes {
			if err := d.margin(ctx, &w, total, end); err != nil {
				return "", err
			}
		}
		if part == docHeaders || part == docHeaderBoxes || part == docMacros {
			total = end
			continue
		}
		w.label = label
		if err := d.span(ctx, &w, total, end); err != nil {
			return "", err
		}
		w.endPart()
		total = end
	}
	return w.finish(), nil
}

// margin reads the headers and footers, which stand one after the other for each section.
func (d *msdoc) margin(ctx context.Context, w *docWriter, from, to int) error {
	m := docWriter{prose: &prose{}, page: w.page, paragraphs: w.paragraphs, characters: w.characters}
	if err := d.span(ctx, &m, from, to); err != nil {
		return err
	}
	m.endPart()
	d.margins.add(m.finish())
	return nil
}

// span writes the characters from one to another.
func (d *msdoc) span(ctx context.Context, w *docWriter, from, to int) error {
	for _, p := range d.pieces {
		start, end := max(p.from, from), min(p.to, to)
		if start >= end {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		width := 1
		if p.wide {
			width = 2
		}
		text := slice(d.main, p.at+width*(start-p.from), width*(end-start))
		if err := w.write(text, p.wide, p.at+width*(start-p.from)); err != nil {
			return err
		}
	}
	return nil
}

// docWriter writes the characters of a document of Word.
type docWriter struct {
	*prose
	page       int    // the code page of what is not in UTF-16
	label      string // of what is read: notes
	paragraphs []docRange
	characters []docRange
	now        docRange // of characters
	fields     []int    // what of fields is open: 0 is the instruction, 1 the result
	wide       []uint16
	bytes      []byte
	cellEnd    bool // the last character ended a cell
}

// The characters of a document of Word that are no text.
const (
	docCell       = 0x07 // the end of a cell, and after one the end of a row
	docField      = 0x13
	docFieldShows = 0x14
	docFieldEnd   = 0x15
	docHyphen     = 0x1E
)

// write writes text, which is at an offset of the document.
func (w *docWriter) write(text []byte, wide bool, at int) error {
	width := 1
	if wide {
		width = 2
	}
	for i := 0; i+width <= len(text); i += width {
		c := uint16(text[i])
		if wide {
			c = binary.LittleEndian.Uint16(text[i:])
		}
		if at+i < w.now.from || at+i >= w.now.to {
			next := rangeAt(w.characters, at+i)
			if next.raised != w.now.raised {
				w.flush()
			}
			w.now = next
		}
		switch {
		case w.now.deleted && c != docCell:
			continue
		case c >= ' ':
			w.char(c, wide)
			continue
		}
		w.flush()
		w.control(c, at+i)
		if err := w.check(); err != nil {
			return err
		}
	}
	w.flush()
	return w.check()
}

func (w *docWriter) char(c uint16, wide bool) {
	w.cellEnd = false
	switch {
	case w.inInstruction():
	case wide:
		w.wide = append(w.wide, c)
	default:
		w.bytes = append(w.bytes, byte(c))
	}
}

// inInstruction reports whether the text is what a field does, not what it shows.
func (w *docWriter) inInstruction() bool {
	const deep = 8
	return slices.Contains(w.fields[max(0, len(w.fields)-deep):], 0)
}

func (w *docWriter) flush() {
	if len(w.bytes) > 0 {
		w.text(decodePage(w.bytes, w.page))
	}
	if len(w.wide) > 0 {
		w.text(decodeUnits(w.wide))
	}
	w.bytes, w.wide = w.bytes[:0], w.wide[:0]
}

// text writes text to the paragraph, of which all is raised or none.
func (w *docWriter) text(text string) {
	if w.now.raised && raises(w.paragraph.String(), text) {
		w.paragraph.WriteByte('^')
	}
	w.now.raised = false
	w.paragraph.WriteString(text)
}

func (w *docWriter) control(c uint16, at int) {
	afterCell := w.cellEnd
	w.cellEnd = false
	switch c {
	case docCell:
		w.endDocCell(rangeAt(w.paragraphs, at), afterCell)
	case '\r', '\f':
		w.endLine(rangeAt(w.paragraphs, at))
	case docField:
		w.fields = append(w.fields, 0)
	case docFieldShows:
		if n := len(w.fields); n > 0 {
			w.fields[n-1] = 1
		}
	case docFieldEnd:
		w.fields = w.fields[:max(len(w.fields)-1, 0)]
	case docHyphen:
		w.paragraph.WriteByte('-')
	case '\t', '\v':
		w.paragraph.WriteByte(' ')
	}
}

// endDocCell ends a cell, or the row. Where the document does not say which, the second mark in
// a row ends it.
func (w *docWriter) endDocCell(is docRange, afterCell bool) {
	if is.rowEnds || afterCell && len(w.paragraphs) == 0 {
		w.endDocRow()
		return
	}
	w.inCells()
	w.endParagraph()
	w.endCell()
	w.cells = append(w.cells, "")
	w.cellEnd = true
}

// endLine ends a paragraph, which may be in a cell.
func (w *docWriter) endLine(is docRange) {
	if is.inTable {
		w.inCells()
	} else {
		w.endDocRow()
	}
	if w.label != "" && len(w.cells) == 0 {
		w.add(w.label, w.paragraph.String())
		w.paragraph.Reset()
		is.level = 0
	}
	w.level = is.level
	w.endParagraph()
}

// inCells begins a row, unless one is open.
func (w *docWriter) inCells() {
	if len(w.cells) == 0 {
		w.tables, w.cells = 1, []string{""}
	}
}

func (w *docWriter) endDocRow() {
	if len(w.cells) == 0 {
		return
	}
	w.endCell()
	if n := len(w.cells) - 1; w.cells[n] == "" {
		w.cells = w.cells[:n]
	}
	w.endRow(false)
	w.tables, w.cells = 0, nil
}

// endPart ends what is open at the end of the text, or of what belongs to it.
func (w *docWriter) endPart() {
	w.flush()
	w.endDocRow()
	w.fields = w.fields[:0]
	w.endParagraph()
}
