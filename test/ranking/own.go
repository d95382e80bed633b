package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// What is asked of a library's own text, to see a limit without a question of anybody.
const (
	ownWords    = 10 // of a text that is asked
	ownUnspaced = 30 // the same, in pieces of a text without spaces
	ownTexts    = 2  // of a passage
	// ownDenied is how many of them are denied at the limit, before it is moved.
	ownDenied = 0.95
)

// askOwn asks texts of the passages of the library of all articles, which may be answered from any
// article but their own: nothing answers them.
func (t *trial) askOwn(ctx context.Context) error {
	v, err := t.corpus.library(func(int, int32) bool { return true })
	if err != nil {
		return err
	}
	t.own, err = ask(ctx, plain(), v, t.corpus.english, t.corpus.ownTexts())
	return err
}

// ownTexts returns texts of words in a row, from each passage that is long enough. The same ones
// come each time.
func (c *corpus) ownTexts() (all []question) {
	for n, a := range c.articles {
		for p := range a.Paragraphs {
			text := a.Paragraphs[p].Context
			cut := words.Cut(text, false).Words
			length := ownWords
			if slices.ContainsFunc(cut, func(w words.Word) bool { return words.Unspaced(w.Text) }) {
				length = ownUnspaced
			}
			for k := range ownTexts {
				if len(cut) <= length {
					continue
				}
				at := (31*p + 7919*k) % (len(cut) - length)
				all = append(all, question{text: text[cut[at].Start:cut[at+length-1].End], article: n, foreign: true})
			}
		}
	}
	return all
}

// ownLimit returns the score below which so many of its own texts are.
func (t *trial) ownLimit(order []float64, a answer) float64 {
	var scores []float64
	for i := range t.own {
		if score := a.of(t.best(&t.own[i], order), t.all); !math.IsInf(score, 0) {
			scores = append(scores, score)
		}
	}
	slices.SortFunc(scores, cmp.Compare)
	return scores[int(float64(len(scores))*ownDenied)]
}

// printOwn prints what a limit from a library's own text says of the library of all articles: moved
// as far as that of other languages has to be, on average.
func (t *trial) printOwn(order []float64, a answer, others []*trial, out io.Writer) {
	moved := 0.0
	for _, o := range others {
		moved += threshold(surely(o.levels(order, a)[0].judged), kept) - o.ownLimit(order, a)
	}
	moved /= float64(len(others))
	sure := surely(t.levels(order, a)[0].judged)
	has, refused := at(sure, t.ownLimit(order, a)+moved)
	fmt.Fprintf(out, "  with a limit from its own text: answered denied %.4f, foreign refused %.4f (that of the others was moved by %.2f)\n", 1-has, refused, moved)
}
