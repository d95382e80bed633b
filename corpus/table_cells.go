package corpus

import "strings"

// TableCells returns the cells of a row of a Markdown table, without white space around
// them. A "|" after a backslash or within a code span ends no cell.
func TableCells(row string) []string {
	row = strings.TrimPrefix(strings.TrimSpace(row), "|")
	cells := []string{}
	code, from := false, 0
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '`':
			code = !code
		case '|':
			if !code {
				cells = append(cells, strings.TrimSpace(row[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(row[from:]); last != "" {
		cells = append(cells, last)
	}
	return cells
}
