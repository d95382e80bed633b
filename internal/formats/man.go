package formats

import (
	"regexp"
	"strings"
)

var (
	manEscape  = regexp.MustCompile(`\\(?:f(?:\[[^\]\n]*\]|\(..|.)|s(?:[+-]?\d|\[[^\]\n]*\]|'[^'\n]*')|[hvwoDXZNC]'[^'\n]*'|m\[[^\]\n]*\]|n(?:\(..|\[[^\]\n]*\]|[+-]?.)|\*(?:\[[^\]\n]*\]|\(..|.)|\((?:..)|\[[^\]\n]*\]|.)`)
	manComment = regexp.MustCompile(`\\\.?["#].*$`)
	manMacro   = regexp.MustCompile(`^[.'][ \t]*([A-Za-z]{1,4}|[a-z]{2}1|\\")(?:[ \t]+(.*))?$`)
	manQuoted  = regexp.MustCompile(`"((?:[^"\n]|"")*)"?|[^\s"]\S*`)
)

// manual is a manual page that is being read.
type manual struct {
	markdownWriter
	name    string // of what is described
	section string
	tag     bool     // the next line is the term of a list
	skipped string   // what ends the macro that is defined
	names   []string // that wait for what they are, in the section of names
	list    []string
	held    bool // the last condition with an alternative did
	within  int  // conditions that are open in the line
	unheld  int  // blocks that are open under a condition that does not hold
	table   int  // which part of a table is read
}

// manPage makes Markdown of a manual page, written with the macros of man or of mdoc.
func manPage(text string) string {
	var p manual
	for line := range strings.SplitSeq(text, "\n") {
		line = manComment.ReplaceAllString(strings.TrimRight(line, " \t\r"), "")
		if p.skipped != "" {
			if strings.ReplaceAll(line, " ", "") == p.skipped { // ".  ." within a condition
				p.skipped = ""
			}
			continue
		}
		if p.unheld > 0 {
			p.unheld += braces(line)
			continue
		}
		p.read(line)
	}
	p.endNames()
	p.endFence()
	return p.String()
}

// read reads a line: a request, or text.
func (p *manual) read(line string) {
	if p.table != manNoTable && p.tableLine(line) {
		return
	}
	if m := manCondition.FindStringSubmatch(line); m != nil {
		p.conditional(m[1], m[2])
		return
	}
	if m := manMacro.FindStringSubmatch(line); m != nil {
		p.macro(m[1], m[2])
		return
	}
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return // an empty request, or a program of its own
	}
	p.text(unescapedMan(line))
}

// endNames writes the names of which the page does not say what they are.
func (p *manual) endNames() {
	if len(p.names) > 0 {
		p.text(strings.Join(p.names, ", "))
	}
	p.names = nil
}

// text writes a line of text, which may be the term that a list is waiting for.
func (p *manual) text(line string) {
	if p.tag {
		p.tag = false
		p.line("\n" + strings.TrimSpace(line) + "\n")
		return
	}
	if !p.fenced {
		line = strings.TrimSpace(line)
	}
	p.line(line)
}

// macro reads a request.
func (p *manual) macro(name, rest string) {
	switch name {
	case "TH", "Dt":
		if words := manArguments(rest); len(words) > 1 {
			p.heading(1, words[0]+"("+words[1]+")")
		}
	case "SH", "Sh":
		p.endNames()
		p.section = strings.Join(manArguments(rest), " ")
		p.heading(2, p.section)
	case "SS", "Ss":
		p.heading(3, strings.Join(manArguments(rest), " "))
	case "PP", "P", "LP", "Pp", "sp", "br", "HP", "RE", "El", "QE", "QS":
		p.line("")
	case "TP", "TQ":
		p.tag = true
	case "IP":
		p.item(manArguments(rest))
	case "nf", "EX", "Bd", "Dl", "D1":
		if name == "Dl" || name == "D1" {
			p.line("\n" + p.mdoc(manArguments(rest)) + "\n")
			return
		}
		p.fence()
	case "fi", "EE", "Ed":
		p.endFence()
	case "de", "de1", "am", "ig":
		p.skipped = ".."
	case "Bl":
		p.list = append(p.list, rest)
	case "TS", "TE":
		p.line("")
		p.table = map[string]int{"TS": manTableHead}[name]
	case "UE", "ME", "UR", "MT", "URL", "MTO", "FTP":
		p.address(name, manArguments(rest))
	case "BR", "RB", "BI", "IB", "IR", "RI":
		p.text(strings.Join(manArguments(rest), ""))
	case "B", "I", "SM", "SB", "R", "CW", "CB", "CI", "OP", "SY", "YS":
		p.text(strings.Join(manArguments(rest), " "))
	default:
		p.mdocMacro(name, manArguments(rest))
	}
}

// mdocMacro reads a request that only mdoc has.
func (p *manual) mdocMacro(name string, words []string) {
	switch name {
	case "It":
		p.line("\n" + p.mdoc(words) + "\n")
	case "Nm":
		named := p.mdoc(append([]string{name}, words...))
		if p.section == "NAME" {
			p.names = append(p.names, strings.TrimRight(named, " ,"))
			return
		}
		p.text(named)
	case "Nd":
		p.text(strings.Join(p.names, ", ") + " – " + p.mdoc(words))
		p.names = nil
	default:
		if mdocMacros[name] {
			p.text(p.mdoc(append([]string{name}, words...)))
		}
	}
}

