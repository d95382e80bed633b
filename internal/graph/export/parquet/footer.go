package parquet

// Numbers of the format.
const (
	formatVersion = 2

	repetitionRequired = 0
	repetitionOptional = 1
	repetitionRepeated = 2

	convertedText    = 0
	convertedList    = 3
	convertedInstant = 10 // microseconds

	logicalText    = 1
	logicalList    = 3
	logicalInstant = 8
	unitMicros     = 2

	encodingPlain      = 0
	encodingRuns       = 3
	encodingDictionary = 8

	codecZstd = 6
)

// stored is where a chunk stands in the file.
type stored struct {
	dictionary, data         int64 // offsets; a dictionary of 0 is none
	size, uncompressed, rows int64 // bytes of the pages with their heads, and entries
}

// group is a row group that was written.
type group struct {
	rows   int64
	chunks []stored
}

// footer is what a file says of itself.
func (w *Writer) footer() []byte {
	var c compact
	c.begin()
	c.i32(1, formatVersion)
	w.schema(&c)
	c.i64(3, w.rows)
	c.list(4, len(w.groups), thriftStruct)
	for _, g := range w.groups {
		w.group(&c, g)
	}
	if len(w.about) > 0 {
		c.list(5, len(w.about), thriftStruct)
		for _, p := range w.about {
			c.begin()
			c.text(1, p.Name)
			c.text(2, p.Value)
			c.end()
		}
	}
	c.text(6, "kappa")
	c.end()
	return c.out
}

// schema writes the columns. A list is a group of a repeated group of its elements.
func (w *Writer) schema(c *compact) {
	n := 1
	for _, col := range w.columns {
		if n++; col.Kind == Texts {
			n += 2
		}
	}
	c.list(2, n, thriftStruct)
	c.begin()
	c.text(4, "schema")
	c.i32(5, int64(len(w.columns)))
	c.end()
	for _, col := range w.columns {
		if col.Kind == Texts {
			c.begin()
			c.i32(3, repetitionRequired)
			c.text(4, col.Name)
			c.i32(5, 1)
			c.i32(6, convertedList)
			logical(c, logicalList)
			c.end()
			c.begin()
			c.i32(3, repetitionRepeated)
			c.text(4, "list")
			c.i32(5, 1)
			c.end()
			leaf(c, Column{Name: "element", Kind: Text})
			continue
		}
		leaf(c, col.Column)
	}
}

// logical writes a logical type that has no members.
func logical(c *compact, kind int) {
	c.within(10)
	c.within(kind)
	c.end()
	c.end()
}

func leaf(c *compact, col Column) {
	repetition := int64(repetitionRequired)
	if col.Optional {
		repetition = repetitionOptional
	}
	c.begin()
	c.i32(1, col.Kind.physical())
	c.i32(3, repetition)
	c.text(4, col.Name)
	switch col.Kind {
	case Text:
		c.i32(6, convertedText)
		logical(c, logicalText)
	case Instant:
		c.i32(6, convertedInstant)
		c.within(10)
		c.within(logicalInstant)
		c.field(1, thriftTrue) // in UTC
		c.within(2)
		c.within(unitMicros)
		c.end()
		c.end()
		c.end()
		c.end()
	case Texts, Integer, Number:
	}
	c.end()
}

func (w *Writer) group(c *compact, g group) {
	var size, uncompressed int64
	for _, s := range g.chunks {
		size, uncompressed = size+s.size, uncompressed+s.uncompressed
	}
	c.begin()
	c.list(1, len(g.chunks), thriftStruct)
	for i, s := range g.chunks {
		w.chunkMeta(c, w.columns[i].Column, s)
	}
	c.i64(2, uncompressed)
	c.i64(3, g.rows)
	c.i64(5, g.chunks[0].begin())
	c.i64(6, size)
	c.end()
}

// begin is where the first page of a chunk stands.
func (s stored) begin() int64 {
	if s.dictionary > 0 {
		return s.dictionary
	}
	return s.data
}

func (w *Writer) chunkMeta(c *compact, col Column, s stored) {
	path := []string{col.Name}
	if col.Kind == Texts {
		path = append(path, "list", "element")
	}
	encodings := []int64{encodingPlain, encodingRuns}
	if s.dictionary > 0 {
		encodings = append(encodings, encodingDictionary)
	}
	c.begin()
	c.i64(2, s.begin())
	c.within(3)
	c.i32(1, col.Kind.physical())
	c.list(2, len(encodings), thriftI32)
	for _, e := range encodings {
		c.number(e)
	}
	c.list(3, len(path), thriftBytes)
	for _, p := range path {
		c.bytes(p)
	}
	c.i32(4, codecZstd)
	c.i64(5, s.rows)
	c.i64(6, s.uncompressed)
	c.i64(7, s.size)
	c.i64(9, s.data)
	if s.dictionary > 0 {
		c.i64(11, s.dictionary)
	}
	c.end()
	c.end()
}
