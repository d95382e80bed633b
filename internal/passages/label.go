package passages

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

const (
	labelWidth = 60 // of a line that may stand above a text, at most
	// labelledWords is how many words the text below it has, at least.
	labelledWords = 12
	// shortLines is how many short lines above a line make it one of a list, as of contents.
	shortLines = 2
)

// label is a short line above a text, as a heading of a plain text is, or the term of a
// definition list: what follows in its section stands under it. Above is one that is underlined
// with "=", under which the other labels of the section stand.
type label struct{ section, above, words string }

// labelled returns the path of what stands in a section: with the label, until the section ends.
func (w *cutting) labelled(section string) string {
	if w.label.section != section {
		w.label = label{section: section}
	}
	path := make([]string, 0, 3)
	for _, heading := range []string{section, w.label.above, w.label.words} {
		if heading != "" {
			path = append(path, heading)
		}
	}
	return strings.Join(path, corpus.SectionSeparator)
}

// isLabel reports a line that may be a label: it is short, stands alone, and ends as no sentence
// does.
func (w *cutting) isLabel(p part) bool {
	text := strings.TrimFunc(w.document.Text[p.Start:p.End], unseen)
	if p.kind != paragraph || p.tight || p.width > labelWidth || strings.ContainsAny(text, "\n\r|") || strings.Contains(text, corpus.SectionSeparator) {
		return false
	}
	words := strings.Trim(unmarked.Replace(text), "\"“”‘’'")
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	return (unicode.IsLetter(first) || unicode.IsNumber(first) || first == '-' || first == '/') && strings.ContainsFunc(words, unicode.IsLetter) &&
		(unicode.IsLetter(last) || unicode.IsNumber(last) || unicode.IsMark(last) || strings.ContainsRune(")]?", last) || first == '-' && last == '>')
}

// settle decides what the line was that waits: a label if a text stands below it, else a short
// paragraph. next is nil at the end of a section.
func (w *cutting) settle(next *part) {
	p := w.waiting
	if p == nil {
		return
	}
	w.waiting = nil
	if !w.labels(p, next) {
		w.short++
		w.follow(*p)
		return
	}
	w.short = 0
	w.flush()
	words := unmarked.Replace(strings.TrimFunc(w.document.Text[p.Start:p.End], unseen))
	switch {
	case p.underline == '=':
		w.label = label{section: p.section, above: words}
	case w.label.section == p.section:
		w.label.words = words
	default:
		w.label = label{section: p.section, words: words}
	}
}

// labels reports whether a line is the label of what follows: it is underlined, or a text stands
// below it.
func (w *cutting) labels(p, next *part) bool {
	if next == nil || next.tight || next.section != p.section || w.short >= shortLines && p.underline == 0 {
		return false
	}
	return p.underline != 0 || next.kind == paragraph && manyWords(w.document.Text[next.Start:next.End], labelledWords)
}
