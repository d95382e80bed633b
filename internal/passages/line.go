package passages

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// line is a line of a text, with its line end.
type line struct {
	corpus.Span
	text   string // without white space around it
	indent int    // columns of white space before the text; a tab goes on to the next fourth
}

// blank reports a line without any character but white space.
func (l line) blank() bool { return l.text == "" }

// lines reads the lines of a text one after the other; the current one can be read again.
type lines struct {
	text    string
	pos     int
	newline int  // the next one is here, or before pos
	odd     bool // the text has other line ends too
	current line
	ok      bool // there is a current line
}

func newLines(text string) *lines {
	l := &lines{text: text, odd: strings.Contains(text, "\r") || strings.Contains(text, "\f")}
	l.next()
	return l
}

// next moves to the next line.
func (l *lines) next() {
	l.ok = l.pos < len(l.text)
	if !l.ok {
		return
	}
	if l.newline < l.pos || l.pos == 0 {
		l.newline = len(l.text)
		if i := strings.IndexByte(l.text[l.pos:], '\n'); i >= 0 {
			l.newline = l.pos + i
		}
	}
	end := min(l.newline+1, len(l.text))
	if l.odd { // an old line end, or the end of a page, comes before it, unless it is part of it
		if i := strings.IndexAny(l.text[l.pos:end], "\r\f"); i >= 0 && (l.text[l.pos+i] == '\f' || l.pos+i+1 != l.newline) {
			end = l.pos + i + 1
		}
	}
	l.current = newLine(l.text[l.pos:end], l.pos)
	l.pos = end
}

func newLine(text string, start int) line {
	n := line{Span: corpus.Span{Start: start, End: start + len(text)}}
	rest := text
	for rest != "" {
		switch rest[0] {
		case ' ':
			n.indent++
		case '\t':
			n.indent += 4 - n.indent%4
		default:
			n.text = strings.TrimFunc(rest, unseen)
			return n
		}
		rest = rest[1:]
	}
	return n
}

// unseen reports white space, and the mark of the byte order.
func unseen(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// marker returns how long the mark of an item of a list at the beginning of a text is, with
// the space after it; 0 is none.
func marker(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsRune("-*+•‣◦·–—", r):
	case '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || r == '(':
		if size = numeral(text); size == 0 {
			return 0
		}
	default:
		return 0
	}
	if len(text) == size {
		return size
	}
	if text[size] != ' ' && text[size] != '\t' {
		return 0
	}
	return size + 1
}

// numeral returns how long "12.", "3)", "(4)" or "a)" is at the beginning of a text.
func numeral(text string) int {
	rest := strings.TrimPrefix(text, "(")
	const most = 4
	n := 0
	for n < len(rest) && n < most && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if n == 0 && rest != "" && 'a' <= rest[0] && rest[0] <= 'z' {
		if n = 1; !strings.HasPrefix(rest[n:], ")") {
			return 0
		}
	}
	if n == 0 || n == len(rest) || rest[n] != ')' && (rest[n] != '.' || len(rest) < len(text)) {
		return 0
	}
	return len(text) - len(rest) + n + 1
}

// isRule reports a line that only draws: a thematic break, or the rule below a heading.
func isRule(text string) bool {
	return len(text) >= 3 && strings.Contains("-=*_~#+.", text[:1]) && strings.Trim(text, text[:1]+" ") == ""
}

// isUnderline reports a rule as it stands below a heading: of one of two signs, without spaces.
func isUnderline(text string) bool {
	return isRule(text) && strings.Contains("=-", text[:1]) && !strings.Contains(text, " ")
}

// isRuling reports the line below the head of a table, such as |---|:--:|.
func isRuling(text string) bool {
	return strings.Contains(text, "-") && strings.Trim(text, " \t|:-") == ""
}

// fence returns the marks that a line opens or closes a block of code with, or "".
func fence(text string) string {
	if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
		return ""
	}
	return text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
}

// unmarked takes emphasis and code marks out of a heading, as the readers of formats do.
var unmarked = strings.NewReplacer("**", "", "`", "")

// heading returns the level and the words of a line that is a heading in Markdown; 0 is none.
func heading(l line) (level int, title string) {
	rest := strings.TrimLeft(l.text, "#")
	level = len(l.text) - len(rest)
	if level == 0 || level > 6 || l.indent > 3 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(rest)
	if cut := strings.TrimRight(title, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		title = strings.TrimSpace(cut)
	}
	return level, unmarked.Replace(title)
}
