package formats

import (
	"bytes"
	"context"
	"strconv"

	"github.com/kappagraph/kappa/corpus"
)

// maxRTFGroups is how deep groups are within each other.
const maxRTFGroups = 2000

// isRTF reports whether body begins as rich text does.
func isRTF(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(body[:min(len(body), 64)], []byte(byteOrderMark)), " \t\r\n\x00"), []byte(`{\rtf`))
}

// readRTF makes Markdown of rich text: headings, paragraphs, lists, the rows of tables; notes,
// comments and text boxes after the paragraph that they belong to; headers and footers as a place
// beside the text. What was deleted, and pictures, are left out.
func readRTF(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	r := rtf{prose: &prose{}, body: body, fonts: map[int]int{}, styles: map[int]int{}, page: 1252}
	r.state.skips = 1
	for n := 0; r.at < len(body); n++ {
		const often = 1 << 12
		if n%often == 0 && ctx.Err() != nil {
			return corpus.DocumentText{}, context.Cause(ctx)
		}
		if err := r.token(); err != nil {
			return corpus.DocumentText{}, err
		}
	}
	r.flush()
	for len(r.outer) > 0 {
		r.pop()
	}
	r.endFormula()
	d := r.margins.after(corpus.DocumentText{Text: r.finish(), Markup: corpus.ContentMarkdown})
	if len(r.groups) > 0 {
		d.Warnings = append(d.Warnings, "The document is cut short: what is missing is not read")
	}
	return d, r.check()
}

// rtf reads rich text.
type rtf struct {
	*prose
	body []byte
	at   int

	state  rtfState
	groups []rtfState // of the groups that are open
	outer  []rtfOuter

	bytes  []byte // characters that have not been decoded yet
	ignore int    // characters that stand for the last one for programs without Unicode
	high   rune   // the first half of a character beyond the first plane

	page   int         // code page of the document
	fonts  map[int]int // code pages
	styles map[int]int // levels of headings
	style  rtfStyle    // that is being declared
	author []byte      // of the next comment
	number string      // of the paragraph, as who does not number paragraphs writes it
	field  []byte      // what the next field does

	margins pageMargins
	math    *formula // that is open; nil is none
}

// rtfState is what a group restores when it ends.
type rtfState struct {
	into    rtfDestination
	star    bool // the group may be left out by who does not know it
	begun   bool // something stands before what comes next in the group
	skips   int  // characters after each of Unicode
	font    int
	inTable bool
	listed  bool
	level   int
	deleted bool
	raised  bool // the text that follows is
	symbol  bool // a field is a character, which has been written
	ends    bool // the end of the group ends what stands after a paragraph
	inMath  bool // or an element of a formula
}

// rtfDestination is what the text of a group is for.
type rtfDestination int

const (
	rtfText rtfDestination = iota
	rtfNothing
	rtfFonts
	rtfStyles
	rtfAuthor
	rtfField  // what a field does
	rtfNumber // of a paragraph
)

// rtfStyle is a style that is being declared.
type rtfStyle struct {
	number, level int
	name          []byte
}

// rtfOuter is what was being written before something that stands after it.
type rtfOuter struct {
	*prose
	label  string
	number string // of its paragraph
	margin bool   // it is a header or a footer
}

// token reads one token.
func (r *rtf) token() error {
	switch c := r.body[r.at]; c {
	case '{':
		r.at++
		r.flush()
		if len(r.groups) >= maxRTFGroups {
			return malformed("The document nests its groups deeper than %d.", maxRTFGroups)
		}
		r.groups = append(r.groups, r.state)
		r.state.star, r.state.begun, r.state.ends, r.state.inMath = false, false, false, false
		r.ignore = 0
	case '}':
		r.at++
		r.flush()
		r.endGroup()
		r.ignore = 0
	case '\\':
		r.at++
		return r.control()
	case '\r', '\n':
		r.at++
	default:
		r.at++
		r.char(c)
	}
	return nil
}

