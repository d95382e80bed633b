package main

import (
	"context"
	"strings"
	"sync"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// most is how many candidates are ordered, as the product does.
const most = 50

// question is a question with its passage, by the IDs that passages have in any library.
type question struct {
	text    string
	article int
	passage int32
	sure    bool // the passage answers it; of others only the words may be there
	// foreign says that its own article is left out of what may answer it.
	foreign bool
}

// corpus is a list of articles, and what they ask.
type corpus struct {
	english   bool
	language  string
	articles  []article
	entries   [][]index.Entry // of each article
	questions []question
}

// anyLanguage is English that is compared as any language is.
const anyLanguage = "any"

// title says how the corpus is compared.
func (c *corpus) title() string {
	if c.english {
		return "as English"
	}
	return "as any language (" + c.language + ")"
}

func newCorpus(articles []article, language string) *corpus {
	c := &corpus{english: strings.HasPrefix(language, "en"), language: language, articles: articles}
	id := int32(0)
	for n, a := range articles {
		title := words.Cut(strings.ReplaceAll(a.Title, "_", " "), c.english).Words
		var entries []index.Entry
		for _, p := range a.Paragraphs {
			id++
			entries = append(entries, index.Entry{
				ID: id, Source: id, Document: documentOf(n), Ontology: 1, Language: language[:2], English: c.english,
				Text: words.Cut(p.Context, c.english), Around: title,
			})
			for i, q := range p.Questions {
				c.questions = append(c.questions, question{text: q.Question, article: n, passage: id, sure: q.isAnswered(i)})
			}
		}
		c.entries = append(c.entries, entries)
	}
	return c
}

// documentOf returns the number of the document that an article is.
func documentOf(article int) int32 { return int32(article + 1) }

// library returns an index of the passages that keep says.
func (c *corpus) library(keep func(article int, id int32) bool) (*index.View, error) {
	x, err := index.Open("", "", nil)
	if err != nil {
		return nil, err
	}
	var all []index.Entry
	for n, entries := range c.entries {
		for _, e := range entries {
			if keep(n, e.ID) {
				all = append(all, e)
			}
		}
	}
	if err := x.Apply(all, nil); err != nil {
		return nil, err
	}
	return x.View(), x.Close()
}

// sample is a question with the features of its candidates.
type sample struct {
	question
	right    int // of the candidates, -1 if it is not among them
	features []float32
	count    int // of the candidates
}

// of returns the features of a candidate.
func (s *sample) of(i int) []float32 {
	n := len(s.features) / s.count
	return s.features[i*n : (i+1)*n]
}

// ask asks questions of a library, and returns them in their order.
func ask(ctx context.Context, m *ranking.Model, v *index.View, english bool, questions []question) ([]sample, error) {
	samples, errs := make([]sample, len(questions)), make([]error, 2)
	var both sync.WaitGroup
	for half := range errs {
		both.Go(func() {
			for i := half; i < len(questions) && errs[half] == nil; i += len(errs) {
				samples[i], errs[half] = askOne(ctx, m, v, english, questions[i])
			}
		})
	}
	both.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return samples, nil
}

func askOne(ctx context.Context, m *ranking.Model, v *index.View, english bool, asked question) (sample, error) {
	s := sample{question: asked, right: -1}
	q := ranking.Ask(asked.text, english, v)
	all := index.Query{Terms: q.Terms(), Limit: most}
	if asked.foreign {
		all.Allow = func(m *index.Meta) bool { return m.Document != documentOf(asked.article) }
	}
	candidates, err := v.Candidates(ctx, all)
	if err != nil {
		return s, err
	}
	for i, r := range m.Rank(&q, v, candidates) {
		for _, x := range r.Features {
			s.features = append(s.features, float32(x))
		}
		if r.ID == asked.passage {
			s.right = i
		}
	}
	s.count = len(candidates)
	return s, nil
}
