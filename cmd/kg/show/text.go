package show

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Printable returns s without what could move the cursor, hide or reorder what
// a terminal shows: names and quotes come from documents. Line breaks stay.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d', r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, s)
}

// OneLine returns s Printable, with its white space folded.
func OneLine(s string) string { return strings.Join(strings.Fields(Printable(s)), " ") }

// Cut returns s in at most width columns, with an ellipsis where it was cut. A
// width of 0 or less leaves it.
func Cut(s string, width int) string {
	if width <= 0 || text.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	used := 0
	for _, r := range s {
		w := text.RuneWidth(r)
		if used+w > width-1 {
			break
		}
		b.WriteRune(r)
		used += w
	}
	return b.String() + "…"
}

// Pad returns s cut or filled with spaces to width columns.
func Pad(s string, width int) string {
	s = Cut(s, width)
	return s + strings.Repeat(" ", max(0, width-text.StringWidth(s)))
}

// Wrap breaks s between words into lines of at most width columns, with first
// in front of the first line and rest in front of the others. A longer word
// stays whole.
func Wrap(s string, width int, first, rest string) string {
	var lines []string
	line, empty := first, true
	for word := range strings.FieldsSeq(s) {
		switch {
		case empty:
			line += word
		case text.StringWidth(line)+1+text.StringWidth(word) > width:
			lines, line = append(lines, line), rest+word
		default:
			line += " " + word
		}
		empty = false
	}
	return strings.Join(append(lines, line), "\n")
}

// Number shows n with a comma between the thousands.
func Number(n int) string {
	if n < 0 {
		return "-" + Number(-n)
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted shows a number of things: "1 chunk", "12 chunks".
func Counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}
