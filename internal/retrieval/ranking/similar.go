package ranking

import (
	"cmp"
	_ "embed" // the weights
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
)

// SimilarWeights are what the similarity of a question and a passage in meaning is worth beside
// the other features, whose weights stay as they are: without a model that knows meaning, order
// and answers are those of the words.
type SimilarWeights struct {
	// English and Other are added to the score for each deviation of similarity, of passages
	// in English and in other languages.
	English, Other float64
	// EnglishAnswers and OtherAnswers say how likely a passage answers.
	EnglishAnswers, OtherAnswers SimilarAnswer
}

// SimilarAnswer is how likely a passage answers, by what the words say of that, as a logit, and
// by its similarity.
type SimilarAnswer struct{ Bias, Words, Similarity float64 }

//go:embed similar.json
var learnedSimilar []byte

// learnedSimilarity returns the weights of the similarity that were learned.
var learnedSimilarity = sync.OnceValue(func() SimilarWeights {
	var w SimilarWeights
	if err := json.Unmarshal(learnedSimilar, &w); err != nil {
		panic(fmt.Sprintf("ranking: similar.json is part of the program and cannot be read: %v", err))
	}
	return w
})

// Similarity is the name under which an explained answer has what Fuse adds to a score.
const Similarity = "similarity"

// Fuse orders ranked passages anew with how similar they are to the question, by their IDs and
// in deviations above what is usual. A passage whose similarity is not known counts as the mean
// of the others: it was not embedded yet, which says nothing of it.
func (m *Model) Fuse(ranked []Ranked, similar map[int32]float64) {
	m.fuse(ranked, similar, learnedSimilarity())
}

func (m *Model) fuse(ranked []Ranked, similar map[int32]float64, w SimilarWeights) {
	usual, known := 0.0, 0.0
	for i := range ranked {
		if s, ok := similar[ranked[i].ID]; ok {
			usual, known = usual+s, known+1
		}
	}
	if known == 0 {
		return
	}
	for i := range ranked {
		r := &ranked[i]
		s, ok := similar[r.ID]
		if !ok {
			s = usual / known
		}
		weight, answer := w.Other, w.OtherAnswers
		if r.English {
			weight, answer = w.English, w.EnglishAnswers
		}
		r.Similar = weight * s
		r.Score += r.Similar
		r.Answers = logistic(answer.Bias + answer.Words*logit(r.Answers) + answer.Similarity*s)
	}
	slices.SortStableFunc(ranked, func(a, b Ranked) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.ID, b.ID))
	})
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logit undoes logistic. What is nearly certain is taken to be a little less so.
func logit(p float64) float64 {
	p = min(max(p, 1e-6), 1-1e-6)
	return math.Log(p / (1 - p))
}
