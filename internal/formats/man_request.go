package formats

import (
	"regexp"
	"strings"
)

// manCondition is a request that is done only under a condition, or when the one before was not.
var manCondition = regexp.MustCompile(`^[.'][ \t]*(if|ie|el)\b[ \t]*(.*)$`)

// conditional reads a line that has a condition. What is under one that does not hold is left out:
// it is for paper, where another line is for a terminal.
func (p *manual) conditional(kind, rest string) {
	holds := !p.held
	if kind != "el" {
		var condition string
		condition, rest = manTest(rest)
		holds = manHolds(condition)
		if kind == "ie" {
			p.held = holds
		}
	}
	rest = strings.TrimLeft(rest, " \t")
	block, isBlock := strings.CutPrefix(rest, `\{`)
	switch {
	case !holds && isBlock:
		p.unheld = braces(rest)
	case holds && isBlock:
		p.lines(strings.TrimPrefix(block, `\`))
	case holds:
		p.lines(rest)
	}
}

// lines reads the rest of a line as one of its own.
func (p *manual) lines(rest string) {
	const most = 8 // each looks at the whole rest
	if rest = strings.TrimSuffix(strings.TrimLeft(rest, " \t"), `\}`); rest != "" && p.within < most {
		p.within++
		p.read(rest)
		p.within--
	}
}

// braces returns how many blocks a line opens more than it closes.
func braces(line string) int { return strings.Count(line, `\{`) - strings.Count(line, `\}`) }

// manTest takes a condition from the beginning of a line: a letter, a comparison of texts, a name
// that is asked for, or an expression.
func manTest(line string) (condition, rest string) {
	i := 0
	if strings.HasPrefix(line, "!") {
		i++
	}
	switch {
	case len(line) > i && strings.IndexByte("'\"", line[i]) >= 0: // 'this'that'
		mark := line[i : i+1]
		parts := strings.SplitN(line[i+1:], mark, 3)
		if len(parts) < 3 {
			return line, ""
		}
		return line[:len(line)-len(parts[2])], parts[2]
	case len(line) > i+1 && strings.IndexByte("drcmFS", line[i]) >= 0 && (line[i+1] == ' ' || line[i+1] == '\t'): // d name
		name := strings.TrimLeft(line[i+1:], " \t")
		_, rest, _ = strings.Cut(name, " ")
		return line[:len(line)-len(rest)], rest
	case len(line) > i && strings.IndexByte("ntoev", line[i]) >= 0:
		return line[:i+1], line[i+1:]
	}
	end := strings.IndexAny(line, " \t")
	if brace := strings.Index(line, `\{`); brace >= 0 && (end < 0 || brace < end) {
		end = brace
	}
	if end < 0 {
		return line, ""
	}
	return line[:end], line[end:]
}

// manHolds reports whether a condition holds for a reader at a terminal, with GNU troff. An
// expression that asks for more does not.
func manHolds(condition string) bool {
	not := strings.HasPrefix(condition, "!")
	holds := false
	switch strings.Trim(strings.TrimPrefix(condition, "!"), "()") {
	case "n", "o", `\n[.g]`, `\n(.g`, `\n(.g==1`, "1":
		holds = true
	}
	return holds != not
}

// tableLine reads a line of a table: its options and the formats of its columns are no text, and tabs
// are between its cells. It reports whether the line is none of the text.
func (p *manual) tableLine(line string) bool {
	switch {
	case p.table == manTableHead:
		if trimmed := strings.TrimSpace(line); strings.HasSuffix(trimmed, ".") {
			p.table = manTableRows
		}
	case line == ".T&":
		p.table = manTableHead
	case isRepeated(line, "_=", 1):
	case strings.HasPrefix(line, "."):
		return false
	default:
		line = strings.TrimSuffix(line, "T{")
		if rest, ok := strings.CutPrefix(line, "T}"); ok {
			line = rest
		}
		line = strings.ReplaceAll(line, "\t", " | ")
		if line = strings.ReplaceAll(line, "T{", ""); line != "" {
			p.text(unescapedMan(line))
		}
	}
	return true
}

// The parts of a table.
const (
	manNoTable = iota
	manTableHead
	manTableRows
)