func (r *rtf) endGroup() {
	if r.state.ends {
		r.pop()
	}
	if r.state.inMath {
		r.closeMath()
	}
	from := r.state.into
	if n := len(r.groups) - 1; n >= 0 {
		r.state, r.groups = r.groups[n], r.groups[:n]
	}
	if from == rtfField && r.state.into == rtfText {
		r.endField()
	}
}

// char takes a character of the code page.
func (r *rtf) char(c byte) {
	r.state.begun = true
	if r.ignore > 0 {
		r.ignore--
		return
	}
	switch r.state.into {
	case rtfText, rtfNumber:
		if !r.state.deleted {
			r.bytes = append(r.bytes, c)
		}
	case rtfStyles:
		if c != ';' {
			r.style.name = append(r.style.name, c)
			return
		}
		r.declare()
	case rtfAuthor:
		r.author = append(r.author, c)
	case rtfField:
		r.field = append(r.field, c)
	}
}

// flush decodes the characters that wait for it.
func (r *rtf) flush() {
	if len(r.bytes) == 0 {
		return
	}
	page, known := r.fonts[r.state.font]
	if !known {
		page = r.page
	}
	text := decodePage(r.bytes, page)
	r.bytes = r.bytes[:0]
	r.text(text)
}

// write writes text that is decoded.
func (r *rtf) write(s string) {
	r.flush()
	if (r.state.into == rtfText || r.state.into == rtfNumber) && !r.state.deleted {
		r.text(s)
	}
}

// text writes text to the paragraph, to its number, or to the formula that is open.
func (r *rtf) text(s string) {
	if r.state.into == rtfNumber {
		r.number += s
		return
	}
	if r.math != nil {
		r.math.take(s)
		return
	}
	if r.state.raised && raises(r.paragraph.String(), s) {
		r.paragraph.WriteByte('^')
	}
	r.state.raised = false
	r.paragraph.WriteString(s)
}

// control reads a control word or a control symbol.
func (r *rtf) control() error {
	if r.at >= len(r.body) {
		return nil
	}
	c := r.body[r.at]
	if !isLetter(c) {
		r.at++
		r.symbol(c)
		return nil
	}
	word, value, has := r.word()
	if word == "bin" {
		r.at += min(max(value, 0), len(r.body)-r.at)
		return nil
	}
	if r.ignore > 0 && word != "u" {
		r.ignore--
		return nil
	}
	if word != "u" {
		r.flush()
	}
	first := !r.state.begun
	r.state.begun = true
	if first && r.destination(word) {
		return nil
	}
	r.apply(word, value, has)
	return r.check()
}

// word reads a control word with its number.
func (r *rtf) word() (word string, value int, has bool) {
	const longest, digits = 64, 11
	start := r.at
	for r.at < len(r.body) && r.at-start < longest && isLetter(r.body[r.at]) {
		r.at++
	}
	word = string(r.body[start:r.at])
	start = r.at
	if r.at < len(r.body) && r.body[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.body) && r.at-start < digits && isDigit(r.body[r.at]) {
		r.at++
	}
	value, err := strconv.Atoi(string(r.body[start:r.at]))
	if r.at < len(r.body) && r.body[r.at] == ' ' {
		r.at++
	}
	return word, value, err == nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// symbol reads a control symbol.
func (r *rtf) symbol(c byte) {
	switch c {
	case '*':
		if !r.state.begun {
			r.state.star = true
			return // the word after it says what the group is for
		}
	case '\'':
		const digits = 2
		if n, err := strconv.ParseUint(string(r.body[r.at:min(r.at+digits, len(r.body))]), 16, 8); err == nil {
			r.at += digits
			r.char(byte(n))
		}
		return
	case '\\', '{', '}':
		r.char(c)
		return
	case '~':
		r.write(" ")
	case '_':
		r.write("-")
	case '\r', '\n':
		r.flush()
		r.endLine()
	}
	r.state.begun = true
}
