package formats

import "strings"

const (
	maxTaken     = 500 // how far behind the name of what may be a function its end is searched, in bytes
	maxNameParts = 8   // of a name with dots
)

// word reads a word, and declares it when it is the name of something.
func (c *scanner) word() {
	end := wordEnd(c.code, c.at)
	word := c.code[c.at:end]
	if end < len(c.code) && c.prefixes(word, end) {
		return
	}
	nameEnd := c.nameEnd(end)
	if !c.directive && c.before != "." && c.line != c.namedOn {
		end = c.named(word, end, nameEnd)
	}
	c.before = c.code[c.at:end]
	c.take(end)
}

// nameEnd returns where a name ends that may have several words, like Glacier.melt and
// Glacier::melt, from the end of the first.
func (c *scanner) nameEnd(end int) int {
	for range maxNameParts {
		rest := c.code[end:min(len(c.code), end+3)]
		next := strings.TrimPrefix(strings.TrimPrefix(rest, "."), "::")
		if len(next) == len(rest) || next == "" || !isWordByte(next[0]) {
			break
		}
		end = wordEnd(c.code, end+len(rest)-len(next))
	}
	return end
}

// named declares what begins with a word, if its name is declared here: the word, or
// several. It returns where what is read ends.
func (c *scanner) named(word string, end, nameEnd int) int {
	c.holder = c.holder || holders[word]
	c.created = c.created || c.after != "" && strings.EqualFold(word, c.after)
	if always, declares := c.declarer(word); declares && (c.pending == "" || always || !c.declares[c.pending]) {
		c.pending = strings.ToLower(word)
		return end
	}
	switch {
	case c.pending != "" && c.isName(word, nameEnd):
		c.created = false
	case c.isFunction(word, nameEnd):
		c.holder = false
	default:
		if c.declares[c.pending] && c.after == "" {
			c.pending = ""
		}
		return end
	}
	c.declare(c.code[c.at:nameEnd])
	c.pending, c.namedOn = "", c.line
	return nameEnd
}

// prefixes reads the string that a word belongs to: r"…", and raw ones.
func (c *scanner) prefixes(word string, end int) bool {
	next := c.code[end]
	switch {
	case c.docstrings && (next == '"' || next == '\'') && len(word) <= 2 && strings.Trim(word, "rRbBfFuU") == "":
		first := c.first && strings.Trim(word, "rRuU") == "" // others have data, or code
		c.take(end)
		c.first = first
		return c.quoted()
	case c.raw && (next == '"' || next == '#') && len(word) <= 3 && strings.HasSuffix(strings.ToLower(word), "r"):
		mark := rawEnd(c.code[end:], word[len(word)-1] == 'r')
		if mark == "" {
			return false
		}
		at := strings.Index(c.code[end+len(mark):], mark)
		if at < 0 {
			c.endString(len(c.code), false)
		} else {
			c.endString(end+2*len(mark)+at, false)
		}
		return true
	}
	return false
}

// rawEnd returns what ends a raw string whose letter stands before a text: "## of Rust's
// r##", and )x" of R"x( in C++. It is as long as what begins the string, or "" when there is
// none.
func rawEnd(text string, rust bool) string {
	text = text[:min(len(text), 64)]
	if rust {
		hashes := len(text) - len(strings.TrimLeft(text, "#"))
		if !strings.HasPrefix(text[hashes:], `"`) {
			return ""
		}
		return `"` + text[:hashes]
	}
	mark, _, found := strings.Cut(strings.TrimPrefix(text, `"`), "(")
	if !found || len(mark) > 16 || strings.ContainsAny(mark, " \n#\")\\") {
		return ""
	}
	return ")" + mark + `"`
}

// declarer reports whether a word declares what stands behind it, and whether it does so
// before anything.
func (c *scanner) declarer(word string) (always, declares bool) {
	if c.after != "" {
		if !c.created {
			return false, false
		}
		word = strings.ToLower(word)
	}
	always, declares = c.declares[word]
	return always, declares && c.before != "import"
}

