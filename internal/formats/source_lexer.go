package formats

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// lexed returns the comments and names of source code, as Markdown, with the lexer of its
// language.
func lexed(ctx context.Context, text, language string) (string, error) {
	lexer := lexers.Get(language)
	if lexer == nil {
		return "", malformed("Source code in %q is not read.", language)
	}
	next, err := chroma.Coalesce(lexer).Tokenise(nil, shortenMarks(text))
	if err != nil {
		return "", malformed("The source code cannot be read: %v.", err)
	}
	s := lexedSource{source: source{line: 1}, language: language}
	for token := next(); token != chroma.EOF; token = next() {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		s.add(token)
	}
	s.flush()
	return s.text.String(), nil
}

// maxMarks is the longest stretch of marks, in bytes, that is read whole.
const maxMarks = 256

// shortenMarks takes the middle out of stretches of marks, which no person writes: a
// lexer tries all of its rules at each of them, in microseconds. A stretch has no letter,
// digit or end of a line, so that no word is lost and no line moves.
func shortenMarks(text string) string {
	var out strings.Builder
	kept, began := 0, 0 // what is written ends at kept, the stretch begins at began
	shorten := func(end int) {
		if end-began > maxMarks {
			out.WriteString(text[kept : began+maxMarks/2])
			kept = end - maxMarks/2
		}
	}
	for i := range len(text) {
		if isMark(text[i]) {
			continue
		}
		shorten(i)
		began = i + 1
	}
	shorten(len(text))
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}

func isMark(b byte) bool {
	switch {
	case b >= utf8.RuneSelf, b == '\n', b == '\r':
		return false
	}
	return !('0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z')
}

// lexedSource writes the text of source code while its tokens are read.
type lexedSource struct {
	source
	language string
	last     string // the token before, other than white space
	declares string // the word of this line that declares, or ""
	named    bool   // this line has declared something
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
func (s *lexedSource) add(token chroma.Token) {
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
			s.name(token.Value)
		case declaring[s.declares] && s.declares != "func" && s.declares != "impl" && (kind == chroma.Name || kind == chroma.NameOther):
			s.name(token.Value)
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
func (s *lexedSource) isDocstring(token chroma.Token) bool {
	return s.language == "Python" && token.Type.InSubCategory(chroma.LiteralString) && (s.last == "" || strings.HasSuffix(s.last, ":")) &&
		(strings.HasPrefix(token.Value, `"""`) || strings.HasPrefix(token.Value, "'''"))
}

func (s *lexedSource) name(name string) {
	s.named = true
	s.declare(name)
}
