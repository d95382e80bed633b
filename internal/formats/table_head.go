package formats

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// headSample is how many rows a header is judged by, itself included.
const headSample = 24

// headOf returns which row names the columns, or -1 when none does. It is the first with more
// than one cell, if rows stand below it and what they hold is of other kinds; in a table of
// three columns and more also when all is text. Of two columns of text nobody knows whether
// the first row names them or says something itself, as in a list of names and values.
func headOf(rows []tableRow) int {
	at := 0
	for at < len(rows) && rows[at].filled() < 2 {
		at++
	}
	if at >= len(rows)-1 {
		return -1
	}
	head, below := rows[at].begin(), columnsBelow(rows[at+1:])
	if len(below) == 0 {
		return -1
	}
	votes, width := 0, 0
	for i, cell := range head.cells {
		if cell == "" {
			continue
		}
		width++
		kind := kindOf(cell)
		same := kindsAgree(below[head.column(i)])
		switch {
		case kind == cellNumber && !numbersName(head, rows[at+1:]):
			return -1
		case kind == cellDate && (same == "" || same == cellDate):
			return -1
		case same != "" && same != kind:
			votes++
		case kind == cellNumber:
			votes++
		}
	}
	const certain = 3 // columns
	if votes == 0 && width < certain {
		return -1
	}
	return at
}

// begin returns the first cells of a row, which are enough to judge it by.
func (r tableRow) begin() tableRow {
	const enough = 256
	return tableRow{r.cells[:min(len(r.cells), enough)], r.columns[:min(len(r.columns), enough)]}
}

// columnsBelow returns the cells of each column.
func columnsBelow(rows []tableRow) map[int][]string {
	columns := map[int][]string{}
	for _, r := range rows {
		if r = r.begin(); r.filled() < 2 {
			continue
		}
		for i, cell := range r.cells {
			if cell != "" {
				columns[r.column(i)] = append(columns[r.column(i)], cell)
			}
		}
	}
	return columns
}

// The kinds of cells that are not text. Of text the kind is how its words begin.
const (
	cellNumber = "number"
	cellDate   = "date"
)

// kindOf returns the kind of a cell.
func kindOf(cell string) string {
	if isNumber(cell) {
		return cellNumber
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z07:00", "02.01.2006", "2.1.2006", "1/2/2006", "2006/01/02", "15:04", "15:04:05", "2006-01", "Jan 2006"} {
		if len(cell) <= len("2006-01-02T15:04:05+07:00") {
			if _, err := time.Parse(layout, cell); err == nil {
				return cellDate
			}
		}
	}
	const words = 3 // more are text of any shape
	fields := strings.Fields(cell)
	if len(fields) > words {
		return "words"
	}
	var shape strings.Builder
	for _, field := range fields {
		switch r := firstRune(field); {
		case strings.ContainsAny(field, "@/\\"):
			shape.WriteByte('@')
		case strings.ContainsFunc(field, unicode.IsDigit):
			shape.WriteByte('0')
		case unicode.IsUpper(r):
			shape.WriteByte('A')
		default:
			shape.WriteByte('a')
		}
	}
	return shape.String()
}

// kindsAgree returns the kind of most cells of a column, or "" when they differ: text must be
// of the same shape in two cells at least and in all, numbers and dates in most.
func kindsAgree(cells []string) string {
	counts, most := map[string]int{}, ""
	for _, cell := range cells {
		kind := kindOf(cell)
		if counts[kind]++; counts[kind] > counts[most] {
			most = kind
		}
	}
	n := counts[most]
	if most == cellNumber || most == cellDate {
		if 2*n > len(cells) {
			return most
		}
		return ""
	}
	if n < 2 || n < len(cells) {
		return ""
	}
	return most
}

// isNumber reports a number, with a sign, a currency or a unit of one character, and marks
// between its digits.
func isNumber(cell string) bool {
	const longest = 40
	cell = strings.Trim(cell, " +-−–€$£¥%()")
	if cell == "" || len(cell) > longest {
		return false
	}
	if _, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", "."), 64); err == nil {
		return strings.ContainsFunc(cell, unicode.IsDigit)
	}
	return !strings.ContainsFunc(cell, func(r rune) bool { return !unicode.IsDigit(r) && !strings.ContainsRune(".,' \u00a0’", r) }) &&
		strings.ContainsFunc(cell, unicode.IsDigit)
}

// numbersName reports whether the numbers of a row name columns: years, or numbers that count,
// after a text or an empty cell, above rows whose numbers are others.
func numbersName(head tableRow, below []tableRow) bool {
	series := seriesOf(head)
	if series == "" || isNumber(head.cells[firstFilled(head)]) && head.column(firstFilled(head)) == 0 {
		return false
	}
	for _, r := range below {
		if r.filled() > 1 && seriesOf(r) != series {
			return true
		}
	}
	return false
}

// seriesOf returns what the numbers of a row are: years that rise or fall, two and more whole
// numbers of which each is one above that before it, or neither.
func seriesOf(r tableRow) string {
	const earliest, latest = 1500, 2200
	years, rising, falling, counting, n, last := true, true, true, true, 0, 0
	for _, cell := range r.cells {
		if !isNumber(cell) {
			continue
		}
		number, err := strconv.Atoi(cell)
		if err != nil {
			return ""
		}
		years = years && number >= earliest && number <= latest
		if n > 0 {
			rising, falling, counting = rising && number > last, falling && number < last, counting && number == last+1
		}
		n, last = n+1, number
	}
	switch {
	case n > 0 && years && (rising || falling):
		return "years"
	case n > 1 && counting:
		return "counting"
	}
	return ""
}

// firstFilled returns the first cell of a row that holds something.
func firstFilled(r tableRow) int {
	for i, cell := range r.cells {
		if cell != "" {
			return i
		}
	}
	return 0
}
