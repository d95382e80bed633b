package show

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

const (
	defaultWidth = 80  // of prose that goes to no terminal
	mostWidth    = 100 // of prose; longer lines are hard to read
)

// Screen is where something is shown: a terminal, a pipe or a file.
type Screen struct {
	io.Writer
	Env     func(name string) (string, bool) // the variables of the environment
	NoColor bool                             // the user wants no colours
}

// IsTerminal reports whether w, a reader or a writer, is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsTerminal reports whether the screen is a terminal.
func (s Screen) IsTerminal() bool { return IsTerminal(s.Writer) }

// Live reports whether what is shown can be replaced, as on most terminals.
func (s Screen) Live() bool {
	columns, lines := s.Size()
	return s.IsTerminal() && !s.dumb() && columns > 0 && lines > 0
}

// Paint returns how to colour what is shown: only on a terminal, and not when the
// user wants none.
func (s Screen) Paint() Paint {
	_, refused := s.Env("NO_COLOR")
	return Paint{On: s.IsTerminal() && !s.NoColor && !refused && !s.dumb()}
}

func (s Screen) dumb() bool {
	kind, _ := s.Env("TERM")
	return kind == "dumb"
}

// Size returns the columns and lines of a terminal. Elsewhere the columns are
// COLUMNS when that is set, and 0, which is unlimited, otherwise.
func (s Screen) Size() (columns, lines int) {
	if f, ok := s.Writer.(*os.File); ok {
		if columns, lines, err := term.GetSize(int(f.Fd())); err == nil {
			return columns, lines
		}
	}
	text, _ := s.Env("COLUMNS")
	columns, _ = strconv.Atoi(text) // 0 when it is not a number
	return max(columns, 0), 0
}

// Width returns the columns for prose.
func (s Screen) Width() int {
	columns, _ := s.Size()
	if columns <= 0 {
		return defaultWidth
	}
	return min(columns, mostWidth)
}
