package cli

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// shownPassage is how many characters of a passage a table shows; --full and JSON have all.
const shownPassage = 600

// readable returns the lines of a passage as a person reads them: without the heading that
// its place names, a paragraph or an entry of a list a line, the rows of a table with the
// names of their columns, and cut where it is long.
func readable(p questions.AskPassage, full bool) []string {
	var lines []string
	code, open := false, false // open: whether the line before goes on
	for line := range strings.Lines(p.Text) {
		line = show.OneLine(line)
		switch {
		case strings.HasPrefix(line, "```"):
			code, open = !code, false
		case strings.HasPrefix(line, "#") && p.Section != nil && !code, strings.Trim(line, "|-: ") == "":
			open = false
		case strings.HasPrefix(line, "|"):
			lines, open = append(lines, row(p.Columns, corpus.TableCells(line))), false
		case open && !listEntry.MatchString(line):
			lines[len(lines)-1] += " " + line
		default:
			lines, open = append(lines, line), !code
		}
	}
	for i, line := range lines {
		lines[i] = unlinked(line)
	}
	if full {
		return lines
	}
	return cutLines(lines, shownPassage)
}

// row is a row of a table as a sentence: "When: a node fails; Remedy: restart it".
func row(columns, cells []string) string {
	var parts []string
	for i, cell := range cells {
		switch {
		case cell == "":
		case i < len(columns) && columns[i] != "":
			parts = append(parts, columns[i]+": "+cell)
		default:
			parts = append(parts, cell)
		}
	}
	return strings.Join(parts, "; ")
}

var (
	listEntry = regexp.MustCompile(`^([-*+•]|\d{1,3}[.)]) `)
	link      = regexp.MustCompile(`\[([^\]\[]+)\]\([^)\s]*\)`)
	bold      = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// unlinked leaves out the addresses of links, and the marks of bold words.
func unlinked(line string) string {
	return bold.ReplaceAllString(link.ReplaceAllString(line, "$1"), "$1")
}

// cutLines cuts lines between words, with an ellipsis, after most characters in all.
func cutLines(lines []string, most int) []string {
	for i, line := range lines {
		n := utf8.RuneCountInString(line)
		if n <= most {
			most -= n
			continue
		}
		cut := string([]rune(line)[:most])
		if at := strings.LastIndexByte(cut, ' '); at > 0 {
			cut = cut[:at]
		}
		if cut = strings.TrimRight(cut, " ,;:."); cut == "" && i > 0 {
			lines[i-1] += " …"
			return lines[:i]
		}
		return append(lines[:i:i], cut+" …")
	}
	return lines
}
