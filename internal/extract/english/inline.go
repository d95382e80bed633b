package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// markupReach is how far, in bytes, the end of a code span, link or tag is
// searched for, so that text full of openers is read in linear time.
const markupReach = 400

// mask is a piece of text in which inline markup is blanked out: emphasis,
// links' targets, tags and footnote marks. It keeps the length, so offsets hold
// for both texts.
type mask struct {
	raw    string
	text   string        // raw with the markup blanked; set by done
	bytes  []byte        // text while it is being made
	code   []corpus.Span // contents of inline code spans, in order
	strong []corpus.Span // bold runs, in order
	italic []corpus.Span // runs in italics, in order
}

// newMask starts a mask of raw that blanks nothing yet.
func newMask(raw string) *mask {
	return &mask{raw: raw, bytes: []byte(raw)}
}

// done fixes the masked text. No inline call may follow.
func (m *mask) done() {
	m.text = string(m.bytes)
	byStart := func(a, b corpus.Span) int { return a.Start - b.Start }
	slices.SortFunc(m.code, byStart)
	slices.SortFunc(m.strong, byStart)
	slices.SortFunc(m.italic, byStart)
}

// codeAt returns the code span that i is inside of.
func (m *mask) codeAt(i int) (corpus.Span, bool) {
	at, ok := slices.BinarySearchFunc(m.code, i, func(s corpus.Span, i int) int { return s.Start - i })
	if !ok && at > 0 && m.code[at-1].End > i {
		at, ok = at-1, true
	}
	if !ok {
		return corpus.Span{}, false
	}
	return m.code[at], true
}

// markedAt reports whether i is inside bold text.
func (m *mask) markedAt(i int) bool {
	return spanAt(m.strong, i)
}

// italicAt reports whether i is inside italics.
func (m *mask) italicAt(i int) bool { return spanAt(m.italic, i) }

// spanAt reports whether i is inside one of the spans, which are in order.
func spanAt(spans []corpus.Span, i int) bool {
	at, ok := slices.BinarySearchFunc(spans, i, func(s corpus.Span, i int) int { return s.Start - i })
	return ok || at > 0 && spans[at-1].End > i
}

// blank overwrites raw[start:end] with spaces.
func (m *mask) blank(start, end int) {
	for i := start; i < end; i++ {
		if m.bytes[i] != '\n' {
			m.bytes[i] = ' '
		}
	}
}

// inline blanks the markup of raw[start:end], the text of one block's line or
// paragraph.
func (m *mask) inline(start, end int) {
	var open []int // places of "[" that may start a link
	strongFrom, italicFrom := -1, -1
	for i := start; i < end; {
		switch c := m.raw[i]; c {
		case '`':
			i = m.codeSpan(i, end)
		case '[':
			if len(open) == 64 {
				open = open[:0]
			}
			open = append(open, i)
			i++
		case ']':
			i, open = m.link(i, end, open)
		case '<':
			i = m.tag(i, end)
		case '*', '_', '~':
			n := run(m.raw[i:end], c)
			if c == '*' && n == 2 || c == '_' && n == 2 {
				strongFrom = m.toggleStrong(strongFrom, i, n)
			}
			if n == 1 && c != '~' && (italicFrom >= 0 || m.opensItalic(i, start, end)) {
				italicFrom = m.toggleItalic(italicFrom, i)
			}
			i = m.emphasis(i, n, start, end)
		case '\\':
			m.blank(i, i+1)
			i += 2
		case '&':
			i = m.entity(i, end)
		default:
			i++
		}
	}
}

// run returns how often c is repeated at the start of s.
func run(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// codeSpan records and skips the code span that opens at i.
func (m *mask) codeSpan(i, end int) int {
	n := run(m.raw[i:end], '`')
	from := i + n
	for j := from; j < min(end, from+markupReach); {
		if m.raw[j] != '`' {
			j++
			continue
		}
		k := run(m.raw[j:end], '`')
		if k == n && j > from {
			m.blank(i, from)
			m.blank(j, j+k)
			m.code = append(m.code, corpus.Span{Start: from, End: j})
			return j + k
		}
		j += k
	}
	m.blank(i, from)
	return from
}

// link blanks the brackets and the target of the link whose text ends at i.
func (m *mask) link(i, end int, open []int) (int, []int) {
	if len(open) == 0 {
		return i + 1, open
	}
	from := open[len(open)-1]
	open = open[:len(open)-1]
	label := m.raw[from+1 : i]
	image := from > 0 && m.raw[from-1] == '!'
	if strings.HasPrefix(label, "^") || label == "x" || strings.Trim(label, " 0123456789,-–") == "" {
		m.blank(from, i+1) // a footnote, a task box or a citation
		return i + 1, open
	}
	to := i + 1
	if to < end && (m.raw[to] == '(' || m.raw[to] == '[') {
		closer := byte(')')
		if m.raw[to] == '[' {
			closer = ']'
		}
		if n := strings.IndexByte(m.raw[to:min(end, to+markupReach)], closer); n > 0 {
			to += n + 1
		}
	}
	if to == i+1 && !image {
		return to, open // plain brackets
	}
	m.blank(from, from+1)
	m.blank(i, to)
	if image {
		m.blank(from-1, i)
	}
	return to, open
}

// tag blanks the HTML tag or autolink that starts at i.
func (m *mask) tag(i, end int) int {
	if i+1 >= end || m.raw[i+1] != '/' && m.raw[i+1] != '!' && !unicode.IsLetter(rune(m.raw[i+1])) {
		return i + 1
	}
	if n := strings.IndexByte(m.raw[i:min(end, i+markupReach)], '>'); n > 0 {
		m.blank(i, i+n+1)
		return i + n + 1
	}
	return i + 1
}

// toggleStrong opens a bold run at i, or closes the one opened at from.
func (m *mask) toggleStrong(from, i, n int) int {
	if from < 0 {
		return i + n
	}
	m.strong = append(m.strong, corpus.Span{Start: from, End: i})
	return -1
}

// opensItalic reports whether the single mark at i stands before a word, and none
// stands right before it.
func (m *mask) opensItalic(i, start, end int) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, _ := utf8.DecodeLastRuneInString(m.raw[start:i])
	after, _ := utf8.DecodeRuneInString(m.raw[i+1 : end])
	return !word(before) && word(after)
}

// toggleItalic opens italics at i, or closes those opened at from.
func (m *mask) toggleItalic(from, i int) int {
	if from < 0 {
		return i + 1
	}
	if i-from <= markupReach {
		m.italic = append(m.italic, corpus.Span{Start: from, End: i})
	}
	return -1
}

// emphasis blanks a run of n emphasis marks unless it stands inside a word, as
// in snake_case, or between spaces, as in 2 * 3.
func (m *mask) emphasis(i, n, start, end int) int {
	before, _ := utf8.DecodeLastRuneInString(m.raw[start:i])
	after, _ := utf8.DecodeRuneInString(m.raw[i+n : end])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if m.raw[i] == '_' && word(before) && word(after) || m.raw[i] == '~' && n == 1 {
		return i + n
	}
	m.blank(i, i+n)
	return i + n
}

// entity blanks the HTML entity that starts at i.
func (m *mask) entity(i, end int) int {
	n := strings.IndexByte(m.raw[i:min(end, i+10)], ';')
	if n < 3 || strings.IndexFunc(m.raw[i+1:i+n], func(r rune) bool { return r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) >= 0 {
		return i + 1
	}
	m.blank(i, i+n+1)
	return i + n + 1
}
