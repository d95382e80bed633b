package answers

import (
	"strings"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Question is a question that was read once, to be compared with many passages. One goroutine
// uses it.
type Question struct {
	// Kind is what answers it, as Expected says.
	Kind Kind

	text   string
	low    string // in lower case
	pieces []piece
	says   map[string]bool // stems of its words that say something
	head   string          // the stem of the noun that it asks for: "which river"
	weight func(english bool, term string) float64
	worth  [2]*worth // of its words, in English passages and in others
	asks   map[*form]bool
}

// NewQuestion reads a question. Each of its words is worth what weight says of it: of its stem in
// English passages, and of its folded form in others. Without a weight all are worth the same.
func NewQuestion(text string, weight func(english bool, term string) float64) *Question {
	if weight == nil {
		weight = func(bool, string) float64 { return 1 }
	}
	q := readQuestion(text)
	q.Kind, q.weight = Expected(text), weight
	return q
}

// readQuestion cuts a question. Stems are English: in other languages they are as good as the
// words.
func readQuestion(text string) *Question {
	q := &Question{text: text, low: strings.ToLower(text), pieces: piecesOf(text), says: map[string]bool{}, asks: map[*form]bool{}}
	for _, p := range q.pieces {
		if !p.small {
			q.says[p.Stem] = true
		}
	}
	q.head = headOf(q.pieces)
	return q
}

// has reports whether the question has a form.
func (q *Question) has(way *form) bool {
	has, known := q.asks[way]
	if !known {
		has = way.mayBe(q.low) && way.regexp().MatchString(q.text)
		q.asks[way] = has
	}
	return has
}

// worth is what the words of a question are worth, each once.
type worth struct {
	number map[string]int // of each word, its place in the lists
	each   []float64
	seen   []int // the last sentence that had it
	whole  float64
}

// worthIn returns what the words are worth in passages of a kind.
func (q *Question) worthIn(english bool) *worth {
	w := &q.worth[0]
	if !english {
		w = &q.worth[1]
	}
	if *w == nil {
		*w = newWorth(q.text, english, q.weight)
	}
	return *w
}

func newWorth(text string, english bool, weight func(english bool, term string) float64) *worth {
	cut := words.Cut(text, english).Words
	a := &worth{number: make(map[string]int, len(cut))}
	for _, w := range cut {
		if _, known := a.number[w.Stem]; known || english && words.Function(w.Text) {
			continue
		}
		a.number[w.Stem] = len(a.each)
		a.each = append(a.each, weight(english, w.Stem))
		a.whole += a.each[len(a.each)-1]
	}
	a.seen = make([]int, len(a.each))
	return a
}

// of returns what the words of the question that a sentence has are worth, each once. No two
// sentences have one number, and none has 0.
func (a *worth) of(sentence []words.Word, number int) (sum float64) {
	for i := range sentence {
		if n, ok := a.number[sentence[i].Stem]; ok && a.seen[n] != number {
			a.seen[n] = number
			sum += a.each[n]
		}
	}
	return sum
}

// lacks reports whether the question does not have a word.
func (a *worth) lacks(stem string) bool {
	n, ok := a.number[stem]
	return !ok || a.each[n] == 0
}
