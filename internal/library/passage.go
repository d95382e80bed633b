package library

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

const (
	around  = 160 // bytes that a passage shows on both sides of what matches
	stemmed = 4   // letters that other forms of a word have in common with it, at least
)

// passage returns the part of a chunk that shows why it matches: around the words of the
// query, or the quote of the nearest concept.
func passage(text, query string, m match) corpus.MatchedChunk {
	start, end := locate(text, query, m)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	first := utf8.RuneCountInString(text[:start])
	return corpus.MatchedChunk{
		Text: text[start:end], Start: first, End: first + utf8.RuneCountInString(text[start:end]), Similarity: m.similarity,
	}
}

// locate returns the bytes of the passage.
func locate(text, query string, m match) (start, end int) {
	low := lower(text)
	at, size := -1, 0
	if m.byWords {
		at, size = wordsIn(low, lower(query))
	}
	if at < 0 && len(m.quotes) > 0 {
		q := m.quotes[0]
		at, size = q.StartByte, len(q.Quote)
		if at < 0 || at+size > len(text) || text[at:at+size] != q.Quote {
			at = strings.Index(text, q.Quote)
		}
		if at >= 0 && size >= around {
			return at, at + size
		}
	}
	if at < 0 {
		at, size = 0, 0
	}
	return widen(text, max(0, at-around), min(len(text), at+size+around))
}

// wordsIn returns where the phrase stands, or else its first word that does, or begins
// like one that does.
func wordsIn(text, query string) (at, size int) {
	if at = strings.Index(text, query); at >= 0 {
		return at, len(query)
	}
	words := strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		for from := 0; from < len(text); {
			i := strings.Index(text[from:], w)
			if i < 0 {
				break
			}
			i += from
			if before, _ := utf8.DecodeLastRuneInString(text[:i]); !unicode.IsLetter(before) && len(w) > 1 {
				return i, len(w)
			}
			from = i + len(w)
		}
	}
	for _, w := range words {
		if len(w) <= stemmed {
			continue
		}
		for n := len(w) - 1; n >= stemmed; n-- {
			if i := strings.Index(text, w[:n]); i >= 0 {
				return i, n
			}
		}
	}
	return -1, 0
}

// widen moves the ends of a passage outward to the next white space, a little.
func widen(text string, start, end int) (int, int) {
	const most = 40
	for n := 0; n < most && start > 0 && !space(text[start-1]); n++ {
		start--
	}
	for n := 0; n < most && end < len(text) && !space(text[end]); n++ {
		end++
	}
	return start, end
}

func space(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// lower is text in lower case with all bytes in their places.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, text)
}