// address writes an address, behind its words where a macro has both. A terminal shows it.
func (p *manual) address(name string, words []string) {
	switch {
	case len(words) == 0:
	case strings.HasSuffix(name, "E"): // the sign behind it
		p.text(strings.Join(words, ""))
	case len(words) == 1 || len(name) == len("UR"):
		p.text("<" + words[0] + ">")
	default:
		p.text(words[1] + " <" + words[0] + ">" + strings.Join(words[2:], ""))
	}
}

// item begins an item of a list, with its mark or its term.
func (p *manual) item(words []string) {
	switch {
	case len(words) == 0:
		p.line("")
	case strings.Trim(words[0], "•*o-+·") == "":
		p.WriteString("\n- ")
	default:
		p.line("\n" + words[0] + "\n")
	}
}

// manArguments returns the words of a request, which may be in quotes.
func manArguments(rest string) []string {
	found := manQuoted.FindAllStringSubmatch(rest, -1)
	words := make([]string, 0, len(found))
	for _, m := range found {
		word := m[0]
		if strings.HasPrefix(word, `"`) {
			word = strings.ReplaceAll(m[1], `""`, `"`)
		}
		words = append(words, unescapedMan(word))
	}
	return words
}

// unescapedMan returns the characters of a text.
func unescapedMan(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return manEscape.ReplaceAllStringFunc(text, func(e string) string {
		switch e[1] {
		case '-':
			return "-"
		case 'e', '\\':
			return `\`
		case ' ', '~', '0', 't':
			return " "
		case '.', '\'', '`':
			return e[1:2]
		case '(':
			return manChar(e[2:])
		case '[':
			return manChar(e[2 : len(e)-1])
		case 'N':
			return manNumbered(strings.Trim(e[2:], "'"))
		case 'C':
			return manChar(strings.Trim(e[2:], "'"))
		case '*':
			return manChar(strings.Trim(e[2:], "()[]"))
		}
		return ""
	})
}

// mdocMacros are the macros of mdoc that stand before words, or among them.
var mdocMacros = map[string]bool{
	"Nm": true, "Nd": true, "Fl": true, "Ar": true, "Op": true, "Pa": true, "Xr": true, "Cm": true, "Ev": true, "Li": true, "Em": true, "Sy": true, "Ic": true,
	"Dq": true, "Sq": true, "Ql": true, "Qq": true, "Pq": true, "Bq": true, "Aq": true, "Brq": true, "Va": true, "Vt": true, "Ft": true, "Fn": true, "Fa": true, "Fd": true, "Dv": true, "Er": true, "An": true,
	"Ad": true, "Lk": true, "Mt": true, "No": true, "Ns": true, "Ap": true, "Ta": true, "Oo": true, "Oc": true, "Po": true, "Pc": true, "Do": true, "Dc": true, "So": true, "Sc": true, "Xo": true, "Xc": true,
	"Bx": true, "Fx": true, "Nx": true, "Ox": true, "Ux": true, "St": true, "Tn": true, "Ms": true, "In": true, "Fo": true, "Fc": true, "Rv": true, "Ex": true, "Cd": true, "Sx": true,
}

// mdocEnclosures are the macros that set what follows them between marks.
var mdocEnclosures = map[string][2]string{
	"Op": {"[", "]"}, "Dq": {"“", "”"}, "Sq": {"‘", "’"}, "Ql": {"‘", "’"}, "Qq": {`"`, `"`}, "Pq": {"(", ")"}, "Bq": {"[", "]"}, "Aq": {"<", ">"}, "Brq": {"{", "}"},
}

// mdoc returns the text of a line of macros and words.
func (p *manual) mdoc(words []string) string {
	var out []string
	closing := ""
	join := false // the next word stands directly behind the last one
	add := func(word string) {
		if n := len(out); n > 0 && (join || len(word) == 1 && strings.Contains(".,:;)]?!", word)) {
			out[n-1] += word
		} else {
			out = append(out, word)
		}
		join = false
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		marks, encloses := mdocEnclosures[word]
		switch {
		case word == "Nm":
			if i+1 < len(words) && !mdocMacros[words[i+1]] {
				if p.name == "" {
					p.name = words[i+1]
				}
			} else if p.name != "" {
				add(p.name)
			}
		case word == "Nd":
			add("–")
		case word == "Fl":
			add("-")
			join = i+1 < len(words) && !mdocMacros[words[i+1]]
		case word == "Xr" && i+2 < len(words):
			add(words[i+1] + "(" + words[i+2] + ")")
			i += 2
		case word == "Ns":
			join = true
		case encloses:
			add(marks[0])
			join = true
			closing = marks[1] + closing
		case mdocMacros[word]:
		default:
			add(word)
		}
	}
	if n := len(out); n > 0 {
		out[n-1] += closing
	}
	return strings.Join(out, " ")
}
