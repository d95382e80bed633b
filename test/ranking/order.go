package main

import (
	"slices"
)

// penalty is on the square of the weights, of features of deviation one. Between 1 and 30 it
// makes no difference that is seen.
const penalty = 5

// folds is how often one part of the articles is measured after learning from the others.
const folds = 5

// hits counts how many questions had their passage first, among three, among the candidates.
type hits struct {
	questions, first, three, candidates int
	reciprocal                          float64 // the sum of 1/place, up to ten
}

func (h *hits) add(o hits) {
	h.questions += o.questions
	h.first += o.first
	h.three += o.three
	h.candidates += o.candidates
	h.reciprocal += o.reciprocal
}

// scored returns the scores of the candidates.
func scored(s *sample, use []int, w []float64) []float64 {
	out := make([]float64, s.count)
	for i := range out {
		row := s.of(i)
		for k, f := range use {
			out[i] += w[k] * float64(row[f])
		}
	}
	return out
}

// place returns the place of the right passage, from 1; 0 if it is not among the candidates.
func place(s *sample, use []int, w []float64) int {
	if s.right < 0 {
		return 0
	}
	scores := scored(s, use, w)
	n := 1
	for i, x := range scores {
		if x > scores[s.right] || x == scores[s.right] && i < s.right {
			n++
		}
	}
	return n
}

func count(samples []sample, use []int, w []float64) (h hits) {
	for i := range samples {
		h.questions++
		n := place(&samples[i], use, w)
		if n == 0 {
			continue
		}
		h.candidates++
		if n == 1 {
			h.first++
		}
		if n <= 3 {
			h.three++
		}
		if n <= 10 {
			h.reciprocal += 1 / float64(n)
		}
	}
	return h
}

// examples returns what can be learned from: questions whose passage is among the candidates.
func examples(samples []sample, keep func(article int) bool) []example {
	var all []example
	for i := range samples {
		s := &samples[i]
		if s.right < 0 || s.count < 2 || !keep(s.article) {
			continue
		}
		e := example{right: s.right}
		for c := range s.count {
			e.rows = append(e.rows, s.of(c))
		}
		all = append(all, e)
	}
	return all
}

// crossed measures each part of the articles after learning from the others.
func crossed(samples []sample, use []int, start [][]float64) (h hits, weights [][]float64) {
	for fold := range folds {
		var from []float64
		if start != nil {
			from = start[fold]
		}
		w := learnOrder(examples(samples, func(a int) bool { return a%folds != fold }), use, penalty, from)
		h.add(count(slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return s.article%folds != fold }), use, w))
		weights = append(weights, w)
	}
	return h, weights
}
