package formats

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"
)

// forCompiler is a comment of Go that is for programs and not for people.
var forCompiler = regexp.MustCompile(`^//(?:[a-z0-9]+:[a-z0-9]|export \w| \+build )`)

// scanner finds comments and declarations in source code. It looks at each byte once, but
// for some hundred behind the name of what may be a function: its time and memory are
// linear in the text, whatever that has. It does not check the text: of what is no code of
// the language, it makes the best.
type scanner struct {
	*syntax
	source
	code string
	at   int // in code

	before  string // the word or mark before, in the same statement
	first   bool   // nothing but white space stands before, in the same line
	pending string // the word before that declares a name, in the same line
	namedOn int    // the last line that has declared a name: it declares no other

	divides int // before this offset, slashes begin no regular expression

	directive bool // the line is for a preprocessor
	created   bool // the statement has the word after which names are declared
	holder    bool // the statement has a word of holders, and declares no function
	parens    int
	braces    []bool // those that are open: whether functions are declared in them
}

// scanned returns the comments and names of source code, as Markdown.
func scanned(ctx context.Context, code string, s *syntax) (string, error) {
	c := scanner{syntax: s, source: source{line: 1}, code: code, first: true}
	if strings.HasPrefix(code, "#!") {
		c.at = lineEnd(code, 0)
	}
	for checked := 0; c.at < len(code); {
		if c.at-checked >= 64<<10 {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			checked = c.at
		}
		c.step()
	}
	c.flush()
	return c.text.String(), nil
}

// step reads one token.
func (c *scanner) step() {
	b := c.code[c.at]
	switch {
	case b == '\n':
		c.endLine()
	case b <= ' ':
		c.at++
	case isWordByte(b):
		c.word()
	case '0' <= b && b <= '9':
		c.number()
	case !c.comment() && !c.quoted():
		c.mark(b)
	}
}

