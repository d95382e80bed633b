package formats

import (
	"strings"
	"unicode"
)

// source writes the text of source code while it is read.
type source struct {
	text    strings.Builder
	line    int             // of what is read
	comment strings.Builder // lines of comments that nothing stands between
	ended   int             // the line on which the comment ended
}

// addComment adds the words of a comment to the one before, unless other lines stand
// between them.
func (s *source) addComment(value string) {
	if s.comment.Len() > 0 && s.line > s.ended+1 {
		s.flush()
	}
	for line := range strings.Lines(value) {
		s.comment.WriteString(uncommented(line) + "\n")
	}
	s.ended = s.line + strings.Count(strings.TrimRight(value, "\n"), "\n")
}

// declare begins the section of a name, with the comment that stands directly before
// it.
func (s *source) declare(name string) {
	name = strings.TrimSpace(name)
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return
	}
	if s.comment.Len() > 0 && s.line > s.ended+1 {
		s.flush()
	}
	s.text.WriteString("## " + name + "\n\n")
	s.flush()
}

// flush writes the comment.
func (s *source) flush() {
	if comment := strings.TrimSpace(s.comment.String()); comment != "" {
		s.text.WriteString(comment + "\n\n")
	}
	s.comment.Reset()
}

// uncommented returns the words of a line of a comment. A mark of a heading would be
// read as one.
func uncommented(line string) string {
	line = strings.TrimSpace(line)
	for _, quotes := range []string{`"""`, "'''"} {
		line = strings.TrimSuffix(strings.TrimPrefix(line, quotes), quotes)
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "*/"), "-->")
	line = strings.TrimSuffix(strings.TrimSuffix(line, "-}"), "*)")
	line = strings.TrimPrefix(strings.TrimPrefix(line, "{-"), "(*")
	line = strings.TrimSpace(strings.TrimLeft(line, "/#;%*!-<"))
	line = strings.TrimLeft(line, "/#;%*!- ") // <summary> of C# is text
	return strings.TrimRight(strings.TrimSpace(line), "*/")
}
