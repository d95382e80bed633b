package main

import (
	"context"
	"math"
	"os"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// trial is the questions of a corpus, asked of all its libraries.
type trial struct {
	absent

	corpus *corpus
	names  []string
	order  []int // the features that candidates are ordered by
	all    []int // and all, which say how likely a passage answers
}

// plain orders as candidates are found. What is learned and measured needs their features only.
func plain() *ranking.Model {
	return ranking.New(ranking.Weights{English: map[string]float64{"bm25": 1}, Other: map[string]float64{"bm25": 1}})
}

// newTrial asks all questions.
func newTrial(ctx context.Context, c *corpus) (*trial, error) {
	m := plain()
	t := &trial{corpus: c, names: m.Names()}
	for i := range t.names {
		if i < slices.Index(t.names, "score") {
			t.order = append(t.order, i)
		}
		t.all = append(t.all, i)
	}
	v, err := c.library(func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	whole, err := ask(ctx, m, v, c.english, c.questions)
	if err != nil {
		return nil, err
	}
	t.whole = whole
	if quick {
		return t, nil
	}
	t.absent, err = c.askAbsent(ctx, m, whole)
	return t, err
}

// answer is what says how likely a passage answers.
type answer struct {
	weights []float64
	bias    float64
}

// learnAnswer learns it from the questions of some articles.
func (t *trial) learnAnswer(order []float64, keep func(article int) bool) answer {
	var from []example
	for right, sets := range [][][]sample{{t.wholeNot, t.singleNot}, {t.whole, t.single}} {
		for _, set := range sets {
			for i := range set {
				if row := best(&set[i], t.names, t.order, order); row != nil && keep(set[i].article) {
					from = append(from, example{rows: [][]float32{row}, right: right})
				}
			}
		}
	}
	w, bias := learnAnswer(from, t.all, penalty)
	return answer{w, bias}
}

// judge says of the questions of some articles how likely they are answered, by the whole
// libraries and by those of one document.
func (t *trial) judge(order []float64, a answer, keep func(article int) bool) (out [2][]judged) {
	for which, sets := range [][][]sample{{t.wholeNot, t.whole}, {t.singleNot, t.single}} {
		for right, set := range sets {
			for i := range set {
				if !keep(set[i].article) {
					continue
				}
				out[which] = append(out[which], judged{a.of(best(&set[i], t.names, t.order, order), t.all), right})
			}
		}
	}
	return out
}

// of returns how likely the passage with these features answers. None answers not.
func (a answer) of(row []float32, use []int) float64 {
	if row == nil {
		return 0
	}
	score := a.bias
	for k, f := range use {
		score += a.weights[k] * float64(row[f])
	}
	return 1 / (1 + math.Exp(-score))
}

var quick = os.Getenv("QUICK") != ""
