package formats

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

const (
	// sparseCells is how many cells of a workbook may be empty for each that holds
	// something: a row has as many as the column of its last one. Above it the rows are
	// read as sparse.
	sparseCells = 8
	// fewCells is how many cells a workbook may have in any case.
	fewCells = 1 << 20
)

// compact rewrites the sheets of a workbook whose rows are sparse, and reports whether it
// did: each row has the cells that it holds one beside the other, after one that lists the
// columns that they stand in. The library makes a cell of each column up to the last, so
// that a cell in the last column of each row would make 16,384 of it.
func compact(book *excelize.File) bool {
	sheets := map[any][]byte{}
	cells, width := 0, 0
	book.Pkg.Range(func(name, content any) bool {
		if text, ok := content.([]byte); ok && bytes.Contains(text, []byte("sheetData")) {
			sheets[name] = text
			s := sparse{text: text}
			s.read()
			cells, width = cells+s.cells, width+s.width
		}
		return true
	})
	if width <= fewCells || width <= sparseCells*cells {
		return false
	}
	for name, text := range sheets {
		s := sparse{text: text, out: &bytes.Buffer{}}
		s.read()
		book.Pkg.Store(name, s.out.Bytes())
	}
	return true
}

// sparse reads the tags of a sheet, and writes it with the cells of each row side by side.
type sparse struct {
	text []byte
	out  *bytes.Buffer // nil only counts

	cells int // that hold something
	width int // cells up to the last of each row

	row     bytes.Buffer // the cells of the row that is open
	columns []int        // that they stand in
	prefix  string       // of the names of elements
	inRow   bool
}

func (s *sparse) read() {
	for rest := s.text; len(rest) > 0; {
		n := bytes.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		s.write(rest[:n])
		rest = rest[n:]
		tag := rest[:tagLength(rest)]
		rest = rest[len(tag):]
		s.tag(tag)
	}
	s.endRow()
}

func (s *sparse) write(text []byte) {
	switch {
	case s.out == nil:
	case s.inRow:
		s.row.Write(text)
	default:
		s.out.Write(text)
	}
}

// tag reads one tag.
func (s *sparse) tag(tag []byte) {
	switch prefix, name := tagName(tag); name {
	case "row":
		s.endRow()
		s.write(tag)
		s.inRow, s.prefix = !bytes.HasSuffix(tag, []byte("/>")), prefix
	case "/row":
		s.endRow()
		s.write(tag)
	case "c":
		s.cell(tag)
	default:
		s.write(tag)
	}
}

// cell reads the tag that begins a cell: one that does not say its column stands in the
// next one.
func (s *sparse) cell(tag []byte) {
	column, from, end := columnOf(tag)
	if column == 0 {
		column = 1
		if len(s.columns) > 0 {
			column = s.columns[len(s.columns)-1] + 1
		}
	}
	s.columns = append(s.columns, column)
	s.write(tag[:from])
	s.write(tag[end:])
}

// endRow writes the row that is open.
func (s *sparse) endRow() {
	s.inRow = false
	last := 0
	var list strings.Builder
	for _, column := range s.columns {
		last = max(last, column)
		if s.out != nil {
			list.WriteString(strconv.Itoa(column) + " ")
		}
	}
	s.cells += len(s.columns)
	s.width += last
	if s.out != nil && len(s.columns) > 0 {
		s.out.WriteString(strings.ReplaceAll(`<:c t="inlineStr"><:is><:t>`+list.String()+`</:t></:is></:c>`, ":", s.prefix))
	}
	s.write(s.row.Bytes())
	s.row.Reset()
	s.columns = s.columns[:0]
}

// tagLength returns how long the tag is that a text begins with. Marks in quotes do not
// end it.
func tagLength(text []byte) int {
	for _, c := range []struct{ open, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}} {
		if bytes.HasPrefix(text, []byte(c.open)) {
			if n := bytes.Index(text, []byte(c.end)); n >= 0 {
				return n + len(c.end)
			}
			return len(text)
		}
	}
	quote := byte(0)
	for i, b := range text {
		switch {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '>':
			return i + 1
		}
	}
	return len(text)
}

// tagName returns the name of an element, with a slash when it ends, and what stands
// before it to say its namespace, with the colon.
func tagName(tag []byte) (prefix, name string) {
	const longest = 64
	text := string(bytes.TrimPrefix(tag[:min(len(tag), longest)], []byte("<")))
	text, ends := strings.CutPrefix(text, "/")
	if n := strings.IndexAny(text, "/> \t\r\n"); n >= 0 {
		text = text[:n]
	}
	if n := strings.IndexByte(text, ':'); n >= 0 {
		prefix, text = text[:n+1], text[n+1:]
	}
	if ends {
		text = "/" + text
	}
	return prefix, text
}

// columnOf returns the column that a cell says it stands in, and where in its tag it says
// so; or 0, when it says none that there is.
func columnOf(tag []byte) (column, from, end int) {
	for _, quote := range []string{`"`, `'`} {
		for _, space := range []string{" ", "\n", "\t", "\r"} {
			mark := space + "r=" + quote
			from := bytes.Index(tag, []byte(mark))
			if from < 0 {
				continue
			}
			name := tag[from+len(mark):]
			n := bytes.IndexByte(name, quote[0])
			if n < 0 {
				continue
			}
			if column, _, err := excelize.CellNameToCoordinates(string(name[:n])); err == nil {
				return column, from, from + len(mark) + n + 1
			}
		}
	}
	return 0, 0, 0
}
