package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// rank orders the places between two words by how well a chunk may end there.
type rank int

const (
	rankNone rank = iota
	rankPause
	rankSentence
	rankParagraph
)

// boundary returns the word for r.
func (r rank) boundary() corpus.Boundary {
	switch r {
	case rankParagraph:
		return corpus.BoundaryParagraph
	case rankSentence:
		return corpus.BoundarySentence
	case rankPause:
		return corpus.BoundaryPause
	}
	return corpus.BoundaryHardCut
}

const (
	closers = "\"')]}*_”’»›"
	openers = "\"'([{*_“‘«‹¿¡"
)

// rankBetween ranks the place between a word and the one that next begins with:
// a blank line is a paragraph break; a full stop, exclamation or question mark
// before a capital is a sentence end; an ellipsis, a dash or a semicolon is a
// pause. Quotation marks, brackets and emphasis may stand in between.
func rankBetween(word string, g gap, next string) rank {
	switch {
	case g.bytes == 0:
		return rankUnspaced(word)
	case g.lines > 1:
		return rankParagraph
	}
	word = strings.TrimRight(word, closers)
	last, _ := utf8.DecodeLastRuneInString(word)
	if strings.ContainsRune(".!?", last) && startsWithCapital(next) || strings.ContainsRune(corpus.SentenceMarks, last) {
		return rankSentence
	}
	if strings.ContainsRune("—;…", last) || strings.HasSuffix(word, "...") {
		return rankPause
	}
	return rankNone
}

// rankUnspaced ranks the place after a word in a script without spaces.
func rankUnspaced(word string) rank {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(word, corpus.ClosingMarks))
	switch {
	case strings.ContainsRune(corpus.SentenceMarks, last):
		return rankSentence
	case strings.ContainsRune("，；、：", last):
		return rankPause
	}
	return rankNone
}

// startsWithCapital skips a few opening marks.
func startsWithCapital(s string) bool {
	const most = 4
	for range most {
		r, size := utf8.DecodeRuneInString(s)
		if !strings.ContainsRune(openers, r) || size == 0 {
			return unicode.IsUpper(r) || unicode.IsTitle(r)
		}
		s = s[size:]
	}
	return false
}
