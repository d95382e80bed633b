package answers

import (
	"slices"
	"strings"
	"unicode"
)

// layout keeps the terms that a text explains by where it puts them: options of commands, terms on
// a line of their own with what they mean further in below, and columns.
func (d *definer) layout(text string) {
	lines := strings.Split(text, "\n")
	d.options(lines)
	d.hanging(lines)
	d.columns(lines)
}

// indentOf returns the column in which a line begins.
func indentOf(line string) (column int) {
	for _, r := range line {
		switch r {
		case ' ':
			column++
		case '\t':
			column += 8 - column%8
		default:
			return column
		}
	}
	return column
}

// leastHanging is how much further in an explanation stands below its term.
const leastHanging = 4

// hanging keeps the terms of lines that are followed by prose further in.
func (d *definer) hanging(lines []string) {
	for i, line := range lines[:max(0, len(lines)-1)] {
		term, below := strings.TrimSpace(line), strings.TrimSpace(lines[i+1])
		if term == "" || below == "" || indentOf(lines[i+1]) < indentOf(line)+leastHanging || len(strings.Fields(term)) > 3 ||
			strings.ContainsAny(term[len(term)-1:], ".,;:!?)}") || len(strings.Fields(below)) <= leastProse {
			continue
		}
		if first := strings.TrimLeft(below, "\"'`*_“("); (strings.IndexFunc(first, unicode.IsUpper) == 0 || acronym(term)) && !strings.HasPrefix(term, "-") {
			d.each(strings.Split(term, ", "))
		}
	}
}

// each keeps terms that share an explanation, if all of them look like terms.
func (d *definer) each(terms []string) {
	if slices.ContainsFunc(terms, func(term string) bool { return !entryTerm(term) || emptyLabel(term) || !d.isTerm(term) }) {
		return
	}
	for _, term := range terms {
		d.add(term)
	}
}

// leastRows is how many lines beside each other make columns.
const leastRows = 3

// columns keeps the terms of lines that have a term and prose in columns, with spaces between.
func (d *definer) columns(lines []string) {
	var terms []string
	for _, line := range append(lines, "|") { // the last line ends what is open
		if strings.TrimSpace(line) == "" {
			continue
		}
		if term, ok := columnTerm(line); ok {
			terms = append(terms, term)
			continue
		}
		if indentOf(line) > 8 && len(terms) > 0 { // what an entry goes on with
			continue
		}
		if len(terms) >= leastRows {
			for _, term := range terms {
				if d.isTerm(term) && !emptyLabel(term) {
					d.about(term)
				}
			}
		}
		terms = nil
	}
}

// columnTerm returns the first column of a line that has prose in its second or third.
func columnTerm(line string) (term string, ok bool) {
	var cells []string
	for cell := range strings.SplitSeq(strings.TrimSpace(line), "  ") {
		if cell = strings.TrimSpace(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	if len(cells) < 2 || len(cells) > 3 || strings.HasPrefix(cells[0], "-") || len(strings.Fields(cells[0])) > 2 || !entryTerm(cells[0]) {
		return "", false
	}
	prose := strings.Fields(cells[len(cells)-1])
	if len(cells) == 3 && len(strings.Fields(cells[1])) > 1 {
		return "", false // the second of three columns is a type
	}
	return cells[0], len(prose) >= leastProse && strings.IndexFunc(prose[0], unicode.IsLetter) == 0
}

// options keeps the options that a usage text explains: "-f, --file=NAME  reads it", or with what
// it does in the next line, further in.
func (d *definer) options(lines []string) {
	for i, line := range lines {
		start := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "•"))
		if len(start) < 3 || start[0] != '-' || start[1] == ' ' || !explainsOption(start, indentOf(line), lines[i+1:]) {
			continue
		}
		for part := range strings.SplitSeq(strings.ReplaceAll(start, " or -", ", -"), ", ") {
			name := part
			if end := strings.IndexAny(part, " =[\t<:/"); end >= 0 {
				name = part[:end]
			}
			if !option(name) {
				break
			}
			d.option(name)
			if strings.Contains(part, "  ") {
				break
			}
		}
	}
}

// explainsOption reports whether prose stands behind the options of a line, or in the next one
// further in.
func explainsOption(line string, indent int, next []string) bool {
	if gap := strings.Index(line, "  "); gap > 0 {
		rest := strings.TrimLeft(line[gap:], " ")
		return rest != "" && len(strings.Fields(rest)) >= 2 && !strings.HasPrefix(rest, "-")
	}
	alone := onlyOptions(line)
	for (alone || strings.HasSuffix(line, ":")) && len(next) > 0 && strings.TrimSpace(next[0]) == "" {
		next = next[1:]
		if alone && len(next) > 0 && !strings.HasPrefix(strings.TrimSpace(next[0]), "-") && len(strings.Fields(next[0])) > leastProse {
			return true // as in the text of a page of a manual
		}
	}
	if len(next) == 0 || len(strings.Fields(line)) > 6 {
		return false
	}
	start := strings.TrimSpace(next[0])
	if option(optionName(start[:max(0, strings.IndexAny(start+" ", " "))])) && indentOf(next[0]) == indent {
		return explainsOption(start, indent, next[1:]) // another name of it
	}
	return indentOf(next[0]) > indent && len(strings.Fields(start)) >= 3 && !strings.HasPrefix(start, "-")
}

// onlyOptions reports a line of options with their arguments, and nothing else: "-k, --keep",
// "--file=NAME".
func onlyOptions(line string) bool {
	all := strings.Fields(line)
	return len(all) <= 4 && !slices.ContainsFunc(all, func(w string) bool {
		return !strings.HasPrefix(w, "-") && strings.ToUpper(w) != w && !strings.ContainsAny(w, "<[")
	})
}

// option reports whether a word is an option of a command: -f, --file.
func option(w string) bool {
	name := strings.TrimLeft(w, "-")
	if n := len(w) - len(name); n == 0 || n > 2 || name == "" {
		return false
	}
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (i == 0 || r != '-' && r != '_' && r != '.') {
			return false
		}
	}
	return unicode.IsLetter(rune(name[0])) && !strings.HasSuffix(name, ".")
}

// option keeps an option as it is written, with its dashes.
func (d *definer) option(name string) {
	if !slices.Contains(d.terms, name) && len(d.terms) < mostDefinitions {
		d.terms, d.keys = append(d.terms, name), append(d.keys, DefinedKey(name))
	}
}
