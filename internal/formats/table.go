package formats

import (
	"slices"
	"strconv"
	"strings"
)

// maxColumnName is how much of the name of a column is repeated in each row, in bytes.
const maxColumnName = 100

// table makes text of rows: each is a paragraph that can be read by itself, because it
// names the columns of its cells, where the first row names them.
type table struct {
	text    *strings.Builder
	heading string     // is written before the first row
	first   []tableRow // that wait until it is known whether one of them is the header
	decided bool
	head    tableRow // the header; without cells there is none
	names   []string // of the columns, by the header
	used    []bool   // names that a row has
	read    int      // bytes of all cells
}

// tableRow is a row of cells, in the columns of these numbers, which count from 0: nil is one
// beside the other.
type tableRow struct {
	cells   []string
	columns []int
}

// maxCellBytes is how much the cells of a table have, in bytes: also those whose white
// space is not written, and those that say the same, which a workbook has once.
const maxCellBytes = 2 * maxTextBytes

// row takes one row, which is written once it is known whether the table has a header. It
// takes time for the cells that hold something.
func (t *table) row(cells []string, columns []int) error {
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if t.read += len(cell); t.read > maxCellBytes {
			return tooLong()
		}
		cells[i] = strings.Join(strings.Fields(storable(cell)), " ")
	}
	r := tableRow{cells, columns}
	if r.filled() == 0 {
		return nil
	}
	if t.decided {
		return t.write(r, true)
	}
	t.first = append(t.first, tableRow{slices.Clone(cells), columns})
	if len(t.first) < headSample {
		return nil
	}
	return t.decide()
}

// end writes what waits, and the names of columns that no row has.
func (t *table) end() error {
	if err := t.decide(); err != nil {
		return err
	}
	for i, cell := range t.head.cells {
		column := t.head.column(i)
		if cell != "" && (!t.used[column] || t.names[column] != strings.TrimRight(cell, ":")) {
			return t.write(tableRow{cells: append([]string{"Columns"}, t.head.cells...)}, false)
		}
	}
	return nil
}

// decide finds the header, and writes the rows that waited for it.
func (t *table) decide() error {
	if t.decided {
		return nil
	}
	t.decided = true
	at := headOf(t.first)
	for i, r := range t.first {
		if i == at {
			t.head, t.names = r, namesOf(r)
			t.used = make([]bool, len(t.names))
			continue
		}
		if err := t.write(r, true); err != nil {
			return err
		}
	}
	t.first = nil
	return nil
}

// write writes a row, with the names of its columns if it may have them.
func (t *table) write(r tableRow, named bool) error {
	t.text.WriteString(t.heading)
	t.heading = ""
	named = named && t.names != nil && r.filled() > 1
	started := false
	for i, cell := range r.cells {
		if cell == "" {
			continue
		}
		if started {
			t.text.WriteString("; ")
		}
		started = true
		if named {
			t.text.WriteString(t.column(r.column(i)) + ": ")
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
	if i < len(t.names) && t.names[i] != "" {
		t.used[i] = true
		return t.names[i]
	}
	return "Column " + strconv.Itoa(i+1)
}

// filled counts the cells that hold something.
func (r tableRow) filled() int {
	n := 0
	for _, cell := range r.cells {
		if cell != "" {
			n++
		}
	}
	return n
}

// column returns the column of a cell.
func (r tableRow) column(i int) int {
	if i < len(r.columns) {
		return r.columns[i]
	}
	return i
}

// namesOf returns the names of columns that a header gives.
func namesOf(r tableRow) []string {
	last := 0
	for i := range r.cells {
		last = max(last, r.column(i))
	}
	names := make([]string, last+1)
	for i, cell := range r.cells {
		if len(cell) > maxColumnName {
			cell = strings.ToValidUTF8(cell[:maxColumnName], "") + "…"
		}
		names[r.column(i)] = strings.TrimRight(cell, ":")
	}
	return names
}
