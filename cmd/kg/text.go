package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// paint colours words for one place of output; off, it leaves them as they are.
type paint struct{ on bool }

// paint returns how to colour what is written to w: only on a terminal, and not
// when the user wants none.
func (a *app) paint(w io.Writer) paint {
	_, refused := a.env("NO_COLOR")
	return paint{on: isTerminal(w) && !a.noColor && !refused && a.getenv("TERM") != "dumb"}
}

func (p paint) with(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) bold(s string) string   { return p.with("1", s) }
func (p paint) dim(s string) string    { return p.with("2", s) }
func (p paint) red(s string) string    { return p.with("31", s) }
func (p paint) green(s string) string  { return p.with("32", s) }
func (p paint) yellow(s string) string { return p.with("33", s) }
func (p paint) cyan(s string) string   { return p.with("36", s) }

// printable returns s without what could move the cursor, hide or reorder what
// a terminal shows: names and quotes come from documents. Line breaks stay.
func printable(s string) string {
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

// oneLine returns s printable, with its white space folded.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// cut returns s in at most width columns, with an ellipsis where it was cut. A
// width of 0 or less leaves it.
func cut(s string, width int) string {
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

// pad returns s cut or filled with spaces to width columns.
func pad(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(0, width-text.StringWidth(s)))
}

// wrap breaks s between words into lines of at most width columns, with first
// in front of the first line and rest in front of the others. A longer word
// stays whole.
func wrap(s string, width int, first, rest string) string {
	var lines []string
	line, empty := first, true
	for _, word := range strings.Fields(s) {
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

// number shows n with a comma between the thousands.
func number(n int) string {
	if n < 0 {
		return "-" + number(-n)
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted shows a number of things: "1 chunk", "12 chunks".
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

// span shows a duration as 320 ms, 4.2 s, 3 min 20 s, 5 h 10 min or 3 d 4 h.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}
