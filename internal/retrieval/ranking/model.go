package ranking

import (
	"cmp"
	_ "embed" // the weights
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/kappagraph/kappa/internal/retrieval/index"
)

// Weights are what each feature is worth, by its name. Features without a weight are worth
// nothing.
type Weights struct {
	// English and Other order passages in English and in other languages.
	English, Other map[string]float64
	// EnglishAnswers and OtherAnswers say how likely a passage answers.
	EnglishAnswers, OtherAnswers map[string]float64
	// Limits are added to how likely passages answer in languages that were learned from: how much
	// answers share with their questions is another thing in each. Of a language without one the
	// limit is the mean of these.
	Limits map[string]Limit
}

// Limit is a bias, and how much of it there is for each unit of "small library".
type Limit struct{ Bias, Small float64 }

//go:embed weights.json
var learned []byte

// Learned returns the model with the weights that were learned.
var Learned = sync.OnceValue(func() *Model {
	var w Weights
	if err := json.Unmarshal(learned, &w); err != nil {
		panic(fmt.Sprintf("ranking: weights.json is part of the program and cannot be read: %v", err))
	}
	return New(w)
})

// Model orders candidates.
type Model struct {
	order, answers [2][]float64 // for English, and for others; by feature
	bias           [2]float64
	limits         map[string]Limit // by language, of others than English
	comparers      sync.Pool
}

// Bias is the name under which Weights hold what is added in any case.
const Bias = "bias"

// New returns a model with these weights.
func New(w Weights) *Model {
	m := &Model{limits: w.Limits, comparers: sync.Pool{New: func() any { return &comparer{} }}}
	for i, by := range []map[string]float64{w.English, w.Other} {
		m.order[i] = dense(by)
	}
	for i, by := range []map[string]float64{w.EnglishAnswers, w.OtherAnswers} {
		m.answers[i], m.bias[i] = dense(by), by[Bias]
	}
	return m
}

func dense(by map[string]float64) []float64 {
	all := make([]float64, len(names))
	for i, name := range names {
		all[i] = by[name]
	}
	return all
}

// Ranked is a candidate with what the ranking says of it.
type Ranked struct {
	index.Candidate

	// Score puts passages in order; it means nothing by itself.
	Score float64
	// Answers is how likely the passage answers, from 0 to 1.
	Answers  float64
	Features []float64
	// Similar is what its similarity in meaning adds to the score; 0 unless Fuse was called.
	Similar float64
	has     uint64 // the terms of the question that are in it, or in its title and headings
}

// Rank orders candidates, best first. They must be of the View, and the question of its
// statistics or of those of an earlier View.
func (m *Model) Rank(q *Question, v *index.View, candidates []index.Candidate) []Ranked {
	c := m.comparers.Get().(*comparer)
	defer m.comparers.Put(c)
	c.begin(q, v)
	all := make([]Ranked, len(candidates))
	features := make([]float64, 0, len(candidates)*len(names))
	for i := range candidates {
		from := len(features)
		features = c.compare(&candidates[i], features)
		all[i] = Ranked{
			Candidate: candidates[i],
			Features:  features[from:len(features):len(features)],
			has:       c.seen.inside | c.seen.around,
		}
	}
	c.locally(&q.stems, 0, candidates)
	c.locally(&q.other, 1, candidates)
	for i := range all {
		r := &all[i]
		_, which := q.side(r.English)
		r.Features[localAt] = share(c.local[which].of(c.inside[i]), c.local[which].sum)
		r.Score = dot(m.order[which], r.Features)
		if r.Class != 0 {
			r.Score -= besides
		}
	}
	slices.SortFunc(all, func(a, b Ranked) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.ID, b.ID))
	})
	m.answer(q, all)
	return all
}

// besides is what menus, notices, references and the like are put back by. It is not learned:
// the texts that the weights are from have none.
const besides = 2

// answer says how likely each passage answers.
func (m *Model) answer(q *Question, all []Ranked) {
	documents := documentsOf(all)
	for i := range all {
		r := &all[i]
		d, which := q.side(r.English)
		r.Features[leadAt] = lead(all, i)
		r.Features[termsAt] = math.Log(float64(1 + d.loose.content))
		r.Features[weightAt] = share(d.loose.sum, float64(d.loose.content)*rarity(q.size, 0))
		small := 1 / (1 + q.size/100) // nearly the same in all libraries beyond those that were learned from
		r.Features[smallAt] = small
		r.Features[agreementAt] = agreement(all, r.Document, len(documents))
		r.Features[unspacedAt] = q.unspaced
		r.Features[unspacedSmallAt] = q.unspaced * small
		score := m.bias[which] + dot(m.answers[which], r.Features)
		if l, ok := m.limits[r.Language]; ok && !r.English {
			score += l.Bias + l.Small*small
		}
		r.Answers = 1 / (1 + math.Exp(-score))
	}
}

// agreeing is how many of the first passages are asked whether they are of one document.
const agreeing = 10

// agreement is how many of the first passages are of a document, besides one: what a document is
// about, several of its passages have words of. It says nothing where there is one document.
func agreement(all []Ranked, document int32, documents int) float64 {
	same := 0
	for i := range all[:min(agreeing, len(all))] {
		if all[i].Document == document {
			same++
		}
	}
	return float64(same-1) / agreeing * (1 - 1/float64(documents))
}

// documentsOf returns the documents of passages, each once.
func documentsOf(all []Ranked) (documents []int32) {
	for i := range all {
		if !slices.Contains(documents, all[i].Document) {
			documents = append(documents, all[i].Document)
		}
	}
	return documents
}

// lead is how far a passage is before the best of the others, or behind it.
func lead(all []Ranked, i int) float64 {
	switch {
	case len(all) == 1:
		return 0
	case i == 0:
		return all[0].Score - all[1].Score
	}
	return all[i].Score - all[0].Score
}

func dot(weights, features []float64) float64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * features[i]
	}
	return sum
}
