package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// kept is the share of the answered questions that have an answer from 0.5 on: people bear an
// answer too many better than one too few.
const kept = 0.95

// train learns from all articles in English, compared as English and as any language, and
// writes the weights. How likely passages in other languages answer is learned from these too.
func train(ctx context.Context, data dataset, file string, out io.Writer) error {
	var w ranking.Weights
	english, err := newFullTrial(ctx, newCorpus(data["en"], "en"))
	if err != nil {
		return err
	}
	w.English, w.EnglishAnswers, _ = english.learn(out)
	other, err := newFullTrial(ctx, newCorpus(data["en"], anyLanguage))
	if err != nil {
		return err
	}
	languages, err := newTrials(ctx, data)
	if err != nil {
		return err
	}
	w.Other, w.OtherAnswers, w.Limits = other.learn(out, without(languages, "")...)
	text, err := json.MarshalIndent(w, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("the weights could not be written: %w", err)
	}
	return nil
}

// learn returns the weights of the order, and those of how likely passages answer, which are
// learned from other trials as well, and the limits of their languages. From 0.5 on, 0.95 of the
// answered questions are answered.
func (t *trial) learn(out io.Writer, others ...*trial) (order, answers map[string]float64, limits map[string]ranking.Limit) {
	w := learnOrder(examples(t.samples(), anyArticle), t.order, penalty, nil)
	a := t.learnAnswer(w, anyArticle, others...)
	all := slices.Concat([]*trial{t}, others)
	var levels []level
	for _, o := range limiting(t, others) {
		levels = append(levels, o.levels(w, a)...)
	}
	l := newLimit(levels)
	limits = map[string]ranking.Limit{}
	for _, o := range all {
		fmt.Fprintf(out, "%s, of what was learned from:\n", o.corpus.title())
		judged := o.levels(w, a)
		printJudged(out, o.kinds, judged, l)
		if o == t {
			continue
		}
		own := newLimit(judged)
		limits[o.corpus.language[:2]] = ranking.Limit{Bias: digits(l.at - own.at), Small: digits(l.small - own.small)}
	}
	answers = t.named(t.all, a.weights)
	for _, name := range notEnglish {
		answers[name] += 0 // of what is not used it is said as well
	}
	answers[ranking.Bias] = digits(a.bias - l.at)
	answers[smallLibrary] = digits(answers[smallLibrary] - l.small)
	return t.named(t.order, w), answers, limits
}

// limiting returns the trials that the limit is learned from: English that is read as any language
// is in no library, so that the others say it where there are some.
func limiting(t *trial, others []*trial) []*trial {
	if len(others) > 0 {
		return others
	}
	return []*trial{t}
}

func anyArticle(int) bool { return true }

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
