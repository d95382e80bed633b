package passages

import (
	"iter"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// The sizes of passages, as width counts them.
const (
	joinedWidth = 400  // short paragraphs are joined up to here
	listWidth   = 800  // items of a list, with the line before it
	rowsWidth   = 240  // rows of a table: each is read by itself, and is found among few others
	wholeWidth  = 2400 // a longer block is cut
	pieceWidth  = 1400 // into pieces of no more than this
	// ownWords is from how many words on a paragraph is never joined with another.
	ownWords = 40
)

// Cutter cuts documents. The zero value is ready, and finds no definitions.
type Cutter struct {
	// Definitions returns the terms that a passage defines, which opens its section or does not;
	// nil finds none.
	Definitions func(p corpus.Passage, opens bool) []string
}

// Cut returns the passages of a text, in order.
func (c Cutter) Cut(d corpus.DocumentText) iter.Seq[corpus.Passage] {
	return func(yield func(corpus.Passage) bool) {
		w := &cutting{cutter: c, document: d, language: newLanguage(d.Text), yield: yield}
		w.run()
	}
}

// part is what becomes a passage: a block, or several that are joined.
type part struct {
	block
	width   int
	long    bool // it is never joined with another
	section string
	page    int
}

// cutting is a text that is being cut.
type cutting struct {
	cutter   Cutter
	document corpus.DocumentText
	language language
	yield    func(corpus.Passage) bool
	stopped  bool // the caller wants no more

	place    int // how many places begin at what is read, or before
	headings []part
	label    label // that what follows stands under
	waiting  *part // a line that is a label if a text follows
	short    int   // lines before it that were none
	open     *part // what the next block may be joined to

	number      int
	section     string // of the last passage that a section may open with
	at, charsAt int    // a byte, and how many characters stand before it
}

func (w *cutting) run() {
	read := newBlocks(w.document)
	for !w.stopped {
		n, ok := read.next()
		if !ok {
			break
		}
		w.add(n)
	}
	w.settle(nil)
	w.flush()
	w.flushHeadings(0)
}

// add takes the next block: a heading, a line that may be one, or a part of the text.
func (w *cutting) add(n block) {
	at := w.placeOf(n.Start)
	if n.kind == title {
		if isLastOf(at.Section, n.title) {
			w.settle(nil)
			w.flush()
			w.flushHeadings(n.level)
			w.headings = append(w.headings, part{block: n, section: at.Section, page: at.Page})
			return
		}
		n.kind = paragraph
	}
	w.headings = w.headings[:0] // they are the section of what follows
	text := w.document.Text[n.Start:n.End]
	p := part{block: n, width: width(text), section: at.Section, page: at.Page}
	p.long = n.kind != tableRow && manyWords(text, ownWords)
	w.settle(&p)
	if w.isLabel(p) {
		w.waiting = &p
		return
	}
	w.short = 0
	w.follow(p)
}

// follow joins a part to what is open, or has it follow that.
func (w *cutting) follow(p part) {
	p.section = w.labelled(p.section)
	if w.open != nil && w.joins(p) {
		w.open.End, w.open.width = p.End, w.open.width+p.width
		w.open.kind = p.kind
		return
	}
	w.flush()
	w.open = &p
}

// joins reports whether a block belongs to what is open.
func (w *cutting) joins(p part) bool {
	o := w.open
	if o.section != p.section || o.page != p.page {
		return false
	}
	all := o.width + p.width
	switch {
	case o.kind == paragraph && p.kind == paragraph:
		return !o.long && !p.long && all <= joinedWidth && mayBeOfOneLanguage(w.document.Text[o.Start:o.End], w.document.Text[p.Start:p.End])
	case o.kind == listItem && p.kind == listItem:
		return !o.long && !p.long && all <= listWidth || all <= joinedWidth
	case o.kind == paragraph && (p.kind == listItem || p.kind == code):
		return !o.long && all <= listWidth && w.announces(o)
	case o.kind == tableRow && p.kind == tableRow:
		return sameColumns(o.columns, p.columns) && all <= rowsWidth
	}
	return false
}

// announces reports whether what is open ends with a colon: a list or code follows.
func (w *cutting) announces(o *part) bool {
	text := strings.TrimRight(w.document.Text[o.Start:o.End], " \t\r\n*_")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// sameColumns reports whether two rows are of one table.
func sameColumns(a, b []string) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// placeOf returns where a byte stands. It is asked for in ascending order.
func (w *cutting) placeOf(start int) corpus.Place {
	places := w.document.Places
	for w.place < len(places) && places[w.place].Start <= start {
		w.place++
	}
	if w.place == 0 {
		return corpus.Place{}
	}
	return places[w.place-1]
}

// isLastOf reports whether a heading is the last one of a path.
func isLastOf(section, heading string) bool {
	return section == heading || strings.HasSuffix(section, corpus.SectionSeparator+heading)
}

// flushHeadings makes passages of the headings, of a level and below, that nothing stands under.
// Those above them are in their paths.
func (w *cutting) flushHeadings(level int) {
	above := 0
	for above < len(w.headings) && w.headings[above].level < level {
		above++
	}
	if above == len(w.headings) {
		return
	}
	// Of several, each but the last is above the next one.
	last := w.headings[len(w.headings)-1]
	w.headings = w.headings[:0]
	w.emit(last)
}

// flush makes passages of what is open.
func (w *cutting) flush() {
	o := w.open
	if o == nil {
		return
	}
	w.open = nil
	if o.width <= wholeWidth {
		w.emit(*o)
		return
	}
	o.Span = w.trimmed(o.Span)
	perWidth := float64(o.End-o.Start) / float64(o.width)
	for end := o.End; o.Start < end && !w.stopped; o.Start = o.End {
		pieces := math.Ceil(float64(end-o.Start) / perWidth / pieceWidth)
		o.End = end
		if pieces > 1 {
			ideal := float64(end-o.Start) / pieces
			o.End = o.Start + cutAt(w.document.Text[o.Start:end], int(ideal*0.6), int(ideal), int(ideal*1.3))
		}
		w.emit(*o)
	}
}

// emit yields a part as a passage.
func (w *cutting) emit(p part) {
	p.Span = w.trimmed(p.Span)
	if p.Start == p.End || w.stopped {
		return
	}
	w.number++
	passage := corpus.Passage{
		Number: w.number, Span: p.Span, StartChar: w.chars(p.Start), EndChar: w.chars(p.End), Text: w.document.Text[p.Start:p.End],
		Page: p.page, Section: p.section, Columns: p.columns,
	}
	passage.Class = classOf(passage, p.kind)
	passage.Language = w.language.of(passage)
	if w.cutter.Definitions != nil && passage.Class.Main() {
		passage.Defines = w.cutter.Definitions(passage, p.section != w.section)
	}
	if c := passage.Class; c == corpus.ClassProse || c == corpus.ClassList || c == corpus.ClassCode {
		w.section = p.section
	}
	w.stopped = !w.yield(passage)
}

// trimmed returns a span without the white space at its ends.
func (w *cutting) trimmed(s corpus.Span) corpus.Span {
	text := strings.TrimLeftFunc(w.document.Text[s.Start:s.End], unseen)
	s.Start = s.End - len(text)
	s.End = s.Start + len(strings.TrimRightFunc(text, unseen))
	return s
}

// chars returns how many characters stand before a byte. It is asked for in ascending order.
func (w *cutting) chars(at int) int {
	w.charsAt += utf8.RuneCountInString(w.document.Text[w.at:at])
	w.at = at
	return w.charsAt
}
