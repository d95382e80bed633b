package ranking

import (
	"math"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/index"
)

func ranked(scores ...float64) []Ranked {
	var all []Ranked
	for i, s := range scores {
		all = append(all, Ranked{Candidate: index.Candidate{Meta: index.Meta{ID: int32(i + 1), English: true}}, Score: s, Answers: 0.5})
	}
	return all
}

// TestFuse wants what is similar to rise as far as its weight allows, what is not embedded to be
// as the mean, and nothing to change without similarities.
func TestFuse(t *testing.T) {
	w := SimilarWeights{English: 0.5, EnglishAnswers: SimilarAnswer{Words: 1, Similarity: 1}}
	for name, c := range map[string]struct {
		similar map[int32]float64
		want    []int32
	}{
		"the second is more similar": {map[int32]float64{1: 0, 2: 3, 3: 0}, []int32{2, 1, 3}},
		"but not by enough":          {map[int32]float64{1: 0, 2: 1.9, 3: 0}, []int32{1, 2, 3}},
		"one is not embedded":        {map[int32]float64{1: 1, 3: 3}, []int32{1, 2, 3}},
		"none is":                    {nil, []int32{1, 2, 3}},
		"others are":                 {map[int32]float64{7: 8}, []int32{1, 2, 3}},
	} {
		m, all := New(Weights{}), ranked(2, 1, 0)
		m.fuse(all, c.similar, w)
		for i, id := range c.want {
			if all[i].ID != id {
				t.Errorf("%s: place %d has passage %d, want %v", name, i+1, all[i].ID, c.want)
			}
			if s := c.similar[all[i].ID]; name == "the second is more similar" && math.Abs(all[i].Answers-1/(1+math.Exp(-s))) > 1e-9 {
				t.Errorf("passage %d answers with %g, and is similar by %g", id, all[i].Answers, s)
			}
			if len(c.similar) == 0 && (all[i].Answers != 0.5 || all[i].Similar != 0) {
				t.Errorf("%s: passage %d was changed: %+v", name, id, all[i])
			}
		}
	}
}

// TestLearnedSimilarity wants similarity to be worth something, and to change nothing of an
// answer that no model has had a say in.
func TestLearnedSimilarity(t *testing.T) {
	w := learnedSimilarity()
	if w.English <= 0 || w.Other <= 0 || w.EnglishAnswers.Words <= 0 || w.OtherAnswers.Words <= 0 || w.EnglishAnswers.Similarity < 0 || w.OtherAnswers.Similarity < 0 {
		t.Errorf("learned %+v", w)
	}
}
