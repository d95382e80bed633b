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

// of returns the score of the passage with these features: how likely it answers is the logistic
// function of it. None does not.
func (a answer) of(row []float32, use []int) float64 {
	if row == nil {
		return math.Inf(-1)
	}
	score := a.bias
	for k, f := range use {
		score += a.weights[k] * float64(row[f])
	}
	return score
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

// limit is the score from which on 0.95 of the questions that are surely answered are answered:
// in a library of the size at, and as much more for each unit of "small library".
type limit struct{ at, small float64 }

// of returns the limit for libraries as small as that.
func (l limit) of(small float64) float64 { return l.at + l.small*small }

// level is what was said of the questions to libraries of a kind.
type level struct {
	judged []judged
	small  float64 // how small they are, on average
}

// levels returns those of a trial.
func (t *trial) levels(order []float64, a answer) []level {
	var all []level
	for i, judged := range t.judge(order, a, anyArticle) {
		all = append(all, level{judged, t.small(&t.kinds[i])})
	}
	return all
}

// levelsByArticle returns those of a trial, with each score less the limit that is learned from the
// other parts of its articles.
func (t *trial) levelsByArticle(order []float64, a answer) []level {
	all := make([]level, len(t.kinds))
	folds := min(folds, len(t.corpus.articles))
	for fold := range folds {
		var learned []level
		for i, judged := range t.judge(order, a, func(article int) bool { return article%folds != fold }) {
			learned = append(learned, level{judged, t.small(&t.kinds[i])})
		}
		own := newLimit(learned)
		for i, judged := range t.judge(order, a, func(article int) bool { return article%folds == fold }) {
			for _, j := range judged {
				j.score -= own.of(learned[i].small)
				all[i].judged = append(all[i].judged, j)
			}
		}
	}
	return all
}

// newLimit learns it. Each level counts once, however many questions it has: a language of few
// questions is not one in which more of them may be denied.
func newLimit(all []level) limit {
	n := float64(len(all))
	var x, y, xx, xy float64
	for _, l := range all {
		score := threshold(surely(l.judged), kept)
		x, y, xx, xy = x+l.small, y+score, xx+l.small*l.small, xy+l.small*score
	}
	slope := (n*xy - x*y) / (n*xx - x*x)
	return limit{(y - slope*x) / n, slope}
}

// small returns how small the libraries of a kind are, on average.
func (t *trial) small(k *kind) float64 {
	sum, n := 0.0, 0.0
	for i := range k.answered {
		if s := &k.answered[i]; s.count > 0 {
			sum += float64(s.of(0)[t.smallAt])
			n++
		}
	}
	return sum / n
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
					out[n] = append(out[n], judged{a.of(t.best(&set[i], order), t.all), right, set[i].sure || right == 0})
				}
			}
		}
	}
	return out
}
