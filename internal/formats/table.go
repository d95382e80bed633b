package formats

import (
	"strconv"
	"strings"
	"unicode"
)

// maxColumnName is how much of the name of a column is repeated in each row, in bytes.
const maxColumnName = 100

// table makes text of rows: each is a paragraph that can be read by itself, because it
// names the columns of its cells.
type table struct {
	text    *strings.Builder
	heading string   // is written before the first row
	columns []string // nil until the header has been seen
	none    bool     // the table has no header
	read    int      // bytes of all cells
}

// maxCellBytes is how much the cells of a table have, in bytes: also those whose white
// space is not written, and those that say the same, which a workbook has once.
const maxCellBytes = 2 * maxTextBytes

// row writes one row of cells, in the columns of these numbers, which count from 0: nil is
// one beside the other. It takes time for the cells that hold something. The first with more than one cell is the header, unless a cell of
// it is a number.
func (t *table) row(cells []string, columns []int) error {
	filled := 0
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if t.read += len(cell); t.read > maxCellBytes {
			return tooLong()
		}
		cells[i] = strings.Join(strings.Fields(storable(cell)), " ")
		if cells[i] != "" {
			filled++
		}
	}
	switch {
	case filled == 0:
		return nil
	case t.columns == nil && !t.none && filled > 1:
		if t.none = hasNumber(cells); !t.none {
			t.columns = columnsOf(cells, columns)
			return nil
		}
	}
	t.text.WriteString(t.heading)
	t.heading = ""
	started := false
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if started {
			t.text.WriteString("; ")
		}
		started = true
		if t.columns != nil && filled > 1 {
			t.text.WriteString(t.column(columnAt(columns, i)) + ": ")
		}
		t.text.WriteString(cell)
	}
	t.text.WriteString("\n\n")
	if t.text.Len() > maxTextBytes {
		return tooLong()
	}
	return nil
}

// column names a column by its header, or by its number.
func (t *table) column(i int) string {
	if i < len(t.columns) && t.columns[i] != "" {
		return t.columns[i]
	}
	return "Column " + strconv.Itoa(i+1)
}

// columnAt returns the column of a cell.
func columnAt(columns []int, i int) int {
	if i < len(columns) {
		return columns[i]
	}
	return i
}

func columnsOf(cells []string, columns []int) []string {
	last := 0
	for i := range cells {
		last = max(last, columnAt(columns, i))
	}
	names := make([]string, last+1)
	for i, cell := range cells {
		if len(cell) > maxColumnName {
			cell = strings.ToValidUTF8(cell[:maxColumnName], "") + "…"
		}
		names[columnAt(columns, i)] = strings.TrimRight(cell, ":")
	}
	return names
}

func hasNumber(cells []string) bool {
	for _, cell := range cells {
		if _, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", "."), 64); err == nil && strings.ContainsFunc(cell, unicode.IsDigit) {
			return true
		}
	}
	return false
}
