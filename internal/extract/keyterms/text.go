package keyterms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// token is a word of a text, or what ends a phrase.
type token struct {
	corpus.Span
	low      string // in lower case; "" for a mark that ends a phrase
	capital  bool   // it begins with one
	first    bool   // in its sentence
	number   bool
	unspaced bool // a run of characters of a script without spaces between words
	sentence int
}

// text is a passage that is read.
type text struct {
	text      string
	language  string
	tokens    []token
	sentences []corpus.Span
	stop      map[string]bool
	nouns     bool // its nouns have capitals
}

func newText(p knowledge.Passage) *text {
	t := &text{text: p.Text, language: p.Language, nouns: p.Language == "de" || p.Language == "lb"}
	t.tokenize(p.ContentType == corpus.ContentMarkdown)
	t.findStopWords()
	return t
}

// tokenize finds the words and the sentences of the text. Code and addresses have none.
func (t *text) tokenize(markdown bool) {
	fence, at := "", 0
	blank := true
	for line := range strings.Lines(t.text) {
		start := at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		if marks := fenceMarks(trimmed); markdown && marks != "" {
			if fence == "" {
				fence = marks
			} else if strings.HasPrefix(marks, fence) {
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if trimmed == "" || strings.ContainsAny(trimmed[:1], "#|-*+>") {
			blank = true
		}
		if trimmed != "" {
			t.line(start, at, blank)
			blank = strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "|")
		}
	}
}

func fenceMarks(line string) string {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return ""
	}
	return line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
}

// line reads a line; begins says that a sentence begins with it.
func (t *text) line(start, end int, begins bool) {
	if begins || len(t.sentences) == 0 {
		t.sentences = append(t.sentences, corpus.Span{Start: start, End: start})
		t.mark(start)
	}
	first := begins
	for i := start; i < end; {
		rest := t.text[i:end]
		r, size := utf8.DecodeRuneInString(rest)
		if n := addressLength(rest); n > 0 {
			t.mark(i)
			i += n
			continue
		}
		if !isWord(r) {
			if !unicode.IsSpace(r) {
				t.mark(i)
			}
			i += size
			if t.endsSentence(i, end, r) {
				t.endSentence(i)
				first = true
			}
			continue
		}
		n := wordLength(rest)
		w := t.text[i : i+n]
		if n > mostWord && !unspaced(r) {
			t.mark(i)
			i += n
			continue
		}
		t.tokens = append(t.tokens, token{
			Span: corpus.Span{Start: i, End: i + n}, low: strings.ToLower(w), capital: unicode.IsUpper(r) || unicode.IsTitle(r),
			first: first, number: unicode.IsNumber(r), unspaced: unspaced(r), sentence: len(t.sentences) - 1,
		})
		first = false
		i += n
		t.sentences[len(t.sentences)-1].End = i
	}
}

// mark ends a phrase.
func (t *text) mark(at int) {
	if len(t.tokens) == 0 || t.tokens[len(t.tokens)-1].low != "" {
		t.tokens = append(t.tokens, token{Span: corpus.Span{Start: at, End: at}, sentence: len(t.sentences) - 1})
	}
}

// endsSentence reports whether a sentence ends with a mark before a byte.
func (t *text) endsSentence(at, end int, mark rune) bool {
	if strings.ContainsRune(corpus.SentenceMarks, mark) {
		return true
	}
	if !strings.ContainsRune(".!?…", mark) || at < end && !unicode.IsSpace(rune(t.text[at])) {
		return false
	}
	const most = 40
	from := max(at-most, 0)
	word := t.text[from:at]
	word = word[strings.LastIndexAny(word, " \t\n")+1:]
	return corpus.EndsSentence(word, strings.TrimSpace(t.text[at:end]))
}

func (t *text) endSentence(at int) {
	last := &t.sentences[len(t.sentences)-1]
	if last.End > last.Start {
		last.End = at
	}
	for at < len(t.text) && t.text[at] == ' ' {
		at++
	}
	t.sentences = append(t.sentences, corpus.Span{Start: at, End: at})
}

// addressLength returns how long a URL or the target of a link is at the beginning of a text.
func addressLength(rest string) int {
	if strings.HasPrefix(rest, "](") {
		if n := strings.IndexByte(rest, ')'); n > 0 {
			return n + 1
		}
		return 0
	}
	if strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://") || strings.HasPrefix(rest, "www.") {
		if n := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(")]>\"", r) }); n > 0 {
			return n
		}
		return len(rest)
	}
	if rest[0] == '<' && len(rest) > 1 && (rest[1] == '/' || 'a' <= rest[1] && rest[1] <= 'z') {
		if n := strings.IndexByte(rest, '>'); n > 0 {
			return n + 1
		}
	}
	return 0
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }

// wordLength returns how long the word at the beginning of a text is: with hyphens and
// apostrophes within it, and with one script only where one writes no spaces.
func wordLength(rest string) int {
	first, _ := utf8.DecodeRuneInString(rest)
	runs := unspaced(first)
	n := 0
	for n < len(rest) {
		r, size := utf8.DecodeRuneInString(rest[n:])
		switch {
		case isWord(r) && (unspaced(r) == runs || unicode.IsMark(r)):
		case !runs && strings.ContainsRune("-'’·", r) && n > 0:
			next, _ := utf8.DecodeRuneInString(rest[n+size:])
			if !unicode.IsLetter(next) || unspaced(next) {
				return n
			}
		case runs && r == '·':
		default:
			return n
		}
		n += size
	}
	return n
}

// unspaced reports a character of a script without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) || r == 'ー'
}

// findStopWords finds the words that say nothing: those that are known of the language, and
// short ones that are much more frequent than others and have no capitals.
func (t *text) findStopWords() {
	t.stop = corpus.FunctionWords(t.language)
	shortest := 4 // letters of a word that may be one because it is frequent
	if len(t.stop) > 0 {
		shortest = 3
	}
	counts, capitals, all := map[string]int{}, map[string]int{}, 0
	for _, k := range t.tokens {
		if k.low == "" || k.unspaced {
			continue
		}
		counts[k.low]++
		all++
		if k.capital && !k.first {
			capitals[k.low]++
		}
	}
	for word, n := range counts {
		const few, share = 4, 0.006
		length := utf8.RuneCountInString(word)
		if length == 1 || length <= shortest && n >= few && float64(n) > share*float64(all) && 2*capitals[word] < n {
			t.stop[word] = true
		}
	}
}
