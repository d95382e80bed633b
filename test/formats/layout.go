package main

import (
	"regexp"
	"strings"
)

// between are the blanks between the cells of a row, as pdftotext writes a page that it lays out.
var between = regexp.MustCompile(` {2,}`)

// layoutRows returns the rows of tables of a PDF that pdftotext lays out as the paper has it: lines of
// three cells and more, three of them and more below each other.
func layoutRows(text string) (rows []string) {
	const cells, least = 3, 3
	var table []string
	flush := func() {
		if len(table) >= least {
			rows = append(rows, table...)
		}
		table = nil
	}
	for line := range strings.Lines(text) {
		if strings.ContainsRune(line, '\f') {
			flush()
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case len(between.Split(line, -1)) >= cells && !strings.Contains(strings.ReplaceAll(line, " ", ""), "....."):
			table = append(table, joined(line))
		default:
			flush()
		}
	}
	flush()
	return rows
}
