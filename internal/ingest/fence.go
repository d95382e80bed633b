package ingest

import "strings"

// fences follows the fenced code blocks of a Markdown text line by line, so
// that chunks neither end nor begin within one where that can be avoided: a
// chunk that began there would show prose as code and code as prose.
type fences struct {
	open    string // the marks that opened the block; "" outside
	opening bool   // the next word opens the block
	closing bool   // the next word closes it
}

// line reads the start of a line, without its indentation.
func (f *fences) line(rest string) {
	marks := fenceMarks(rest)
	if marks == "" {
		return
	}
	info := lineStart(rest[len(marks):])
	switch {
	case f.open == "":
		if marks[0] == '~' || !strings.Contains(info, "`") {
			f.open, f.opening = marks, true
		}
	case marks[0] == f.open[0] && len(marks) >= len(f.open) && strings.TrimSpace(info) == "":
		f.closing = true
	}
}

// within reports that the next word is inside a block: after the word that
// opened it, up to and including the one that closes it.
func (f *fences) within() bool { return f.open != "" && !f.opening }

// wordDone records that the next word has been read.
func (f *fences) wordDone() {
	f.opening = false
	if f.closing {
		f.open, f.closing = "", false
	}
}

// fenceMarks returns the run of three or more backticks or tildes at the start
// of s, or "".
func fenceMarks(s string) string {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return ""
	}
	line := lineStart(s)
	if n := len(line) - len(strings.TrimLeft(line, s[:1])); n >= 3 {
		return s[:n]
	}
	return ""
}

// lineStart returns the rest of the line, or the start of it when it is long.
func lineStart(s string) string {
	const most = 1000
	s = s[:min(len(s), most)]
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i]
	}
	return s
}
