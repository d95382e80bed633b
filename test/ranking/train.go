package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// kept is the share of the answered questions that have an answer from 0.5 on: people bear an
// answer too many better than one too few.
const kept = 0.95

// train learns from all articles in English, compared as English and as any language, and
// writes the weights.
func train(ctx context.Context, articles []article, file string) error {
	var w ranking.Weights
	for _, as := range []struct {
		language       string
		order, answers *map[string]float64
	}{
		{"en", &w.English, &w.EnglishAnswers},
		{"any", &w.Other, &w.OtherAnswers},
	} {
		t, err := newTrial(ctx, newCorpus(articles, as.language))
		if err != nil {
			return err
		}
		every := func(int) bool { return true }
		order := learnOrder(examples(t.whole, every), t.order, penalty, nil)
		*as.order = t.named(t.order, order)
		answer := t.learnAnswer(order, every)
		both := t.judge(order, answer, every)
		_, threshold := refused(slices.Concat(both[0], both[1]), kept)
		*as.answers = t.named(t.all, answer.weights)
		(*as.answers)[ranking.Bias] = digits(answer.bias - math.Log(threshold/(1-threshold)))
	}
	text, err := json.MarshalIndent(w, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("the weights could not be written: %w", err)
	}
	return nil
}

// named returns weights by the names of their features.
func (t *trial) named(use []int, w []float64) map[string]float64 {
	out := map[string]float64{}
	for k, f := range use {
		out[t.names[f]] = digits(w[k])
	}
	return out
}

// digits returns a number with five digits.
func digits(x float64) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		panic(err) // it was formatted here
	}
	return x
}
