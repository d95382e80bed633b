package passages

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// kind is what a block is, by how it is written.
type kind int

const (
	paragraph kind = iota
	listItem
	tableRow // one row
	code
	title // a heading
)

// block is a part of a text that is cut only when it is long.
type block struct {
	corpus.Span
	kind    kind
	columns []string // of tableRow
	level   int      // of title, 1 to 6
	title   string   // its words
	tight   bool     // no blank line stands before it
	// underline is '=' or '-' of a line that has a rule of these below it, as headings have.
	underline byte
}

const (
	// unwrapped is from which length on, in bytes, a line is a paragraph by itself: nobody
	// breaks lines there.
	unwrapped = 200
	// hanging is how far a line of an item of a list is indented, at least.
	hanging = 2
	// indentedCode is how far code is indented in Markdown.
	indentedCode = 4
)

// blocks reads the blocks of a text one after the other.
type blocks struct {
	lines    *lines
	markdown bool
	columns  []string // of the table that is read; nil outside
	inTable  bool
	after    bool // a blank line stands before the current one, or nothing
	item     bool // the block before was an item of a list
}

func newBlocks(d corpus.DocumentText) *blocks {
	return &blocks{lines: newLines(d.Text), markdown: d.Markup == corpus.ContentMarkdown, after: true}
}

// next returns the next block, and false at the end of the text.
func (b *blocks) next() (block, bool) {
	for b.lines.ok && (b.lines.current.blank() || isRule(b.lines.current.text) && !b.inTable) {
		b.after, b.inTable = true, false
		b.lines.next()
	}
	if !b.lines.ok {
		return block{}, false
	}
	tight := !b.after
	n := b.read(b.lines.current)
	n.tight = tight
	b.after, b.item = false, n.kind == listItem
	return n, true
}

// read reads the block that begins with a line.
func (b *blocks) read(first line) block {
	if strings.HasPrefix(first.text, "|") {
		if n, ok := b.row(); ok {
			return n
		}
	}
	b.inTable = false
	if b.markdown {
		if marks := fence(first.text); marks != "" {
			return b.fenced(marks)
		}
		if level, words := heading(first); level > 0 && words != "" {
			b.lines.next()
			return block{Span: first.Span, kind: title, level: level, title: words}
		}
		if first.indent >= indentedCode && b.after && !b.item {
			return b.indented()
		}
	}
	if marker(first.text) > 0 {
		return b.listed(first)
	}
	return b.paragraph(first)
}

// fenced reads a block of code to the line that closes it.
func (b *blocks) fenced(marks string) block {
	n := block{Span: b.lines.current.Span, kind: code}
	for b.lines.next(); b.lines.ok; b.lines.next() {
		l := b.lines.current
		n.End = l.End
		if closing := fence(l.text); strings.HasPrefix(closing, marks) && closing == l.text {
			b.lines.next()
			break
		}
	}
	return n
}

// indented reads lines of code that are indented, with the blank lines between them.
func (b *blocks) indented() block {
	n := block{Span: b.lines.current.Span, kind: code}
	for ; b.lines.ok; b.lines.next() {
		l := b.lines.current
		if !l.blank() && l.indent < indentedCode {
			break
		}
		if !l.blank() {
			n.End = l.End
		}
	}
	return n
}

// listed reads an item of a list: its line, and those that hang below it.
func (b *blocks) listed(first line) block {
	n := block{Span: first.Span, kind: listItem}
	for b.lines.next(); b.lines.ok; b.lines.next() {
		l := b.lines.current
		if l.blank() || marker(l.text) > 0 || b.begins(l) || l.indent < hanging && max(first.End-first.Start, l.End-l.Start) > unwrapped {
			break
		}
		n.End = l.End
	}
	return n
}

// paragraph reads lines to a blank one, or to one that begins something else.
func (b *blocks) paragraph(first line) block {
	n := block{Span: first.Span, kind: paragraph}
	last := first
	for b.lines.next(); b.lines.ok; b.lines.next() {
		l := b.lines.current
		if l.blank() || b.begins(l) || marker(l.text) > 0 || last.End-last.Start > unwrapped || l.End-l.Start > unwrapped || isRule(l.text) {
			break
		}
		n.End, last = l.End, l
	}
	if below := b.lines; below.ok && n.Span == first.Span && isUnderline(below.current.text) {
		n.underline = below.current.text[0]
	}
	return n
}

// begins reports a line that no paragraph goes on with.
func (b *blocks) begins(l line) bool {
	if strings.HasPrefix(l.text, "|") {
		return true
	}
	if !b.markdown {
		return false
	}
	level, words := heading(l)
	return fence(l.text) != "" || level > 0 && words != ""
}

// row reads a row of a table, and the head of the table before its first one. It is false for
// a line that begins with "|" and stands alone.
func (b *blocks) row() (block, bool) {
	first := b.lines.current
	if b.inTable {
		b.lines.next()
		return block{Span: first.Span, kind: tableRow, columns: b.columns}, true
	}
	ahead := *b.lines
	ahead.next()
	if !ahead.ok || !strings.HasPrefix(ahead.current.text, "|") {
		return block{}, false
	}
	b.inTable, b.columns = true, nil
	if isRuling(ahead.current.text) {
		below := ahead
		below.next()
		if below.ok && strings.HasPrefix(below.current.text, "|") {
			b.columns = corpus.TableCells(first.text)
			*b.lines = below
			return b.row()
		}
	}
	b.lines.next()
	return block{Span: first.Span, kind: tableRow}, true
}
