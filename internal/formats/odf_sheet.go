package formats

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"
)

const (
	// maxRepeatedRows is how often a row is written of which a sheet says that it repeats, and
	// maxRepeatedCells a cell.
	maxRepeatedRows  = 100
	maxRepeatedCells = 1024
	maxODFColumn     = 1 << 14
)

// odfSheet is the sheet of a spreadsheet that is open.
type odfSheet struct {
	table
	row     tableRow
	column  int    // of the next cell
	repeat  int    // of the cell that is open
	rows    int    // how often the row is repeated
	value   string // of the cell, where what it shows is not written
	stored  string // likewise, of any type
	written bool   // the cell says what it shows, be it nothing
	nesting int    // tables within its cells
	total   int    // rows
}

// beginTable begins a table, a row or a cell; those of a spreadsheet are its sheets.
func (d *odf) beginTable(e xml.StartElement) {
	if d.sheet != nil && (d.sheet.nesting > 0 || e.Name.Local == "table") || !d.inSheet {
		d.beginPlainTable(e)
		return
	}
	switch e.Name.Local {
	case "table":
		d.sheet = &odfSheet{table: table{text: &d.text, heading: "## " + oneLine(attribute(e, "name")) + "\n\n"}}
	case "table-row":
		d.sheetRow(repeated(e, "number-rows-repeated", maxRepeatedRows))
	default:
		d.sheetCell(e)
	}
}

func (d *odf) beginPlainTable(e xml.StartElement) {
	switch e.Name.Local {
	case "table":
		if d.sheet != nil {
			d.sheet.nesting++
		}
		d.openTable()
	case "table-cell", "covered-table-cell":
		d.openCell()
	}
}

func (d *odf) sheetRow(rows int) {
	if d.sheet != nil {
		d.sheet.row, d.sheet.column, d.sheet.rows = tableRow{}, 0, rows
	}
}

// sheetCell begins a cell of a sheet. A date is read as it is stored, whatever it looks like.
func (d *odf) sheetCell(e xml.StartElement) {
	if d.sheet == nil {
		return
	}
	d.sheet.repeat = repeated(e, "number-columns-repeated", maxODFColumn)
	d.sheet.value, d.sheet.stored, d.sheet.written = "", "", false
	switch attribute(e, "value-type") {
	case "date":
		d.sheet.value = strings.TrimSuffix(strings.Replace(attribute(e, "date-value"), "T", " ", 1), " 00:00:00")
	case "float":
		d.sheet.value = attribute(e, "value")
	}
	for _, name := range []string{"value", "string-value", "boolean-value", "time-value"} {
		d.sheet.stored = cmp.Or(d.sheet.stored, attribute(e, name))
	}
	d.sheet.stored = cmp.Or(d.sheet.value, d.sheet.stored)
	d.push(e.Name.Local, "")
}

// repeated returns how often something is repeated, up to most.
func repeated(e xml.StartElement, name string, most int) int {
	n, _ := strconv.Atoi(attribute(e, name))
	return min(max(n, 1), most)
}

// endTable ends a table, a row or a cell.
func (d *odf) endTable(name string) error {
	if d.sheet == nil || d.sheet.nesting > 0 {
		switch name {
		case "table-row":
			d.endRow(false)
		case "table":
			d.closeTable()
			if d.sheet != nil {
				d.sheet.nesting--
			}
		}
		return nil
	}
	switch name {
	case "table":
		err := d.sheet.end()
		d.sheet = nil
		return err
	case "table-row":
		return d.endSheetRow()
	}
	d.endSheetCell(name)
	return nil
}

func (d *odf) endSheetRow() error {
	s := d.sheet
	for range s.rows {
		if len(s.row.cells) == 0 {
			return nil
		}
		if s.total++; s.total > maxXLSXRows {
			return malformed("The spreadsheet has more than %d rows. Split it into smaller ones.", maxXLSXRows)
		}
		if err := s.table.row(s.row.cells, s.row.columns); err != nil {
			return err
		}
	}
	return nil
}

// endSheetCell adds a cell to its row.
func (d *odf) endSheetCell(name string) {
	n := len(d.outer) - 1
	if n < 0 || d.outer[n].element != name {
		return
	}
	if n >= maxAside {
		d.outer = d.outer[:n] // it is written where it is
		return
	}
	shown := oneLine(d.prose.finish())
	d.prose, d.open, d.lists, d.outer = d.outer[n].prose, d.outer[n].open, d.outer[n].lists, d.outer[:n]
	s := d.sheet
	switch {
	case shown == "" && !s.written:
		shown = oneLine(s.stored)
	case shown == "":
	case strings.Contains(s.value, "-") && isDateValue(s.value):
		shown = s.value
	case hasPower(shown) && s.value != "":
		shown = wholeDigits(shown, s.value)
	}
	for i := range s.repeat {
		if shown == "" || i >= maxRepeatedCells {
			break
		}
		s.row.cells = append(s.row.cells, shown)
		s.row.columns = append(s.row.columns, s.column+i)
	}
	s.column = min(s.column+s.repeat, maxODFColumn)
}

func isDateValue(s string) bool {
	return kindOf(s) == cellDate || len(s) > len("2006-01-02 ") && kindOf(s[:len("2006-01-02")]) == cellDate
}
