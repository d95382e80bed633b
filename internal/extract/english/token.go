package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind says what a token is made of.
type kind uint8

const (
	kindWord   kind = iota // letters, perhaps with digits and inner punctuation
	kindNumber             // starts with a digit and has few letters
	kindCode               // an identifier, a path or an inline code span
	kindPunct              // one punctuation mark
	kindBreak              // the border of two table cells
	kindJunk               // a URL, an over-long run, an emoji: never part of a label
)

// maxWordBytes is the longest run of bytes that is still taken for a word.
const maxWordBytes = 60

// token is one word or mark of a sentence with its place in the piece of text
// that is being read.
type token struct {
	text       string // the bytes as they stand
	low        string // lower case, straight apostrophes
	start, end int
	kind       kind
	tag        pos
	spaced     bool // white space or nothing stands before it
	italic     bool // it is set in italics
	work       int  // how many tokens from here on are the title of a work, one name; set by tagging
	marked     bool // the writer set it off: bold or a code span
	unsure     bool // it has a capital at the start of a sentence and stands nowhere else; set by tagging
	own        bool // it is capitalised for its own sake, not for its place; set by tagging
}

// tokenizer cuts the segments of a block into tokens.
type tokenizer struct {
	words *lexicon
	mask  *mask
	out   []token
}

// segment appends the tokens of text[start:end].
func (t *tokenizer) segment(start, end int) {
	text := t.mask.text
	spaced := true
	for i := start; i < end; {
		if code, ok := t.mask.codeAt(i); ok {
			if code.Start == i && code.End <= end {
				t.emitCode(i, code.End, spaced)
			} else { // it goes over a line's end: a statement
				t.emit(i, min(code.End, end), kindJunk, spaced)
			}
			i, spaced = min(code.End, end), false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:end])
		dotted := 0
		if r == '.' && spaced {
			dotted = dottedName(text[i:end])
		}
		switch {
		case unicode.IsSpace(r) || r == 0xFEFF:
			i, spaced = i+size, true
			continue
		case dotted > 0: // .NET
			t.emit(i, i+dotted, kindWord, spaced)
			i += dotted
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			i = t.word(i, end, spaced)
		case unicode.Is(unicode.Mn, r): // marks that no letter bears, or more than one can
			run := len(text[i:end]) - len(strings.TrimLeftFunc(text[i:end], func(r rune) bool { return unicode.Is(unicode.Mn, r) }))
			t.emit(i, i+run, kindJunk, spaced)
			i += run
		default:
			k := kindPunct
			if unicode.IsSymbol(r) && r > 0x2000 || r == utf8.RuneError || unicode.IsControl(r) {
				k = kindJunk
			}
			t.emit(i, i+size, k, spaced)
			i += size
		}
		spaced = false
	}
}

// emit appends text[start:end] as one token.
func (t *tokenizer) emit(start, end int, k kind, spaced bool) {
	text := t.mask.raw[start:end]
	t.out = append(t.out, token{
		text: text, low: lower(text), start: start, end: end, kind: k,
		spaced: spaced, marked: t.mask.markedAt(start), italic: t.mask.italicAt(start),
	})
}

// emitCode appends the content of an inline code span: one code token when it
// is short enough to name something, else a token that breaks phrases.
func (t *tokenizer) emitCode(start, end int, spaced bool) {
	text := t.mask.raw[start:end]
	from := start + len(text) - len(strings.TrimLeft(text, " \t"))
	text = strings.Trim(text, " \t")
	name := codeName(text)
	if name == "" {
		t.out = append(t.out, token{text: text, start: from, end: from + len(text), kind: kindJunk, spaced: spaced})
		return
	}
	t.out = append(t.out, token{
		text: name, low: lower(name), start: from, end: from + len(text), kind: kindCode,
		spaced: spaced, marked: true,
	})
}

// word appends the word that starts at i and returns where it ends.
func (t *tokenizer) word(i, end int, spaced bool) int {
	text := t.mask.text
	if j := urlEnd(text[i:end]); j > 0 {
		t.emit(i, i+j, kindJunk, spaced)
		return i + j
	}
	j := i + wordEnd(text[i:end])
	if j-i > maxWordBytes || unspacedScript(text[i:j]) {
		t.emit(i, j, kindJunk, spaced)
		return j
	}
	if cut := contraction(text[i:j]); cut > 0 {
		t.emit(i, i+cut, kindWord, spaced)
		t.emit(i+cut, j, kindWord, false)
		return j
	}
	k := shapeOf(text[i:j])
	if k == kindNumber && grade(text[i:j]) {
		k = kindWord
	}
	if j < end && text[j] == '.' && (t.words.abbreviation(text[i:j+1]) || t.nameInitial(text, i, j, end) || t.genusInitial(text, i, j, end)) {
		j++
		k = kindWord
	}
	t.emit(i, j, k, spaced)
	return j
}