func (c *scanner) endLine() {
	if c.directive && !strings.HasSuffix(strings.TrimSuffix(c.code[:c.at], "\r"), `\`) {
		c.directive, c.before = false, ""
	}
	c.at++
	c.line++
	c.first, c.pending = true, ""
}

// take moves to an offset behind what is read.
func (c *scanner) take(end int) {
	c.line += strings.Count(c.code[c.at:end], "\n")
	c.at, c.first = end, false
}

// comment reads a comment, if one begins here.
func (c *scanner) comment() bool {
	rest := c.code[c.at:]
	for _, b := range c.blocks {
		if strings.HasPrefix(rest, b.open) {
			n := b.length(rest)
			c.addComment(strings.TrimSuffix(rest[len(b.open):n], b.end) + " ") // so that it has as many lines
			c.take(c.at + n)
			return true
		}
	}
	for _, mark := range c.marks {
		if strings.HasPrefix(rest, mark) {
			end := lineEnd(c.code, c.at)
			if !c.commands || !forCompiler.MatchString(c.code[c.at:min(end, c.at+maxTaken)]) {
				c.addComment(c.code[c.at:end])
			}
			c.take(end)
			return true
		}
	}
	return false
}

// length returns how long the comment is that a text begins with. One without an end is
// all of the text.
func (b block) length(text string) int {
	at := len(b.open)
	for depth := 1; depth > 0; {
		end := strings.Index(text[at:], b.end)
		if end < 0 {
			return len(text)
		}
		if b.nested {
			depth += strings.Count(text[at:at+end], b.open)
		}
		at += end + len(b.end)
		if depth--; !b.nested {
			break
		}
	}
	return at
}

// quoted reads a string, a character or a regular expression, if one begins here.
func (c *scanner) quoted() bool {
	rest := c.code[c.at:]
	for _, q := range c.quotes {
		if strings.HasPrefix(rest, q.open) {
			c.endString(c.at+q.length(rest), q.lines)
			return true
		}
	}
	n := 0
	switch {
	case c.characters && rest[0] == '\'':
		n = characterLength(rest)
	case c.regexps && rest[0] == '/' && c.at >= c.divides && c.mayBeRegexp():
		if n = regexpLength(rest); n == 0 {
			c.divides = lineEnd(c.code, c.at)
		}
	}
	if n > 0 {
		c.endString(c.at+n, false)
	}
	return n > 0
}

// endString reads a string up to an offset. One of several lines may be documentation: of
// the file, or of what is declared before it.
func (c *scanner) endString(end int, lines bool) {
	if c.docstrings && lines && c.first && (c.before == "" || c.before == ":") {
		c.flush()
		c.addComment(c.code[c.at:end])
		c.flush()
	}
	c.take(end)
	c.before, c.pending = `"`, ""
}

// length returns how long the string is that a text begins with.
func (q quote) length(text string) int {
	last := q.end[0]
	for at := len(q.open); at < len(text); {
		switch b := text[at]; {
		case b == '\\' && q.escapes:
			at += 2
		case b == last && strings.HasPrefix(text[at:], q.end):
			at += len(q.end)
			if !q.doubled || !strings.HasPrefix(text[at:], q.end) {
				return at
			}
			at += len(q.end)
		case b == '\n' && !q.lines:
			return at
		case b == '$' && q.nested && strings.HasPrefix(text[at:], "${"):
			at += codeLength(text[at:])
		default:
			at++
		}
	}
	return len(text)
}

// codeLength returns how long the ${…} is that a text begins with, of a string in
// backquotes: such strings and braces may be nested in it.
func codeLength(text string) int {
	open := []byte{'{'}
	at := len("${")
	for at < len(text) && len(open) > 0 {
		inString := open[len(open)-1] == '`'
		switch b := text[at]; {
		case b == '\\':
			at++
		case b == '`' && inString, b == '}' && !inString:
			open = open[:len(open)-1]
		case b == '`', b == '{' && !inString:
			open = append(open, b)
		case b == '$' && inString && strings.HasPrefix(text[at:], "${"):
			open = append(open, '{')
			at++
		}
		at++
	}
	return min(at, len(text))
}

// characterLength returns how long the character in quotes is that a text begins with, or 0:
// the mark also begins a lifetime of Rust and separates digits.
func characterLength(text string) int {
	if len(text) > 2 && text[1] == '\\' {
		if end := strings.IndexByte(text[3:min(len(text), 16)], '\''); end >= 0 {
			return 3 + end + 1
		}
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	if len(text) > 1+size && text[1] != '\n' && text[1+size] == '\'' {
		return size + 2
	}
	return 0
}

// mayBeRegexp reports whether a slash begins a regular expression here, and does not divide.
func (c *scanner) mayBeRegexp() bool {
	if c.before == "" || statements[c.before] {
		return true
	}
	last := c.before[len(c.before)-1]
	return !isWordByte(last) && (last < '0' || last > '9') && last != ')' && last != ']' && last != '}' && last != '"'
}

// regexpLength returns how long the regular expression is that a text begins with, or 0.
func regexpLength(text string) int {
	class := false
	for at := 1; at < len(text); at++ {
		switch b := text[at]; {
		case b == '\n':
			return 0
		case b == '\\':
			at++
		case b == '[':
			class = true
		case b == ']':
			class = false
		case b == '/' && !class:
			return at + 1
		}
	}
	return 0
}

// number reads a number. A quote in it separates digits.
func (c *scanner) number() {
	at := c.at + 1
	for at < len(c.code) && (isWordByte(c.code[at]) || '0' <= c.code[at] && c.code[at] <= '9' || c.code[at] == '\'' && c.characters && at+1 < len(c.code) && isDigit(c.code[at+1])) {
		at++
	}
	c.before, c.pending = c.code[c.at:at], ""
	c.take(at)
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' || b == '$' || b >= utf8.RuneSelf
}

// wordEnd returns where the word ends that begins at an offset.
func wordEnd(text string, at int) int {
	for at < len(text) && (isWordByte(text[at]) || isDigit(text[at])) {
		at++
	}
	return at
}

// lineEnd returns where the line ends that an offset is in, without its end.
func lineEnd(text string, at int) int {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return at + end
	}
	return len(text)
}
