package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
)

// work learns or measures, as the flags say.
func work(ctx context.Context, o options, out io.Writer) error {
	data, err := readData(ctx, o.data)
	if err != nil {
		return err
	}
	if o.embedding != "" {
		return learnSimilar(ctx, data["en"], o.embedding, o.writeSimilar, out)
	}
	if o.write != "" {
		return train(ctx, data, o.write, out)
	}
	learn, held := split(data["en"])
	languages, err := newTrials(ctx, data)
	if err != nil {
		return err
	}
	for _, as := range []string{"en", anyLanguage} {
		t, err := newFullTrial(ctx, newCorpus(learn, as))
		if err != nil {
			return err
		}
		t.measure(o.without, out)
		if err := t.measureTime(ctx, out); err != nil {
			return err
		}
		if o.held {
			h, err := newFullTrial(ctx, newCorpus(held, as))
			if err != nil {
				return err
			}
			t.measureOther(h, "held out", nil, out)
		}
		if as != anyLanguage {
			continue
		}
		for _, l := range slices.Sorted(maps.Keys(languages)) {
			t.measureOther(languages[l], l, without(languages, l), out)
		}
	}
	return nil
}

// without returns the trials in other languages but one, in the order of their names.
func without(all map[string]*trial, language string) (rest []*trial) {
	for _, l := range slices.Sorted(maps.Keys(all)) {
		if l != language {
			rest = append(rest, all[l])
		}
	}
	return rest
}

// measure prints what is reached on each part of the articles after learning from the others.
func (t *trial) measure(each bool, out io.Writer) {
	fmt.Fprintf(out, "\n%s: %d questions of %d articles, cross-validated by article\n", t.corpus.title(), len(t.samples()), len(t.corpus.articles))
	printHits(out, "BM25, as found", count(t.samples(), []int{0}, []float64{1}))
	h, weights := crossed(t.samples(), t.order, nil)
	printHits(out, "ranked", h)
	all := make([]level, len(t.kinds))
	for i := range all {
		all[i].small = t.small(&t.kinds[i])
	}
	for fold, w := range weights {
		a := t.learnAnswer(w, func(article int) bool { return article%folds != fold })
		for i, j := range t.judge(w, a, func(article int) bool { return article%folds == fold }) {
			all[i].judged = append(all[i].judged, j...)
		}
	}
	printJudged(out, t.kinds, all, newLimit(all))
	if !each {
		return
	}
	fmt.Fprintln(out, "without a feature: hit@1, MRR@10 in points")
	for k, f := range t.order {
		rest := slices.Delete(slices.Clone(t.order), k, k+1)
		start := make([][]float64, len(weights))
		for fold, w := range weights {
			start[fold] = slices.Delete(slices.Clone(w), k, k+1)
		}
		less, _ := crossed(t.samples(), rest, start)
		n := float64(h.questions) / 100
		fmt.Fprintf(out, "  %-24s %+6.2f %+6.2f\n", t.names[f], float64(less.first-h.first)/n, (less.reciprocal-h.reciprocal)/n)
	}
}

// measureOther prints what is reached on other articles after learning from all of these, and
// for how likely passages answer from others besides.
func (t *trial) measureOther(o *trial, name string, besides []*trial, out io.Writer) {
	order := learnOrder(examples(t.samples(), anyArticle), t.order, penalty, nil)
	a := t.learnAnswer(order, anyArticle, besides...)
	fmt.Fprintf(out, "\n%s, %s: %d questions of %d articles\n", name, o.corpus.title(), len(o.samples()), len(o.corpus.articles))
	printHits(out, "BM25, as found", count(o.samples(), []int{0}, []float64{1}))
	printHits(out, "ranked", count(o.samples(), t.order, order))
	var levels []level
	for _, l := range limiting(t, besides) {
		levels = append(levels, l.levels(order, a)...)
	}
	printJudged(out, o.kinds, o.levels(order, a), newLimit(levels))
	if o.corpus.english || len(o.corpus.articles) < 2 {
		return
	}
	if len(besides) > 0 {
		o.printOwn(order, a, besides, out)
	}
	fmt.Fprintln(out, "  with the limit of its language, learned from other articles in it:")
	printJudged(out, o.kinds, o.levelsByArticle(order, a), limit{})
}

func printHits(out io.Writer, name string, h hits) {
	n := float64(h.questions)
	fmt.Fprintf(out, "  %-16s hit@1 %.4f  hit@3 %.4f  MRR@10 %.4f  recall@%d %.4f\n", name, float64(h.first)/n, float64(h.three)/n, h.reciprocal/n, most, float64(h.candidates)/n)
}

// printJudged prints how well answered questions are told from foreign ones, at the limit, and at
// one that keeps as many of this kind; and how many are denied of all, with those whose words only
// are there.
func printJudged(out io.Writer, kinds []kind, all []level, l limit) {
	for i := range all {
		sure := surely(all[i].judged)
		has, refusedThen := at(sure, l.of(all[i].small))
		_, refused := at(sure, threshold(sure, kept))
		hasAll, _ := at(all[i].judged, l.of(all[i].small))
		fmt.Fprintf(out, "  %-16s AUC %.4f  answered denied %.4f (%.4f with those of the words), foreign refused %.4f  (when %.2f are kept %.4f)\n",
			kinds[i].name, area(sure), 1-has, 1-hasAll, refusedThen, kept, refused)
	}
}
