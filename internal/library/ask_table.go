package library

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// rowsBytes is up to where rows of a table are one passage: a row is read by itself, and
// needs no others to be understood.
const rowsBytes = 240

// tableWorth is what rows count beside prose that has the same words: a sentence says what
// cells only name.
const tableWorth = 0.75

// part is a passage of a text.
type part struct {
	corpus.Span

	columns []string // names of the columns, when it is rows of a table whose head is known
	table   bool
}

// tableAt returns the lines of the table that starts at a line, and whether one does.
func tableAt(text string, start int) (lines []corpus.Span, ok bool) {
	for start < len(text) {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		if !strings.HasPrefix(strings.TrimLeft(text[start:end], " \t"), "|") {
			break
		}
		lines = append(lines, corpus.Span{Start: start, End: end})
		start = end
	}
	return lines, len(lines) > 1
}

// rows cuts the lines of a table into passages: a row, or a few short ones.
func rows(text string, lines []corpus.Span) []part {
	p := part{table: true}
	if isRuling(text[lines[1].Start:lines[1].End]) {
		p.columns = corpus.TableCells(text[lines[0].Start:lines[0].End])
		lines = lines[2:]
	}
	var all []part
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && lines[n].End-lines[0].Start <= rowsBytes {
			n++
		}
		p.Span = corpus.Span{Start: lines[0].Start, End: lines[n-1].End}
		all = append(all, p)
		lines = lines[n:]
	}
	return all
}

// isRuling reports a line such as |---|:--:|.
func isRuling(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, " \t|:-\r\n") == ""
}

// cutTables takes the tables out of a text: what is between them is prose, and its parts
// come without rows.
func cutTables(text string, prose func(from, to int), table func(lines []corpus.Span)) {
	from := 0
	for start := 0; start < len(text); {
		if lines, ok := tableAt(text, start); ok {
			prose(from, start)
			table(lines)
			start = lines[len(lines)-1].End
			from = start
			continue
		}
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			break
		}
		start += i + 1
	}
	prose(from, len(text))
}
