package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentenceTokens is where a stretch without a full stop is cut.
const maxSentenceTokens = 200

// sentence is a run of tokens of one block.
type sentence struct {
	tokens     []token
	kind       blockKind
	block      int
	header     bool // it is the head of a table
	start, end int  // from the first token to the last, with marks that hug them
}

// sentencesOf cuts one block into sentences.
func sentencesOf(m *mask, words *lexicon, b block, index int) []sentence {
	t := tokenizer{words: words, mask: m}
	for i, s := range b.segments {
		if i > 0 && b.kind == blockRow {
			t.out = append(t.out, token{text: "|", low: "|", start: s.Start, end: s.Start, kind: kindBreak, tag: posPunct})
		}
		t.segment(s.Start, s.End)
	}
	var out []sentence
	from := 0
	for i := range t.out {
		last := i+1 == len(t.out)
		if !last && i+1-from < maxSentenceTokens && !ends(words, t.out, i) {
			continue
		}
		if s := newSentence(m, t.out[from:i+1], b, index); s.words() > 0 {
			out = append(out, s)
		}
		from = i + 1
	}
	return out
}

// ends reports whether a sentence ends after tokens[i]; tokens[i+1] exists.
func ends(words *lexicon, tokens []token, i int) bool {
	t, next := tokens[i], tokens[i+1]
	if t.kind == kindWord && len(t.text) > 2 && strings.HasSuffix(t.text, ".") {
		return next.spaced && isCapital(next.text) && words.bands[next.low] == bandFunction
	}
	if t.kind == kindPunct && strings.ContainsAny(t.text, `"')]”’»`) && i > 0 && !t.spaced {
		i-- // the stop stands before closing quotes and brackets
		t = tokens[i]
	}
	if t.kind != kindPunct {
		return false
	}
	switch t.text {
	case "。", "！", "？":
		return true
	case ".", "!", "?", "…":
	default:
		return false
	}
	if !next.spaced {
		return false
	}
	if next.kind == kindWord && startsLower(next.text) && !mixedCase(next.text) {
		return false
	}
	return !initial(words, tokens, i)
}

// initial reports whether the stop at tokens[i] belongs to a person's initial
// as in "J. S. Bach".
func initial(words *lexicon, tokens []token, i int) bool {
	if i == 0 || tokens[i].text != "." {
		return false
	}
	before, next := tokens[i-1], tokens[i+1]
	return utf8.RuneCountInString(before.text) == 1 && isCapital(before.text) && isCapital(next.text) &&
		words.bands[next.low] != bandFunction
}

// startsLower reports whether s starts with a lower-case letter.
func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// newSentence makes a sentence of tokens and finds its bounds: opening marks
// right before the first token and closing ones right after the last belong to
// it, so that a quote does not lose half of a pair.
func newSentence(m *mask, tokens []token, b block, index int) sentence {
	s := sentence{tokens: tokens, kind: b.kind, block: index, header: b.header}
	s.start, s.end = tokens[0].start, tokens[len(tokens)-1].end
	bounds := b.span()
	for s.start > bounds.Start && strings.IndexByte("*_`[(\"", m.raw[s.start-1]) >= 0 {
		s.start--
	}
	for s.end < bounds.End && strings.IndexByte("*_`])\"", m.raw[s.end]) >= 0 {
		s.end++
	}
	return s
}

// words counts the words of s.
func (s sentence) words() int {
	n := 0
	for _, t := range s.tokens {
		if t.kind == kindWord || t.kind == kindCode {
			n++
		}
	}
	return n
}
