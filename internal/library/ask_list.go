package library

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// mostRows is how many rows of a list an answer shows.
const mostRows = 500

// wholeList adds the list or table that the first passage is a part of, when all of a kind is
// asked for: passages are parts of it that can be read alone.
func (a *Asker) wholeList(ctx context.Context, x *asked) error {
	if x.form.name != questions.FormList || len(x.answer.Passages) == 0 {
		return nil
	}
	first := x.first
	if first.Class != corpus.ClassList && first.Class != corpus.ClassTable {
		return nil
	}
	ids, err := a.tables.PassagesAround(ctx, first.ID)
	if err != nil {
		return err
	}
	around, err := a.tables.ReadPassages(ctx, ids)
	if err != nil {
		return err
	}
	if run := runOf(around, first); len(run) > 0 {
		x.answer.Listing = listingOf(run)
	}
	return nil
}

// runOf returns the passages of one list or table, without a gap, of those around one.
func runOf(around []corpus.ShownPassage, of *corpus.ShownPassage) []corpus.ShownPassage {
	at := slices.IndexFunc(around, func(p corpus.ShownPassage) bool { return p.ID == of.ID })
	if at < 0 {
		return nil // it has gone meanwhile
	}
	goesOn := func(a, b corpus.ShownPassage) bool {
		return a.Document == b.Document && b.Number == a.Number+1 && slices.Equal(a.Columns, b.Columns)
	}
	from, to := at, at+1
	for from > 0 && goesOn(around[from-1], around[from]) {
		from--
	}
	for to < len(around) && goesOn(around[to-1], around[to]) {
		to++
	}
	return around[from:to]
}

// listingOf shows the rows of a list or table.
func listingOf(run []corpus.ShownPassage) *questions.AskListing {
	first, last := run[0], run[len(run)-1]
	l := &questions.AskListing{
		Class: string(first.Class), DocumentID: first.DocumentID, Filename: first.Filename, Link: linkTo(&first), Rows: []questions.AskPart{},
		Span: corpus.Span{Start: first.Start, End: last.End}, StartChar: first.StartChar, EndChar: last.EndChar,
	}
	if len(first.Columns) > 0 {
		l.Columns = first.Columns
	}
	if first.Section != "" {
		l.Section = &first.Section
	}
	for _, p := range run {
		for _, at := range rowsOf(&p.Passage) {
			if len(l.Rows) == mostRows {
				l.Truncated = true
				return l
			}
			l.Rows = append(l.Rows, questions.AskPart{Text: p.Text[at.Start:at.End], Span: corpus.Span{Start: p.Start + at.Start, End: p.Start + at.End}})
		}
	}
	return l
}

var entryMark = regexp.MustCompile(`^[ \t]*(?:[-*+•‣·]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]`)

// rowsOf returns where the rows of a table stand in a passage, without its head, or the entries
// of a list, each with its lines.
func rowsOf(p *corpus.Passage) (rows []corpus.Span) {
	at := 0
	for line := range strings.Lines(p.Text) {
		start, end := at, at+len(strings.TrimRight(line, " \t\r\n"))
		at += len(line)
		switch {
		case start == end, p.Class == corpus.ClassTable && isHead(p, p.Text[start:end]):
		case p.Class == corpus.ClassTable, entryMark.MatchString(line):
			rows = append(rows, corpus.Span{Start: start, End: end})
		case len(rows) > 0:
			rows[len(rows)-1].End = end
		}
	}
	if len(rows) == 0 { // entries without marks, as of a definition list
		at = 0
		for line := range strings.Lines(p.Text) {
			if end := at + len(strings.TrimRight(line, " \t\r\n")); end > at {
				rows = append(rows, corpus.Span{Start: at, End: end})
			}
			at += len(line)
		}
	}
	return rows
}

// isHead reports the names of the columns of a table, and the line below them.
func isHead(p *corpus.Passage, line string) bool {
	return strings.Trim(line, "|-:=+ ") == "" || len(p.Columns) > 0 && slices.Equal(corpus.TableCells(line), p.Columns)
}
