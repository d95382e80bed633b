package formats

import (
	"strings"
	"unicode"

	"github.com/alecthomas/chroma/v2"
)

// source writes the text of source code while its tokens are read.
type source struct {
	language string
	text     strings.Builder
	line     int // of the token that comes next

	comment  strings.Builder // lines of comments that nothing stands between
	ended    int             // the line on which the comment ended
	last     string          // the token before, other than white space
	declares string          // the word of this line that declares, or ""
	named    bool            // this line has declared something
}

// declaring are the words before a name that is declared. Those that are false also
// stand before other things, and declare only what is called a function or a class.
var declaring = map[string]bool{
	"func": true, "fn": true, "def": true, "function": true, "class": true, "interface": true, "struct": true, "enum": true, "trait": true,
	"type": true, "module": true, "defmodule": true, "defp": true, "record": true, "protocol": true, "object": true, "namespace": true,
	"impl": true, "sub": true, "procedure": true, "message": true, "service": true, "contract": true, "macro": true, "defun": true, "fun": true,
	"public": false, "private": false, "protected": false, "static": false, "void": false, "internal": false, "extern": false, "int": false,
}

// add reads one token.
func (s *source) add(token chroma.Token) {
	kind := token.Type
	switch {
	case kind == chroma.CommentPreproc || kind == chroma.CommentPreprocFile || kind == chroma.CommentHashbang:
	case s.isDocstring(token): // of what is declared before it
		s.flush()
		s.addComment(token.Value)
		s.flush()
	case isComment(kind):
		s.addComment(token.Value)
	case kind.InCategory(chroma.Keyword):
		word := strings.TrimSpace(token.Value)
		if always, known := declaring[word]; known && (s.declares == "" || always) {
			s.declares = word
		}
	case kind.InCategory(chroma.Name) && s.declares != "" && !s.named:
		switch {
		case kind == chroma.NameFunction, kind == chroma.NameClass, kind == chroma.NameNamespace:
			s.declare(token.Value)
		case declaring[s.declares] && s.declares != "func" && s.declares != "impl" && (kind == chroma.Name || kind == chroma.NameOther):
			s.declare(token.Value)
		}
	}
	if word := strings.TrimSpace(token.Value); word != "" && !isComment(kind) {
		s.last = word
	}
	if lines := strings.Count(token.Value, "\n"); lines > 0 {
		s.line += lines
		s.declares, s.named = "", false
	}
}

func isComment(kind chroma.TokenType) bool {
	return kind.InCategory(chroma.Comment) || kind == chroma.LiteralStringDoc
}

// isDocstring reports a string that stands alone at the beginning of a file, a class or
// a function of Python.
func (s *source) isDocstring(token chroma.Token) bool {
	return s.language == "Python" && token.Type.InSubCategory(chroma.LiteralString) && (s.last == "" || strings.HasSuffix(s.last, ":")) &&
		(strings.HasPrefix(token.Value, `"""`) || strings.HasPrefix(token.Value, "'''"))
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
	s.named = true
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
	line = strings.TrimLeft(line, "/#;%*!-< ")
	return strings.TrimRight(strings.TrimSpace(line), "*/")
}
