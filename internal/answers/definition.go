package answers

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// mostDefinitions bounds the terms of a passage: a glossary of more is told by its first.
const mostDefinitions = 64

// Definitions returns the terms that a passage defines, as they are written, each once: of "X is
// a …", of X and its other names in "X (also Y, abbreviated Z) is …", of entries of glossaries,
// definition lists and tables, of options of commands, and the heading that a first sentence
// explains. What opens a section is also about the thing that its heading names, and rows of
// columns are about their first: those terms are marked, see About. What stands around the main
// text defines nothing.
func Definitions(p corpus.Passage, opens bool) []string {
	if p.Class != "" && !p.Class.Main() {
		return nil
	}
	if silentHeading()[DefinedKey(lastHeading(p.Section))] {
		return nil
	}
	named := strings.EqualFold(lastHeading(p.Section), "name") // the line of a page of a manual
	d := definer{forms: formsOf(p.Language), language: p.Language, section: subjectHeading(p.Section), opens: opens && !named}
	switch p.Class {
	case corpus.ClassTable:
		d.rows(p.Text, p.Columns)
	case corpus.ClassCode:
		if before := proseBefore(p.Text); before != "" {
			d.blocks(before)
		}
		d.layout(p.Text)
	default:
		d.blocks(p.Text)
	}
	if named && len(d.terms) > 0 {
		d.about(d.terms[0])
	}
	if d.opens && !leadsElsewhere(p.Text) && p.Class != corpus.ClassTable && (p.Class != corpus.ClassCode || capital(p.Text)) { // prose that goes on with code
		d.headed()
	}
	return d.terms
}

// leadsElsewhere reports a text of one sentence that says where to read: "For an overview of them, see …".
func leadsElsewhere(text string) bool {
	for _, lead := range []string{"For ", "See ", "Siehe "} {
		if rest, is := strings.CutPrefix(text, lead); is && len(rest) < 200 && (lead != "For " || strings.Contains(rest, "see ")) {
			return len(Sentences(text)) == 1
		}
	}
	return false
}

// definer collects the terms of one passage.
type definer struct {
	forms    *forms
	language string
	section  string // the heading above the text
	opens    bool   // the text is the first below it
	terms    []string
	keys     []string
}

// add keeps a term, unless it is none or known.
func (d *definer) add(term string) {
	if term = plainTerm(term); strings.HasPrefix(term, "-") {
		if name, _, _ := strings.Cut(optionName(term), " "); option(name) {
			d.option(name)
		}
		return
	}
	key := DefinedKey(term)
	if key == "" || len(d.terms) == mostDefinitions || slices.Contains(d.keys, key) {
		return
	}
	d.terms, d.keys = append(d.terms, term), append(d.keys, key)
}

// blocks reads prose and lists: line by line what may be an entry, and sentence by sentence.
func (d *definer) blocks(text string) {
	headed, first := d.section, true
	var said []string
	for _, s := range Sentences(text) {
		sentence := text[s.Start:s.End]
		begins, item := lineBegin(text, s.Start)
		if begins == '#' {
			headed, first, d.opens = withoutLinks(strings.Trim(lineAt(text, s.Start), "# \t")), true, true
			_, below, more := strings.Cut(sentence, "\n")
			if !more {
				continue
			}
			sentence, begins = below, '\n'
		}
		if strings.HasPrefix(sentence, "![") || strings.HasPrefix(sentence, "[![") {
			if sentence = withoutLinks(sentence); strings.Trim(sentence, marks+"=-") == "" {
				continue // badges
			}
		}
		if first && otherLanguages(sentence) {
			continue
		}
		sentence = oneLine(withoutTitle(sentence))
		switch {
		case begins == '|':
			d.row(sentence, nil)
		case begins != 0 && d.entry(sentence, item):
		default:
			d.sentence(sentence)
			said = append(said, sentence)
		}
		if first && d.opens {
			d.explained(headed, sentence)
			if d.forms == languageForms["en"] {
				d.opening(sentence)
			}
		}
		if first {
			d.firstDoing(sentence)
		}
		first = false
	}
	for _, sentence := range said { // after what they are about in the first place
		d.inPassing(sentence)
	}
	d.layout(text)
}

// otherLanguages reports a line that leads to the same text in other languages: "English | [中文](zh.md)".
func otherLanguages(s string) bool {
	line, _, _ := strings.Cut(s, "\n\n")
	return strings.Contains(line, " | ") && strings.Contains(line, "](") && len(strings.Fields(withoutLinks(line))) < 2*strings.Count(line, "|")+2
}

// lineAt returns the line that a byte of a text stands in.
func lineAt(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	before, _, _ := strings.Cut(line, "\n")
	return before
}

// oneLine returns a sentence without its line breaks: pages of manuals have one at each change of the
// font.
func oneLine(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

// withoutTitle cuts a line off a sentence that is the title of what stands below it, as in pages of
// manuals: it is in capitals, or what follows is further in.
func withoutTitle(sentence string) string {
	title, below, found := strings.Cut(sentence, "\n")
	if !found || len(strings.Fields(title)) > 3 || strings.ContainsAny(title, ".,;:") || strings.Contains(title, " - ") {
		return sentence
	}
	if strings.ToUpper(title) == title && acronym(title) && (emptyLabel(title) || openingHeading()[DefinedKey(title)]) || indentOf(below) >= leastHanging {
		return strings.TrimSpace(below)
	}
	return sentence
}

// lineBegin says how a line begins whose sentence is at start: '#' a heading, '|' a row, '\n' any
// other line, 0 in the middle of one; and whether it is an item of a list.
func lineBegin(text string, start int) (begins byte, item bool) {
	line := strings.LastIndexByte(text[:start], '\n') + 1
	before := strings.TrimLeft(text[line:start], " \t")
	switch {
	case strings.HasPrefix(before, "#"):
		return '#', false
	case strings.HasPrefix(before, "|"):
		if strings.Count(before, "|") > 1 {
			return 0, false
		}
		return '|', false
	case strings.TrimRight(before, " \t") == "":
		return '\n', false
	case itemMark(before):
		return '\n', true
	}
	return 0, false
}
