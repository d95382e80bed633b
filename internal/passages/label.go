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
)

// label is a short line above a text, as a heading of a plain text is, or the term of a
// definition list: what follows in its section stands under it.
type label struct{ section, words string }

// labelled returns the path of what stands in a section: with the label, until the section ends.
func (w *cutting) labelled(section string) string {
	switch {
	case w.label.words == "":
		return section
	case w.label.section != section:
		w.label = label{}
		return section
	case section == "":
		return w.label.words
	}
	return section + corpus.SectionSeparator + w.label.words
}

// isLabel reports a line that may be a label: it is short, stands alone, and ends as no sentence
// does.
func (w *cutting) isLabel(p part) bool {
	text := strings.TrimFunc(w.document.Text[p.Start:p.End], unseen)
	if p.kind != paragraph || p.tight || p.width > labelWidth || strings.ContainsAny(text, "\n\r") || strings.Contains(text, corpus.SectionSeparator) {
		return false
	}
	words := unmarked.Replace(text)
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	return (unicode.IsLetter(first) || unicode.IsNumber(first) || first == '-' || first == '/') && strings.ContainsFunc(words, unicode.IsLetter) &&
		(unicode.IsLetter(last) || unicode.IsNumber(last) || unicode.IsMark(last) || strings.ContainsRune(")]?", last))
}

// settle decides what the line was that waits: a label if a text stands below it, else a short
// paragraph. next is nil at the end of a section.
func (w *cutting) settle(next *part) {
	p := w.waiting
	if p == nil {
		return
	}
	w.waiting = nil
	if next == nil || next.kind != paragraph || next.tight || next.section != p.section || !manyWords(w.document.Text[next.Start:next.End], labelledWords) {
		w.follow(*p)
		return
	}
	w.flush()
	w.label = label{section: p.section, words: unmarked.Replace(strings.TrimFunc(w.document.Text[p.Start:p.End], unseen))}
}
