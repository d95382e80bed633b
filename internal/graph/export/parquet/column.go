package parquet

import (
	"encoding/binary"
	"math"
	"time"
)

// Kind is the type of the values of a column.
type Kind int

// The kinds.
const (
	Text    Kind = iota // UTF-8
	Texts               // a list of texts, which may be empty
	Integer             // 64 bits
	Number              // a double
	Instant             // microseconds since 1970, in UTC
)

// Column says what a column holds.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool // a row may have no value; a list always is there
}

// The physical types, as the format numbers them.
const (
	physicalInt64  = 2
	physicalDouble = 5
	physicalBytes  = 6
)

func (k Kind) physical() int64 {
	switch k {
	case Integer, Instant:
		return physicalInt64
	case Number:
		return physicalDouble
	case Text, Texts:
	}
	return physicalBytes
}

// chunk is what a row group has of a column so far.
type chunk struct {
	Column

	values  []byte // PLAIN: one after another, a text with its length before it
	texts   int    // in values, of a column of texts
	defined levels // which entries have a value; of lists, which have an element
	repeats levels // of lists: 0 begins a row
	entries int    // values, missing ones and empty lists included
}

// null adds that a row has no value.
func (c *chunk) null() {
	c.defined.add(0)
	c.entries++
}

// present adds that a row has a value, which follows.
func (c *chunk) present() {
	if c.Optional {
		c.defined.add(1)
	}
	c.entries++
}

func (c *chunk) text(s string) {
	c.values = binary.LittleEndian.AppendUint32(c.values, uint32(len(s)))
	c.values = append(c.values, s...)
	c.texts++
}

func (c *chunk) list(all []string) {
	if len(all) == 0 {
		c.defined.add(0)
		c.repeats.add(0)
		c.entries++
	}
	for i, s := range all {
		c.defined.add(1)
		c.repeats.add(byte(min(i, 1)))
		c.entries++
		c.text(s)
	}
}

func (c *chunk) integer(n int64) { c.values = binary.LittleEndian.AppendUint64(c.values, uint64(n)) }

func (c *chunk) number(x float64) {
	c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(x))
}

func (c *chunk) instant(t time.Time) { c.integer(t.UnixMicro()) }

// held is about how many bytes of memory the chunk takes.
func (c *chunk) held() int { return len(c.values) + c.defined.held() + c.repeats.held() }

// reset empties the chunk, and keeps its memory.
func (c *chunk) reset() {
	c.values, c.texts, c.entries = c.values[:0], 0, 0
	c.defined.reset()
	c.repeats.reset()
}

// levels are numbers of one bit, as runs of equal ones (RLE).
type levels struct {
	runs []byte
	last byte
	run  uint64
}

func (l *levels) add(level byte) {
	if level != l.last {
		l.flush()
		l.last = level
	}
	l.run++
}

func (l *levels) flush() {
	if l.run > 0 {
		l.runs = append(binary.AppendUvarint(l.runs, l.run<<1), l.last)
		l.run = 0
	}
}

// appendTo appends the runs, with how many bytes they are before them.
func (l *levels) appendTo(page []byte) []byte {
	l.flush()
	return append(binary.LittleEndian.AppendUint32(page, uint32(len(l.runs))), l.runs...)
}

func (l *levels) held() int { return len(l.runs) }

func (l *levels) reset() { l.runs, l.last, l.run = l.runs[:0], 0, 0 }
