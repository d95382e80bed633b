package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// absent holds questions that were asked of libraries that answer them, and of others.
type absent struct {
	whole, wholeNot   []sample // of all articles, and of all but the one that answers
	single, singleNot []sample // of one article: that one, and another
}

// askAbsent asks all questions of four libraries. Those of the whole one were asked already.
func (c *corpus) askAbsent(ctx context.Context, m *ranking.Model, whole []sample) (absent, error) {
	a := absent{whole: whole}
	for n := range c.articles {
		own, others := c.of(n)
		for _, set := range []struct {
			to        *[]sample
			keep      func(int) bool
			questions []question
		}{
			{&a.wholeNot, func(i int) bool { return i != n }, own},
			{&a.single, func(i int) bool { return i == n }, own},
			{&a.singleNot, func(i int) bool { return i == n }, others},
		} {
			v, err := c.library(set.keep)
			if err != nil {
				return a, err
			}
			samples, err := ask(ctx, m, v, c.english, set.questions)
			if err != nil {
				return a, err
			}
			*set.to = append(*set.to, samples...)
		}
	}
	return a, nil
}

// of returns the questions of an article, and as many of others.
func (c *corpus) of(article int) (own, others []question) {
	for _, q := range c.questions {
		if q.article == article {
			own = append(own, q)
		} else {
			others = append(others, q)
		}
	}
	every := max(1, len(others)/max(1, len(own)))
	var some []question
	for i := article % every; i < len(others); i += every {
		some = append(some, others[i])
	}
	return own, some
}

// best returns the features of the candidate that comes first, those of the order among them;
// nil if there is none.
func best(s *sample, names []string, use []int, w []float64) []float32 {
	if s.count == 0 {
		return nil
	}
	scores := scored(s, use, w)
	first := slices.Index(scores, slices.Max(scores))
	row := slices.Clone(s.of(first))
	row[slices.Index(names, "score")] = float32(scores[first])
	row[slices.Index(names, "lead")] = 0
	if len(scores) > 1 {
		second := slices.Max(slices.Delete(slices.Clone(scores), first, first+1))
		row[slices.Index(names, "lead")] = float32(scores[first] - second)
	}
	return row
}

// judged is what was said of questions, and what is so.
type judged struct {
	score float64
	right int
}

// area returns how likely a question that is answered scores above one that is not.
func area(all []judged) float64 {
	slices.SortStableFunc(all, func(a, b judged) int { return cmp.Compare(a.score, b.score) })
	var below, pairs, nots, rights float64
	for i := 0; i < len(all); {
		j, r, n := i, 0.0, 0.0
		for ; j < len(all) && all[j].score == all[i].score; j++ {
			r += float64(all[j].right)
			n += float64(1 - all[j].right)
		}
		pairs += r * (below + n/2)
		below += n
		rights += r
		nots += n
		i = j
	}
	return pairs / rights / nots
}

// refused returns how many of the questions that are not answered score below the given share
// of those that are, and that score.
func refused(all []judged, kept float64) (share, threshold float64) {
	var rights []float64
	for _, j := range all {
		if j.right == 1 {
			rights = append(rights, j.score)
		}
	}
	slices.Sort(rights)
	threshold = rights[int(float64(len(rights))*(1-kept))]
	_, share = at(all, threshold)
	return share, threshold
}

// at returns the shares that are kept and refused with a threshold.
func at(all []judged, threshold float64) (kept, refused float64) {
	var rights, nots float64
	for _, j := range all {
		if j.right == 1 {
			rights++
			if j.score >= threshold {
				kept++
			}
		} else {
			nots++
			if j.score < threshold {
				refused++
			}
		}
	}
	return kept / rights, refused / nots
}
