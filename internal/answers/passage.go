package answers

import (
	"sort"
	"sync"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Passage is a text that was read once, to be compared with many questions. It is safe for
// concurrent use.
type Passage struct {
	// Text is what was read.
	Text string

	english bool
	cut     words.Text
	spans   []corpus.Span // of its sentences
	pieces  []piece
	claims  func() []claim
}

// NewPassage reads a text, which is English or in another language.
func NewPassage(text string, english bool) *Passage {
	cut := words.Cut(text, english)
	p := &Passage{Text: text, english: english, cut: cut, spans: sentencesOf(text, cut), pieces: wholeWords(text, cut.Words)}
	p.claims = sync.OnceValue(p.readClaims)
	return p
}

// Is reports whether this was read.
func (p *Passage) Is(text string, english bool) bool { return p.english == english && p.Text == text }

// wordsOf returns the words of a sentence.
func (p *Passage) wordsOf(sentence int) []words.Word {
	if sentence+1 < len(p.spans) {
		return p.cut.Words[p.cut.Sentences[sentence]:p.cut.Sentences[sentence+1]]
	}
	return p.cut.Words[p.cut.Sentences[sentence]:]
}

// piecesIn returns the whole words of a part of the text, with their places in it, as piecesOf
// returns them of the part.
func (p *Passage) piecesIn(part corpus.Span) []piece {
	text := p.Text[part.Start:part.End]
	first := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].End > part.Start })
	end := first + sort.Search(len(p.pieces)-first, func(i int) bool { return p.pieces[first+i].Start >= part.End })
	if !p.english || first < end && (p.pieces[first].Start < part.Start || p.pieces[end-1].End > part.End) {
		return piecesOf(text)
	}
	all := make([]piece, end-first)
	for i, w := range p.pieces[first:end] {
		w.Start -= part.Start
		w.End -= part.Start
		all[i] = w
	}
	return all
}
