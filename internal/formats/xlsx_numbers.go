package formats

import (
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// longNumbers finds the digits of numbers that a sheet shows with a power of ten, for want of
// room. It reads the sheet once more, beside what is read of it, from the first of them on.
type longNumbers struct {
	book  *excelize.File
	sheet string
	rows  *excelize.Rows // nil until the first such number
	seen  int            // rows that have been read
	read  int            // rows of rows
}

// restore writes the digits of the long numbers of the next row.
func (l *longNumbers) restore(cells []string) error {
	l.seen++
	var raw []string
	for i, cell := range cells {
		if !hasPower(cell) {
			continue
		}
		if raw == nil {
			var err error
			if raw, err = l.raw(); err != nil {
				return err
			}
		}
		if i < len(raw) {
			cells[i] = wholeDigits(cell, raw[i])
		}
	}
	return nil
}

// raw returns the row as it is stored.
func (l *longNumbers) raw() (cells []string, err error) {
	if l.rows == nil {
		if l.rows, err = l.book.Rows(l.sheet); err != nil {
			return nil, err
		}
	}
	for l.read < l.seen && l.rows.Next() {
		l.read++
		if cells, err = l.rows.Columns(excelize.Options{RawCellValue: true}); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

func (l *longNumbers) close() {
	if l.rows != nil {
		_ = l.rows.Close() // they were only read
	}
}

// hasPower reports a number such as 1.2E+14.
func hasPower(cell string) bool {
	digits, power, found := strings.Cut(cell, "E+")
	return found && len(power) <= 3 && isNumber(digits) && isNumber(power)
}

// wholeDigits returns the digits of a number that is stored as raw, or what is shown when it
// is no number or has more digits than are exact.
func wholeDigits(shown, raw string) string {
	const exact = 1e21
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil || n >= exact || n <= -exact {
		return shown
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
