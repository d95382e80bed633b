package main

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// trial is a corpus with the questions to all its libraries, as features.
type trial struct {
	corpus  *corpus
	kinds   []kind   // the first is the library of all articles
	own     []sample // texts of the library of all articles, without the article that they are from
	names   []string
	order   []int // the features that candidates are ordered by
	all     []int // and all, which say how likely a passage answers
	lead    int   // the one that depends on the order
	smallAt int   // the one that says how small a library is
}

// smallLibrary is the name of the feature that the limit depends on.
const smallLibrary = "small library"

// notEnglish tell more in other languages, and nothing in English, where words that hold a sentence
// together do not count.
var notEnglish = []string{"lacking in a sentence", "rarest lacking", "rarest"}

// plain orders with the weights that are part of Kappa: of what is learned and measured only the
// agreement of the first passages depends on the order.
func plain() *ranking.Model { return ranking.Learned() }

// newTrial asks the questions of the library of all articles.
func newTrial(ctx context.Context, c *corpus) (*trial, error) {
	m := plain()
	t := &trial{corpus: c, names: m.Names(), lead: slices.Index(m.Names(), "lead"), smallAt: slices.Index(m.Names(), smallLibrary)}
	for i, name := range t.names {
		if i < len(m.OrderNames()) {
			t.order = append(t.order, i)
		}
		if !c.english || !slices.Contains(notEnglish, name) {
			t.all = append(t.all, i)
		}
	}
	v, err := c.library(func(int, int32) bool { return true })
	if err != nil {
		return nil, err
	}
	samples, err := ask(ctx, m, v, c.english, c.questions)
	t.kinds = []kind{{name: "all articles", answered: samples}}
	return t, err
}

// newFullTrial asks them of all libraries.
func newFullTrial(ctx context.Context, c *corpus) (*trial, error) {
	t, err := newTrial(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := t.askAll(ctx); err != nil {
		return t, err
	}
	return t, t.askOwn(ctx)
}

// newTrials asks the questions in other languages, of all libraries.
func newTrials(ctx context.Context, data dataset) (map[string]*trial, error) {
	all := map[string]*trial{}
	for language, articles := range data {
		if language == "en" {
			continue
		}
		t, err := newFullTrial(ctx, newCorpus(articles, language))
		if err != nil {
			return nil, err
		}
		all[language] = t
	}
	return all, nil
}

// askAll asks them of the other libraries as well.
func (t *trial) askAll(ctx context.Context) (err error) {
	t.kinds, err = t.corpus.askKinds(ctx, plain(), t.kinds[0].answered)
	return err
}

// samples are the questions to the library of all articles.
func (t *trial) samples() []sample { return t.kinds[0].answered }
