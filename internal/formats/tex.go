package formats

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// texHeadings are the commands that begin a section, by the levels of their headings.
var texHeadings = map[string]int{
	"title": 1, "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6, "frametitle": 3,
}

// texDropped are commands, by how many of their arguments are no text.
var texDropped = map[string]int{
	"label": 1, "ref": 1, "eqref": 1, "pageref": 1, "autoref": 1, "cref": 1, "Cref": 1, "cite": 1, "citep": 1, "citet": 1, "nocite": 1, "parencite": 1, "textcite": 1, "index": 1, "includegraphics": 1,
	"usepackage": 1, "documentclass": 1, "documentstyle": 1, "input": 1, "include": 1, "bibliography": 1, "bibliographystyle": 1, "vspace": 1, "hspace": 1, "pagestyle": 1, "thispagestyle": 1,
	"setlength": 2, "addtolength": 2, "setcounter": 2, "addtocounter": 2, "newcommand": 2, "renewcommand": 2, "providecommand": 2, "newenvironment": 3, "renewenvironment": 3, "newtheorem": 2, "DeclareMathOperator": 2,
	"color": 1, "textcolor": 1, "colorbox": 1, "href": 1, "hyperlink": 1, "hypertarget": 1, "hyperref": 0, "hypersetup": 1, "graphicspath": 1, "fontsize": 2, "selectlanguage": 1, "foreignlanguage": 1, "bibitem": 1, "hyphenation": 1, "addcontentsline": 3,
	"rule": 2, "raisebox": 1, "parbox": 1, "begin": 1, "end": 1, "multicolumn": 2, "cline": 1, "cmidrule": 1, "newlength": 1, "newcounter": 1, "theoremstyle": 1, "geometry": 1, "tag": 1, "inputencoding": 1, "special": 1,
}

// texAccents are the marks that accents put on the letter behind them.
var texAccents = map[string]string{
	`"`: "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307", "c": "\u0327", "v": "\u030C", "u": "\u0306", "H": "\u030B", "k": "\u0328", "r": "\u030A", "d": "\u0323",
}

// texCode are the environments of code, which is read as it stands.
var texCode = []string{"verbatim", "verbatim*", "lstlisting", "minted", "Verbatim", "alltt"}

// texReader reads a text in TeX, from its beginning to its end.
type texReader struct {
	text string
	at   int
	out  strings.Builder
	math bool // within a formula
}

