package answers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Sentences returns where the sentences of a text are, in their order and without the white
// space, list marks and bars around them. Items of lists, headings and rows of tables are
// sentences, as they are for finding.
func Sentences(text string) []corpus.Span {
	return slices.DeleteFunc(sentencesOf(text, words.Cut(text, false)), func(s corpus.Span) bool {
		return itemMark(text[s.Start:s.End])
	})
}

// sentencesOf returns a span for each sentence of a text as it was cut.
func sentencesOf(text string, cut words.Text) []corpus.Span {
	spans := make([]corpus.Span, 0, len(cut.Sentences))
	for i, first := range cut.Sentences {
		s := corpus.Span{Start: cut.Words[first].Start, End: len(text)}
		if i+1 < len(cut.Sentences) {
			s.End = opening(text, s.Start, cut.Words[cut.Sentences[i+1]].Start)
		}
		s.Start = opening(text, 0, s.Start)
		if i > 0 {
			s.Start = max(s.Start, spans[i-1].End)
		}
		spans = append(spans, trimmed(text, s))
	}
	return spans
}

// opening returns where the quotes, brackets and signs that open a sentence begin, when its
// first word is at start.
func opening(text string, least, start int) int {
	for start > least {
		r, size := utf8.DecodeLastRuneInString(text[least:start])
		if !unicode.In(r, unicode.Ps, unicode.Pi, unicode.Sc) && !strings.ContainsRune("\"'`*_¿¡-+~/.\\<", r) {
			break
		}
		start -= size
	}
	return start
}

// trimmed returns the span without white space and the marks of lists, headings and tables.
func trimmed(text string, s corpus.Span) corpus.Span {
	for s.End > s.Start && strings.IndexByte(" \t\r\n|>#", text[s.End-1]) >= 0 {
		s.End--
	}
	if line := strings.LastIndexByte(text[s.Start:s.End], '\n'); line >= 0 && itemMark(text[s.Start+line+1:s.End]) {
		s.End = s.Start + line // the mark of the next item
		return trimmed(text, s)
	}
	for s.Start < s.End {
		rest := text[s.Start:s.End]
		cut := strings.TrimLeft(rest, " \t\r\n|>#")
		if len(cut) > 2 && strings.IndexByte("-*+", cut[0]) >= 0 && cut[1] == ' ' {
			cut = cut[2:]
		}
		if cut == rest {
			break
		}
		s.Start = s.End - len(cut)
	}
	return s
}

// itemMark reports that a line is the mark of an item and nothing else.
func itemMark(line string) bool {
	line = strings.TrimSpace(line)
	return line == "-" || line == "*" || line == "+" || line == "•" ||
		len(line) > 1 && len(line) < 5 && strings.Trim(line[:len(line)-1], "0123456789") == "" && strings.IndexByte(".)", line[len(line)-1]) >= 0
}

// Sentence returns the sentence of a passage that answers the question: the one that has most of
// its words, each worth what it weighs, and a thing of the kind that is asked for. It is the first
// of equals, and the zero Span when no sentence has a word of the question.
func (q *Question) Sentence(p *Passage) corpus.Span {
	asked, pieces := q.worthIn(p.english), p.pieces
	clear(asked.seen)
	best, most := corpus.Span{}, 0.0
	for i, s := range p.spans {
		sum := asked.of(p.wordsOf(i), i+1)
		if sum == 0 {
			continue
		}
		for len(pieces) > 0 && pieces[0].Start < s.Start {
			pieces = pieces[1:]
		}
		end := 0
		for end < len(pieces) && pieces[end].Start < s.End {
			end++
		}
		if holds(q.Kind, pieces[:end], p.Text, asked) {
			sum += kindWorth[q.Kind] * asked.whole
		}
		if sum > most {
			best, most = s, sum
		}
	}
	best.Start = best.End - len(withoutTitle(p.Text[best.Start:best.End]))
	return best
}

// Defining returns the first sentence of a passage that defines a term by itself, as Definitions has
// it. The term is a key, see DefinedKey; the language is that of the passage.
func (p *Passage) Defining(language, key string) (at corpus.Span, found bool) {
	for _, s := range p.spans {
		d := definer{forms: formsOf(language), language: language}
		if d.sentence(p.Text[s.Start:s.End]); slices.Contains(d.keys, key) {
			s.Start = s.End - len(withoutTitle(p.Text[s.Start:s.End]))
			return s, true
		}
	}
	return corpus.Span{}, false
}

// kindWorth is what a thing of the kind that is asked for counts, against all words of the
// question: dates and numbers are seen more surely than names.
var kindWorth = map[Kind]float64{KindDate: 0.3, KindNumber: 0.3, KindPlace: 0.1, KindPerson: 0.15, KindName: 0.05}

// holds reports whether a sentence has what may be of a kind and is not in the question: a number, a
// date, or a name behind its first word.
func holds(kind Kind, sentence []piece, text string, asked *worth) bool {
	fresh := func(at corpus.Span) bool {
		return slices.ContainsFunc(sentence, func(p piece) bool {
			return p.Start < at.End && at.Start < p.End && !p.small && asked.lacks(p.Stem)
		})
	}
	switch kind {
	case KindDate:
		return slices.ContainsFunc(momentsOf(text, sentence), func(m moment) bool { return fresh(m.Span) })
	case KindNumber:
		all := amountsOf(text, sentence, momentsOf(text, sentence))
		return slices.ContainsFunc(all, func(a amount) bool { return fresh(a.Span) })
	case KindPlace, KindPerson, KindName:
		for _, p := range sentence[min(1, len(sentence)):] {
			if p.capital && !p.small && asked.lacks(p.Stem) {
				return true
			}
		}
	}
	return false
}
