package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The bounds of a row group. The first is what readers take for one, the second bounds
// memory.
const (
	groupRows  = 122_880
	groupBytes = 8 << 20
)

const magic = "PAR1"

// The types of pages.
const (
	pageData       = 0
	pageDictionary = 2
)

// Property is what a file says of itself besides its columns.
type Property struct{ Name, Value string }

// Writer writes one table. A row is one call for each column, in their order, and then
// EndRow. An error stays: it is that of every later call.
type Writer struct {
	to      io.Writer
	about   []Property
	columns []*chunk
	zstd    *zstd.Encoder
	page    []byte // scratch
	next    int    // the column of the next value
	written int64
	rows    int64 // of the file
	pending int64 // of the row group that is being filled
	groups  []group
	err     error
}

// NewWriter begins a table on w.
func NewWriter(w io.Writer, columns []Column, about ...Property) (*Writer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("begin a Parquet file: %w", err)
	}
	p := &Writer{to: w, about: about, zstd: encoder}
	for _, c := range columns {
		p.columns = append(p.columns, &chunk{Column: c})
	}
	p.write([]byte(magic))
	return p, p.err
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.to.Write(b)
	w.written += int64(n)
	w.err = err
}

// take returns the chunk of the next column, for a value of a kind.
func (w *Writer) take(k Kind) *chunk {
	if w.next >= len(w.columns) || w.columns[w.next].Kind != k {
		panic(fmt.Sprintf("parquet: value %d of a row is not of the kind %d", w.next, k))
	}
	c := w.columns[w.next]
	w.next++
	return c
}

// Text adds a text.
func (w *Writer) Text(s string) { c := w.take(Text); c.present(); c.text(s) }

// TextOrNull adds a text, or none for "".
func (w *Writer) TextOrNull(s string) {
	if s == "" {
		w.take(Text).null()
		return
	}
	w.Text(s)
}

// Texts adds a list.
func (w *Writer) Texts(all []string) { w.take(Texts).list(all) }

// Integer adds a whole number.
func (w *Writer) Integer(n int) { c := w.take(Integer); c.present(); c.integer(int64(n)) }

// Number adds a number.
func (w *Writer) Number(x float64) { c := w.take(Number); c.present(); c.number(x) }

// NumberOrNull adds a number, or none for nil.
func (w *Writer) NumberOrNull(x *float64) {
	if x == nil {
		w.take(Number).null()
		return
	}
	w.Number(*x)
}

// Instant adds a time, to the microsecond.
func (w *Writer) Instant(t time.Time) { c := w.take(Instant); c.present(); c.instant(t) }

// InstantOrNull adds a time, or none for the zero time.
func (w *Writer) InstantOrNull(t time.Time) {
	if t.IsZero() {
		w.take(Instant).null()
		return
	}
	w.Instant(t)
}

// EndRow ends a row, and writes the row group when it is full.
func (w *Writer) EndRow() error {
	if w.next != len(w.columns) {
		panic(fmt.Sprintf("parquet: a row of %d values for %d columns", w.next, len(w.columns)))
	}
	w.next = 0
	w.pending++
	held := 0
	for _, c := range w.columns {
		held += c.held()
	}
	if w.pending >= groupRows || held >= groupBytes {
		w.flush()
	}
	return w.err
}

// Close writes the end. It does not close what is below.
func (w *Writer) Close() error {
	w.flush()
	end := w.footer()
	w.write(append(binary.LittleEndian.AppendUint32(end, uint32(len(end))), magic...))
	if err := w.zstd.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}

// flush writes the row group.
func (w *Writer) flush() {
	if w.pending == 0 || w.err != nil {
		return
	}
	g := group{rows: w.pending}
	for _, c := range w.columns {
		g.chunks = append(g.chunks, w.chunk(c))
		c.reset()
	}
	w.groups = append(w.groups, g)
	w.rows += w.pending
	w.pending = 0
}

// chunk writes the pages of a chunk: of a dictionary if there is one, and of the values.
func (w *Writer) chunk(c *chunk) (s stored) {
	s.rows = int64(c.entries)
	values, encoding := c.values, int64(encodingPlain)
	if distinct, n, indexes, ok := c.dictionary(); ok {
		s.dictionary = w.written
		w.writePage(&s, distinct, pageDictionary, n, encodingPlain)
		values, encoding = packed(indexes, n), encodingDictionary
	}
	w.page = w.page[:0]
	if c.Kind == Texts {
		w.page = c.repeats.appendTo(w.page)
	}
	if c.Optional || c.Kind == Texts {
		w.page = c.defined.appendTo(w.page)
	}
	w.page = append(w.page, values...)
	s.data = w.written
	w.writePage(&s, w.page, pageData, c.entries, encoding)
	return s
}

// writePage writes a page and what is said of it, and adds up their bytes.
func (w *Writer) writePage(s *stored, content []byte, kind int64, values int, encoding int64) {
	compressed := w.zstd.EncodeAll(content, nil)
	var c compact
	c.begin()
	c.i32(1, kind)
	c.i32(2, int64(len(content)))
	c.i32(3, int64(len(compressed)))
	if kind == pageDictionary {
		c.within(7)
		c.i32(1, int64(values))
		c.i32(2, encoding)
	} else {
		c.within(5)
		c.i32(1, int64(values))
		c.i32(2, encoding)
		c.i32(3, encodingRuns)
		c.i32(4, encodingRuns)
	}
	c.end()
	c.end()
	w.write(c.out)
	w.write(compressed)
	s.size += int64(len(c.out) + len(compressed))
	s.uncompressed += int64(len(c.out) + len(content))
}