// texText makes Markdown of a text in TeX: headings, paragraphs, items of lists, and formulas in a
// line. Commands, comments and definitions are left out.
func texText(text string) string {
	var title strings.Builder
	if head, body, found := strings.Cut(text, `\begin{document}`); found {
		for _, name := range []string{"title", "author", "date"} {
			if i := strings.Index(head, `\`+name+"{"); i >= 0 {
				r := texReader{text: head, at: i}
				r.read()
				title.WriteString(r.out.String() + "\n\n")
			}
		}
		text, _, _ = strings.Cut(body, `\end{document}`)
	}
	r := texReader{text: text}
	for r.at < len(r.text) {
		r.read()
	}
	var kept strings.Builder
	for line := range strings.Lines(title.String() + r.out.String()) {
		line = strings.TrimRight(line, " \t\n")
		kept.WriteString(strings.TrimLeft(line, " \t") + "\n")
	}
	return norm.NFC.String(kept.String())
}

// read reads a character, a command or a group of commands.
func (r *texReader) read() {
	c := r.text[r.at]
	switch c {
	case '\\':
		r.command()
	case '%':
		end := strings.IndexByte(r.text[r.at:], '\n')
		if end < 0 {
			end = len(r.text) - r.at - 1
		}
		r.at += end + 1
	case '{', '}':
		r.at++
	case '$':
		r.at++
		if r.at < len(r.text) && r.text[r.at] == '$' {
			r.at++
		}
		r.math = !r.math
	case '~':
		r.put(" ", 1)
	case '&':
		r.put(" | ", 1)
	case '`', '\'':
		switch {
		case strings.HasPrefix(r.text[r.at:], "``"):
			r.put("“", 2)
		case strings.HasPrefix(r.text[r.at:], "''"):
			r.put("”", 2)
		default:
			r.put(r.text[r.at:r.at+1], 1)
		}
	case '-':
		switch {
		case strings.HasPrefix(r.text[r.at:], "---"):
			r.put("—", 3)
		case strings.HasPrefix(r.text[r.at:], "--"):
			r.put("–", 2)
		default:
			r.put("-", 1)
		}
	default:
		end := r.at + 1
		for end < len(r.text) && !strings.ContainsRune("\\%{}$~&`'-", rune(r.text[end])) {
			end++
		}
		if strings.Contains(r.text[r.at:end], "\n\n") {
			r.math = false // no formula has a blank line: its end is missing
		}
		r.put(r.text[r.at:end], end-r.at)
	}
}

func (r *texReader) put(text string, length int) {
	r.out.WriteString(text)
	r.at += length
}

// command reads a command, and its arguments that are no text.
func (r *texReader) command() {
	r.at++
	if r.at == len(r.text) {
		return
	}
	name := r.name()
	accent, isAccent := texAccents[name]
	symbol, isSymbol := texSymbols[name]
	level := texHeadings[strings.TrimSuffix(name, "*")]
	switch {
	case name == "begin" || name == "end":
		r.environment(name, r.group('{', '}'))
	case name == "verb" && r.at < len(r.text):
		if end := strings.IndexByte(r.text[r.at+1:], r.text[r.at]); end >= 0 {
			r.put(r.text[r.at+1:r.at+1+end], end+2)
		}
	case level > 0:
		r.group('[', ']')
		heading := strings.Join(strings.Fields(r.argument()), " ")
		r.out.WriteString("\n\n" + strings.Repeat("#", level) + " " + heading + "\n\n")
	case name == "frac" || name == "dfrac" || name == "tfrac":
		r.out.WriteString("(" + r.argument() + ")/(" + r.argument() + ")")
	case name == "footnote":
		r.out.WriteString(" (" + strings.TrimSpace(r.argument()) + ")")
	case name == "char":
		r.out.WriteString(r.number())
	case name == "url" || name == "path":
		r.out.WriteString(r.group('{', '}'))
	case isAccent && !isSymbol:
		r.accent(accent)
	case isSymbol:
		if name == "item" {
			if term := r.group('[', ']'); term != "" {
				symbol += term + " "
			}
			for r.at < len(r.text) && r.text[r.at] == ' ' {
				r.at++
			}
		}
		r.symbol(name, symbol)
	case name == "\\":
		r.group('[', ']')
		r.out.WriteString("\n")
	case len(name) == 1 && !unicode.IsLetter(rune(name[0])):
		r.sign(name)
	case name == "def" || name == "let":
		r.define()
	case r.math && !texSetting[name] && texDropped[name] == 0:
		r.symbol(name, name) // of the document: its name says what it is
	default:
		r.drop(texDropped[strings.TrimSuffix(name, "*")])
	}
}

// name returns the name of the command that is read.
func (r *texReader) name() string {
	begin := r.at
	for r.at < len(r.text) && (r.text[r.at]|0x20 >= 'a' && r.text[r.at]|0x20 <= 'z' || r.text[r.at] == '@') {
		r.at++
	}
	if r.at == begin {
		_, size := utf8.DecodeRuneInString(r.text[r.at:])
		r.at += size
		return r.text[begin:r.at]
	}
	name := r.text[begin:r.at]
	if r.at < len(r.text) && r.text[r.at] == '*' {
		r.at++
	}
	if rest := strings.TrimLeft(r.text[r.at:min(len(r.text), r.at+8)], " \t"); rest != "" && (texSymbols[name] != "" && !isOperator(name, texSymbols[name]) && rest[0] != '\n') && unicode.IsLetter(rune(rest[0])) && name != "item" && !strings.Contains(texSymbols[name], " ") {
		r.at += strings.Index(r.text[r.at:], rest)
	}
	return name
}

// drop passes over options and so many arguments.
func (r *texReader) drop(arguments int) {
	r.group('[', ']')
	for range arguments {
		r.group('[', ']')
		r.group('{', '}')
	}
}

// define passes over a definition.
func (r *texReader) define() {
	end := strings.IndexAny(r.text[r.at:], "{\n")
	if end < 0 {
		return
	}
	r.at += end
	r.group('{', '}')
}

// environment begins or ends one.
func (r *texReader) environment(command, name string) {
	if command == "begin" {
		for _, code := range texCode {
			if name != code {
				continue
			}
			end := strings.Index(r.text[r.at:], `\end{`+name+"}")
			if end < 0 {
				end = len(r.text) - r.at
			}
			r.put("\n\n```\n"+strings.Trim(r.text[r.at:r.at+end], "\n")+"\n```\n\n", end)
			return
		}
		r.group('[', ']')
		r.math = r.math || texFormulas[strings.TrimSuffix(name, "*")]
		if strings.HasPrefix(name, "tabular") || name == "array" || name == "minipage" || name == "longtable" || name == "thebibliography" {
			r.group('{', '}')
		}
	}
	if command == "end" && texFormulas[strings.TrimSuffix(name, "*")] {
		r.math = false
	}
	r.out.WriteString("\n\n")
}

// maxTexGroup is how long an argument is of which the end is looked for.
const maxTexGroup = 64 << 10

// group passes over the group that follows, and returns what is in it; "" when none does.
func (r *texReader) group(open, closing byte) string {
	at := r.at
	for at < len(r.text) && (r.text[at] == ' ' || r.text[at] == '\t') {
		at++
	}
	if at == len(r.text) || r.text[at] != open {
		return ""
	}
	depth := 0
	for i := at; i < len(r.text) && i < at+maxTexGroup; i++ {
		switch r.text[i] {
		case '\\':
			i++
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				r.at = i + 1
				return r.text[at+1 : i]
			}
		}
	}
	return ""
}

// argument returns the text of the group or the character that follows.
func (r *texReader) argument() string {
	inner := r.group('{', '}')
	if inner == "" || len(inner) > maxTexArgument {
		return inner
	}
	sub := texReader{text: inner, math: r.math}
	for sub.at < len(sub.text) {
		sub.read()
	}
	return sub.out.String()
}

// maxTexArgument is how long an argument is that is read by itself: arguments are within each other.
const maxTexArgument = 4 << 10

// accent puts a mark on the letter that follows.
func (r *texReader) accent(mark string) {
	letter := r.group('{', '}')
	if letter == "" && r.at < len(r.text) && r.text[r.at] != '\\' && r.text[r.at] != '{' {
		rest := strings.TrimLeft(r.text[r.at:min(len(r.text), r.at+8)], " ")
		if rest == "" {
			return
		}
		_, size := utf8.DecodeRuneInString(rest)
		letter = rest[:size]
		r.at += strings.Index(r.text[r.at:], letter) + size
	}
	letter = strings.TrimPrefix(strings.Trim(letter, "{}"), `\`)
	if letter == "" {
		return
	}
	_, size := utf8.DecodeRuneInString(letter)
	r.out.WriteString(letter[:size] + mark + letter[size:])
}

// sign writes what a command of one sign stands for.
func (r *texReader) sign(name string) {
	switch {
	case strings.Contains(`&%$#_{}`, name):
		r.out.WriteString(name)
	case strings.Contains(" ,;:!/@", name):
		r.out.WriteString(" ")
	case name == "[" || name == "]":
		r.math = name == "["
		r.out.WriteString("\n")
	case name == "(" || name == ")":
		r.math = name == "("
	}
}
