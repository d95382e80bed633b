package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// maxQuoteBytes is where a longer quote is cut.
const maxQuoteBytes = 4 << 10

// locator finds in a passage what an extractor says is quoted from it.
type locator struct {
	text    string
	folded  string // white space folded, A to Z in lower case; made when first needed
	offsets []int  // of each byte of folded in text
}

// at returns the span itself when the passage has quote there, and else finds
// quote. A quote longer than maxQuoteBytes is cut.
func (l *locator) at(span corpus.Span, quote string) (corpus.Span, bool) {
	if quote == "" {
		return corpus.Span{}, false
	}
	within := 0 <= span.Start && span.Start < span.End && span.End <= len(l.text)
	if !within || l.text[span.Start:span.End] != quote {
		var found bool
		if span, found = l.find(quote); !found {
			return corpus.Span{}, false
		}
	}
	if span.End-span.Start > maxQuoteBytes {
		span.End = span.Start + maxQuoteBytes
		for !utf8.RuneStart(l.text[span.End]) {
			span.End--
		}
	}
	return span, true
}

// find returns where quote first stands: letter by letter, or else with other
// white space and ASCII letters in another case. It finds no parts of words.
func (l *locator) find(quote string) (corpus.Span, bool) {
	quote = strings.TrimSpace(quote)
	if i := indexWords(l.text, quote); i >= 0 {
		return corpus.Span{Start: i, End: i + len(quote)}, true
	}
	if l.folded == "" {
		l.folded, l.offsets = fold(l.text)
	}
	folded, _ := fold(quote)
	i := indexWords(l.folded, folded)
	if i < 0 {
		return corpus.Span{}, false
	}
	return corpus.Span{Start: l.offsets[i], End: l.offsets[i+len(folded)-1] + 1}, true
}

// all returns where a name stands, in whatever case and with whatever white space.
func (l *locator) all(name string) []corpus.Span {
	if l.folded == "" {
		l.folded, l.offsets = fold(l.text)
	}
	name, _ = fold(strings.TrimSpace(name))
	var out []corpus.Span
	for from := 0; ; {
		i := indexWords(l.folded[from:], name)
		if i < 0 {
			return out
		}
		i += from
		if from == 0 || !alphanumeric(l.folded[i-1]) || !alphanumeric(name[0]) {
			out = append(out, corpus.Span{Start: l.offsets[i], End: l.offsets[i+len(name)-1] + 1})
		}
		from = i + len(name)
	}
}

// indexWords is strings.Index for whole words: an ASCII letter or digit at an
// end of s must not go on in text. An empty s is nowhere.
func indexWords(text, s string) int {
	if s == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(text[from:], s)
		if i < 0 {
			return -1
		}
		start, end := from+i, from+i+len(s)
		if (start == 0 || !alphanumeric(text[start-1]) || !alphanumeric(s[0])) &&
			(end == len(text) || !alphanumeric(text[end]) || !alphanumeric(s[len(s)-1])) {
			return start
		}
		from = start + 1
	}
}

func alphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// fold makes each run of white space in s one space and A to Z lower case. It
// returns where each byte of the result stands in s.
func fold(s string) (folded string, offsets []int) {
	b := make([]byte, 0, len(s))
	offsets = make([]int, 0, len(s))
	space := false
	for i, r := range s {
		if unicode.IsSpace(r) {
			if !space {
				b, offsets = append(b, ' '), append(offsets, i)
			}
			space = true
			continue
		}
		space = false
		_, size := utf8.DecodeRuneInString(s[i:])
		for j := i; j < i+size; j++ {
			c := s[j]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b, offsets = append(b, c), append(offsets, j)
		}
	}
	return string(b), offsets
}
