package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Live is a text on a terminal that is replaced by the next one.
type Live struct {
	Out   io.Writer
	drawn int // lines that the last one left above the cursor
}

// Show replaces the last text, in at most so many columns and lines. All of it
// is one write, so that it does not flicker.
func (l *Live) Show(text string, columns, most int) error {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1], fmt.Sprintf("… %d more lines", len(lines)-most+1))
	}
	var s strings.Builder
	if l.drawn > 0 {
		fmt.Fprintf(&s, "\x1b[%dA", l.drawn)
	}
	for _, line := range lines {
		s.WriteString("\r" + Fit(line, columns) + "\x1b[K\n")
	}
	s.WriteString("\x1b[J") // what the last one had more
	l.drawn = len(lines)
	_, err := io.WriteString(l.Out, s.String())
	return err
}

// Keep leaves the last text where it is: the next one comes below it.
func (l *Live) Keep() { l.drawn = 0 }

// Fit cuts a line that may hold colours to width columns, so that the terminal
// does not break it.
func Fit(line string, width int) string {
	if text.StringWidthWithoutEscSequences(line) <= width {
		return strings.TrimRight(line, " ")
	}
	return text.Trim(line, width)
}
