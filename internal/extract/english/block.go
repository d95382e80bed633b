package english

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// blockKind says what a block of prose is.
type blockKind uint8

const (
	blockParagraph blockKind = iota
	blockHeading
	blockItem
	blockRow // a row of a table, one segment for each cell
)

// block is a stretch of prose: no sentence crosses its borders.
type block struct {
	kind     blockKind
	header   bool          // the first row of a table
	segments []corpus.Span // its lines or cells, in order
}

// span returns the whole of b.
func (b block) span() corpus.Span {
	return corpus.Span{Start: b.segments[0].Start, End: b.segments[len(b.segments)-1].End}
}

// blocksOf finds the prose of a piece of text. Code, HTML, front matter and
// lines that are not language are left out.
func blocksOf(m *mask, ct corpus.ContentType) []block {
	var blocks []block
	if ct == corpus.ContentMarkdown && !nestsDeep(m.raw) {
		blocks = markdownBlocks(m.raw)
	} else {
		blocks = plainBlocks(m.raw)
	}
	for _, b := range blocks {
		s := b.span()
		m.inline(s.Start, s.End)
	}
	m.done()
	return blocks
}

// isProse reports whether a line reads like language rather than like a
// statement, a diagram or data.
func isProse(line string) bool {
	letters, symbols, total := 0, 0, 0
	for _, r := range line {
		switch {
		case r == ' ' || r == '\t':
			continue
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7F:
			letters++
		case strings.ContainsRune("{}=;<>|\\$@#%^&+~", r):
			symbols++
		}
		total++
	}
	if total == 0 || letters*2 < total {
		return false
	}
	for _, sign := range [...]string{"-->", "= ", "):", "()", ", --", "::", "=>"} {
		if strings.Contains(line, sign) {
			symbols += 3
		}
	}
	trimmed := strings.TrimSpace(line)
	if strings.HasSuffix(trimmed, "{") || strings.HasSuffix(trimmed, ";") && symbols > 1 || shouts(trimmed) {
		return false
	}
	return symbols*8 < total
}

// shouts reports a line whose words are mostly capitals, as keywords of SQL
// are.
func shouts(line string) bool {
	words, upper := 0, 0
	for w := range strings.FieldsSeq(line) {
		words++
		if len(w) > 2 && isUpper(w) {
			upper++
		}
	}
	return words > 2 && upper*2 >= words
}

// isRule reports a line of a table's ruling such as |---|:--:|.
func isRule(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, " \t|:-\r\n") == ""
}

// row turns the line raw[start:end] of a table into a block of cells. A "|"
// after a backslash or inside a code span does not end a cell.
func row(raw string, start, end int) (block, bool) {
	b := block{kind: blockRow}
	from, code, filled := start, false, false
	cell := func(to int) {
		s := trim(raw, corpus.Span{Start: from, End: to})
		if s.Start < s.End || from > start && to < end { // an empty cell keeps its column
			b.segments = append(b.segments, s)
		}
		filled = filled || s.Start < s.End
		from = to + 1
	}
	for i := start; i < end; i++ {
		switch raw[i] {
		case '\\':
			i++
		case '`':
			code = !code
		case '|':
			if !code {
				cell(i)
			}
		}
	}
	if from < end {
		cell(end)
	}
	for n := len(b.segments); n > 0 && b.segments[n-1].Start == b.segments[n-1].End; n-- {
		b.segments = b.segments[:n-1]
	}
	return b, filled
}

// trim narrows s past white space on both sides.
func trim(raw string, s corpus.Span) corpus.Span {
	text := raw[s.Start:s.End]
	left := strings.TrimLeft(text, " \t\r\n")
	s.Start += len(text) - len(left)
	s.End = s.Start + len(strings.TrimRight(left, " \t\r\n"))
	return s
}
