package main

import (
	"context"
	"math"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// kind is questions that were asked of libraries of one kind.
type kind struct {
	name string
	// answered were asked of libraries that answer them, foreign ones of libraries that do not.
	answered, foreign []sample
}

// few is how many passages the smallest libraries have.
const few = 3

// askKinds asks questions of the library of all articles and of those of all but the one that
// answers; of libraries of one article, that one and another; and of those of three passages.
func (c *corpus) askKinds(ctx context.Context, m *ranking.Model, whole []sample) ([]kind, error) {
	kinds := []kind{{name: "all articles", answered: whole}, {name: "one article"}, {name: "three passages"}}
	for n := range c.articles {
		own, others := c.of(n)
		start := c.entries[n][0].ID
		inFew := func(id int32) bool { return id >= start && id < start+few }
		ownFew := slices.DeleteFunc(slices.Clone(own), func(q question) bool { return !inFew(q.passage) })
		for _, set := range []struct {
			to        *[]sample
			keep      func(article int, id int32) bool
			questions []question
		}{
			{&kinds[0].foreign, func(a int, _ int32) bool { return a != n }, own},
			{&kinds[1].answered, func(a int, _ int32) bool { return a == n }, own},
			{&kinds[1].foreign, func(a int, _ int32) bool { return a == n }, every(others, len(own), n)},
			{&kinds[2].answered, func(_ int, id int32) bool { return inFew(id) }, ownFew},
			{&kinds[2].foreign, func(_ int, id int32) bool { return inFew(id) }, every(others, len(ownFew), n)},
		} {
			v, err := c.library(set.keep)
			if err != nil {
				return nil, err
			}
			samples, err := ask(ctx, m, v, c.english, set.questions)
			if err != nil {
				return nil, err
			}
			*set.to = append(*set.to, samples...)
		}
	}
	return kinds, nil
}

// of returns the questions of an article, and those of others.
func (c *corpus) of(article int) (own, others []question) {
	for _, q := range c.questions {
		if q.article == article {
			own = append(own, q)
		} else {
			others = append(others, q)
		}
	}
	return own, others
}

// every returns about so many of a list, evenly.
func every[T any](all []T, n, from int) (some []T) {
	step := max(1, len(all)/max(1, n))
	for i := from % step; i < len(all) && len(some) < n; i += step {
		some = append(some, all[i])
	}
	return some
}

// answer is what says how likely a passage answers.
type answer struct {
	weights []float64
	bias    float64
}

// of returns how likely the passage with these features answers. None does not.
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

// learnAnswer learns it from the questions of some articles, and from all of the others, as
// they are ordered with weights.
func (t *trial) learnAnswer(order []float64, keep func(article int) bool, others ...*trial) answer {
	from := t.told(order, keep)
	for _, o := range others {
		from = append(from, o.told(order, anyArticle)...)
	}
	w, bias := learnAnswer(from, t.all, penalty)
	return answer{w, bias}
}

// told returns the first candidates of questions, with whether they are answered.
func (t *trial) told(order []float64, keep func(article int) bool) (all []example) {
	for _, k := range t.kinds {
		for right, set := range [][]sample{k.foreign, k.answered} {
			for i := range set {
				if row := t.best(&set[i], order); row != nil && keep(set[i].article) {
					all = append(all, example{rows: [][]float32{row}, right: right})
				}
			}
		}
	}
	return all
}

// limit returns how likely 0.95 of the answered questions are answered, at least. Each trial
// counts once, however many questions it has: a language of few questions is not one in which
// more of them may be denied.
func limit(order []float64, a answer, trials ...*trial) float64 {
	sum := 0.0
	for _, t := range trials {
		p := threshold(slices.Concat(t.judge(order, a, anyArticle)...), kept)
		sum += math.Log(p / (1 - p))
	}
	return 1 / (1 + math.Exp(-sum/float64(len(trials))))
}

// best returns the features of the candidate that comes first, its lead among them; nil if
// there is none.
func (t *trial) best(s *sample, order []float64) []float32 {
	if s.count == 0 {
		return nil
	}
	scores := scored(s, t.order, order)
	first := slices.Index(scores, slices.Max(scores))
	row := slices.Clone(s.of(first))
	row[t.lead] = 0
	if len(scores) > 1 {
		rest := slices.Delete(slices.Clone(scores), first, first+1)
		row[t.lead] = float32(scores[first] - slices.Max(rest))
	}
	return row
}

// judge says of the questions of some articles how likely they are answered, for each kind.
func (t *trial) judge(order []float64, a answer, keep func(article int) bool) [][]judged {
	out := make([][]judged, len(t.kinds))
	for n, k := range t.kinds {
		for right, set := range [][]sample{k.foreign, k.answered} {
			for i := range set {
				if keep(set[i].article) {
					out[n] = append(out[n], judged{a.of(t.best(&set[i], order), t.all), right})
				}
			}
		}
	}
	return out
}