// grade reports a number with capitals that belongs to a name: 3D, 5G, 4K.
func grade(s string) bool {
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	switch s[digits:] {
	case "D", "G", "K", "DES", "FA":
		return digits <= 2
	}
	return false
}

// nameInitial reports whether the capital text[i:j] and the stop after it are an
// initial inside a name: "John F. Kennedy", "J. S. Bach". A name goes on after it.
func (t *tokenizer) nameInitial(text string, i, j, end int) bool {
	if j-i != 1 || !isCapital(text[i:j]) {
		return false
	}
	rest := text[j+1 : end]
	next := strings.TrimLeft(rest, " ")
	if len(rest)-len(next) > 1 || !isCapital(next) {
		return false
	}
	n := wordEnd(next)
	if n == 1 { // another initial, or "vitamin C. A …"
		return len(next) > 1 && next[1] == '.'
	}
	named := len(t.out) == 0 || isCapital(t.out[len(t.out)-1].text) || t.out[len(t.out)-1].kind == kindPunct
	return (named || len(rest) == len(next)) && t.words.band(lower(next[:n])) <= bandTopical
}

// genusInitial reports whether the capital text[i:j] and the stop after it stand for the
// genus of a species, as in "E. coli": the next word is of no English.
func (t *tokenizer) genusInitial(text string, i, j, end int) bool {
	if j-i != 1 || !isCapital(text[i:j]) || j+2 >= end || text[j+1] != ' ' {
		return false
	}
	next := text[j+2 : end]
	n := wordEnd(next)
	if n < 4 || strings.Trim(next[:n], "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	return t.words.band(next[:n]) == bandRare && t.words.verbs[next[:n]].lemma == ""
}

// wordEnd returns the length of the word at the start of s. Inner hyphens,
// apostrophes, dots, slashes and the like belong to it when letters or digits
// stand on both sides.
func wordEnd(s string) int {
	i := 0
	for i < len(s) && i <= maxWordBytes*4 {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '_' {
			i += size
			continue
		}
		if (r == '+' || r == '#') && i > 0 && i <= 2 && unicode.IsUpper(rune(s[0])) {
			i += size // C++, C#
			continue
		}
		if !joins(s, i, r, size) {
			break
		}
		i += size
	}
	return max(i, 1)
}

// joins reports whether the mark r at s[i:] ties the letters on its sides into
// one word.
func joins(s string, i int, r rune, size int) bool {
	next, _ := utf8.DecodeRuneInString(s[i+size:])
	prev, _ := utf8.DecodeLastRuneInString(s[:i])
	alnum := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	if !alnum(next) || !alnum(prev) {
		return false
	}
	switch r {
	case '-', '\u2010', '\u2011', '\'', '’', '&', '@':
		return true
	case ',':
		return unicode.IsDigit(prev) && unicode.IsDigit(next)
	case '.':
		return !unicode.IsLower(prev) || !unicode.IsUpper(next) || i == 1 // "end.Next" is two words
	case ':':
		return unicode.IsDigit(prev) && unicode.IsDigit(next)
	case '/':
		return unicode.IsUpper(prev) && unicode.IsUpper(next) || strings.ContainsAny(s[:i], "/_.")
	}
	return false
}

// contraction returns where to cut "isn't" or "lane's", or 0.
func contraction(s string) int {
	for _, mark := range []string{"n't", "n’t", "'s", "’s", "'ll", "’ll", "'re", "’re", "'ve", "’ve", "'d", "’d", "'m", "’m"} {
		if len(s) > len(mark) && strings.EqualFold(s[len(s)-len(mark):], mark) {
			return len(s) - len(mark)
		}
	}
	return 0
}

// urlEnd returns the length of the URL or mail address at the start of s, or 0.
func urlEnd(s string) int {
	if !strings.Contains(s[:min(len(s), 12)], "://") && !strings.HasPrefix(s, "www.") && !strings.HasPrefix(s, "mailto:") {
		return 0 // as most words are, whose end is not searched
	}
	head := s[:min(len(s), 2048)]
	n := strings.IndexFunc(head, unicode.IsSpace)
	if n < 0 {
		n = len(head)
	}
	head = head[:n]
	if !strings.Contains(head[:min(n, 12)], "://") && !strings.HasPrefix(head, "www.") &&
		!strings.HasPrefix(head, "mailto:") {
		return 0
	}
	return len(strings.TrimRight(head, ".,;:!?)]}>\"'*|"))
}

// lower returns s in lower case with straight apostrophes and hyphens.
func lower(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf && (s[i] < 'A' || s[i] > 'Z')
	}
	if plain {
		return s
	}
	s = strings.ToLower(s)
	if strings.ContainsAny(s, "’\u2010\u2011") {
		s = strings.NewReplacer("’", "'", "\u2010", "-", "\u2011", "-").Replace(s)
	}
	return s
}
