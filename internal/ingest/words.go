package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

const byteOrderMark = "\uFEFF"

// maxWordBytes is where a longer word is cut, between two characters. Each
// piece counts as a word, so that a chunk stays small even in a text without
// any white space.
const maxWordBytes = 64 << 10

// word is a maximal run of characters that are not white space, or a piece of
// one: of one that is longer than maxWordBytes, and of one in a script that writes no spaces
// between words, where a piece is about as long as a word.
type word struct {
	start, end         int // in bytes
	startChar, endChar int
	after              rank // of the boundary between this word and the next
	fenced             bool // within a fenced code block, but not its first word
}

// wordScanner reads the words of a text one after the other. It reads each
// byte a fixed number of times.
type wordScanner struct {
	text      string
	pos, char int
	fences    *fences // nil unless the text is Markdown
}

// newWordScanner starts at the first word, after a byte order mark.
func newWordScanner(text string, contentType corpus.ContentType) *wordScanner {
	s := &wordScanner{text: text}
	if strings.HasPrefix(text, byteOrderMark) {
		s.pos, s.char = len(byteOrderMark), 1
	}
	if contentType == corpus.ContentMarkdown {
		s.fences = &fences{}
	}
	s.skipSpace()
	if s.fences != nil {
		s.fences.line(text[s.pos:])
	}
	return s
}

// next returns the next word, and false at the end of the text.
func (s *wordScanner) next() (word, bool) {
	if s.pos == len(s.text) {
		return word{}, false
	}
	w := word{start: s.pos, startChar: s.char}
	if s.fences != nil {
		w.fenced = s.fences.within()
	}
	s.skipWord()
	w.end, w.endChar = s.pos, s.char
	gap := s.skipSpace()
	if s.fences != nil {
		s.fences.wordDone()
		if gap.lines > 0 {
			s.fences.line(s.text[s.pos:])
		}
	}
	if s.pos < len(s.text) && (s.fences == nil || !s.fences.within()) {
		w.after = rankBetween(s.text[w.start:w.end], gap, s.text[s.pos:])
	}
	return w, true
}

// skipWord moves to the end of the word, at most maxWordBytes on.
func (s *wordScanner) skipWord() {
	start := s.pos
	unspaced := 0
	for s.pos < len(s.text) {
		size := 1
		if b := s.text[s.pos]; b < utf8.RuneSelf {
			if asciiSpace(b) {
				return
			}
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(s.text[s.pos:])
			if unicode.IsSpace(r) {
				return
			}
			if most := pieceOf(r); most > 0 {
				if unspaced++; unspaced > most {
					return
				}
			}
		}
		if s.pos+size-start > maxWordBytes {
			return
		}
		s.pos += size
		s.char++
	}
}

// gap is the white space between two words.
type gap struct {
	bytes int
	lines int // line ends; a paragraph separator counts as two
}

// skipSpace moves to the start of the next word.
func (s *wordScanner) skipSpace() gap {
	start, lines := s.pos, 0
	for s.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if !unicode.IsSpace(r) {
			break
		}
		switch r {
		case '\n', '\u0085', '\u2028':
			lines++
		case '\r':
			if !strings.HasPrefix(s.text[s.pos+1:], "\n") {
				lines++
			}
		case '\u2029':
			lines += 2
		}
		s.pos += size
		s.char++
	}
	return gap{bytes: s.pos - start, lines: lines}
}

// pieceOf returns how many characters of a script without spaces between words make about a
// word; 0 for a character of another script, and for a mark, which stays with its letter.
func pieceOf(r rune) int {
	const firstOfThem, han, others = 0x0E00, 2, 5
	switch {
	case r < firstOfThem || unicode.IsMark(r):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return han
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan):
		return others
	}
	return 0
}

func asciiSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// countWords returns how many maximal runs of characters other than white space
// text has, and how many pieces where a script has no spaces. Unlike a chunk's words these are
// never pieces because a word is long.
func countWords(text string) int {
	words, inWord, unspaced := 0, false, 0
	for i := 0; i < len(text); {
		space, size := asciiSpace(text[i]), 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			space = unicode.IsSpace(r) || i == 0 && text[:size] == byteOrderMark
			if most := pieceOf(r); most > 0 {
				if unspaced++; unspaced > most {
					unspaced, inWord = 1, false
				}
			}
		}
		if !space && !inWord {
			words++
		}
		if space {
			unspaced = 0
		}
		inWord = !space
		i += size
	}
	return words
}