// isName reports whether a word behind one that declares is the name, which ends at an
// offset.
func (c *scanner) isName(word string, end int) bool {
	if c.after != "" {
		word = strings.ToLower(word)
	}
	if _, never := noNames[word]; never {
		return false
	}
	next := c.nextMark(end)
	switch {
	case c.pending == "func" && c.before == ")": // of a method of Go
		return next == '(' || next == '['
	case !c.declares[c.pending]:
		return next == '{' || next == ':' || strings.HasPrefix(strings.TrimLeft(c.code[end:], " "), "final")
	}
	return true
}

// isFunction reports whether a word is the name of a function that is declared by its type
// and what it takes, or of a method. The name ends at an offset.
func (c *scanner) isFunction(word string, end int) bool {
	if !c.typed && !c.methods || c.directive || c.parens > 0 || c.nextMark(end) != '(' {
		return false
	}
	inHolder := len(c.braces) > 0 && c.braces[len(c.braces)-1]
	if len(c.braces) > 0 && !inHolder || !c.typed && !inHolder {
		return false
	}
	if _, never := noNames[word]; never {
		return false
	}
	alone := !c.typed || c.before == ""
	member := strings.Contains(c.code[c.at:end], "::")
	if strings.Contains(c.code[c.at:end], ".") { // it is called
		return false
	}
	if alone && !member && (!c.methods || !inHolder) || statements[c.before] || c.before != "" && !endsType(c.before) {
		return false
	}
	if c.typed && len(word) > 2 && strings.ToUpper(word) == word { // a macro
		return false
	}
	switch next := c.behindParens(end); {
	case next == '{', next == ':':
		return true
	case next == ';', next == '=', next == '-':
		return !alone
	default:
		return c.typed && isWordByte(next)
	}
}

// endsType reports whether a type may end with a word or a mark.
func endsType(before string) bool {
	last := before[len(before)-1]
	return isWordByte(last) || isDigit(last) || strings.IndexByte("*&>])~?", last) >= 0
}

// nextMark returns the next byte that is no white space, or 0.
func (c *scanner) nextMark(at int) byte {
	for ; at < min(len(c.code), c.at+maxTaken); at++ {
		if c.code[at] > ' ' {
			return c.code[at]
		}
	}
	return 0
}

// behindParens returns what stands behind the parentheses that come next, or 0.
func (c *scanner) behindParens(at int) byte {
	depth := 0
	for ; at < min(len(c.code), c.at+maxTaken); at++ {
		switch c.code[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return c.nextMark(at + 1)
			}
		}
	}
	return 0
}

// mark reads a mark.
func (c *scanner) mark(b byte) {
	column := c.at == 0 || c.code[c.at-1] == '\n'
	end := c.at + 1
	switch {
	case b == '#' && c.first && c.directives:
		c.directive = true
	case c.directive:
	case c.pending == "func" && b == '(': // the receiver of a method of Go
		end = c.closed(')')
	case c.pending != "" && b == '<': // what a function is generic in
		end = c.closed('>')
	case b == '(':
		c.parens++
	case b == ')':
		c.parens = max(0, c.parens-1)
	}
	c.before = c.code[end-1 : end]
	switch {
	case c.directive:
	case b == '{', b == '}':
		c.brace(b, column)
	case b == ';':
		c.endStatement()
	}
	if b != '*' && end == c.at+1 {
		c.pending = ""
	}
	c.take(end)
}

// closed returns where what begins with a mark ends, in the same line, or else the mark.
func (c *scanner) closed(by byte) int {
	line := c.code[c.at:min(len(c.code), c.at+maxTaken)]
	if end := strings.IndexByte(line[:lineEnd(line, 0)], by); end > 0 {
		return c.at + end + 1
	}
	return c.at + 1
}

// brace reads a brace. One that begins a line ends everything that C has open, since
// branches of a preprocessor may have more of the one than of the other.
func (c *scanner) brace(b byte, column bool) {
	if column && c.directives && (b == '{' || len(c.braces) > 0) {
		c.braces, c.parens = c.braces[:0], 0
	} else if b == '}' && len(c.braces) > 0 {
		c.braces = c.braces[:len(c.braces)-1]
	}
	if b == '{' {
		c.braces = append(c.braces, c.holder && c.parens == 0)
	}
	c.endStatement()
}

func (c *scanner) endStatement() {
	if !c.docstrings {
		c.before = ""
	}
	c.holder, c.created = false, false
}
