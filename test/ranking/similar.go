package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/internal/retrieval/vectors"
	"github.com/kappagraph/kappa/internal/static"
)

// Two weights are learned from fewer questions than thirty: so many of all, and of each article.
const (
	similarQuestions = 2000
	similarOfArticle = 50
)

// besidesWords is how many passages are ordered that are found by their meaning, as the product
// does.
const besidesWords = 20

// The features of a candidate beside each other: what the words say of its order, its similarity,
// and what the words say of whether it answers, as a logit.
const (
	byWords = iota
	bySimilarity
	byAnswer
)

// embedded is a corpus with the embeddings of its passages.
type embedded struct {
	*corpus
	model    *static.Model
	passages map[int32]models.Embedding
}

func embed(ctx context.Context, c *corpus, m *static.Model) (embedded, error) {
	e := embedded{c, m, map[int32]models.Embedding{}}
	id := int32(0)
	for _, a := range c.articles {
		for _, p := range a.Paragraphs {
			id++
			v, err := m.Embed(ctx, []string{p.Context})
			if err != nil {
				return e, err
			}
			e.passages[id] = v[0]
		}
	}
	return e, nil
}

// ask asks questions of the library of the passages that keep says: with the words alone as well.
func (e embedded) ask(ctx context.Context, keep func(article int, id int32) bool, questions []question) (both, words []sample, err error) {
	v, err := e.library(keep)
	if err != nil {
		return nil, nil, err
	}
	in := map[int32]models.Embedding{}
	for n, entries := range e.entries {
		for i := range entries {
			if id := entries[i].ID; keep(n, id) {
				in[id] = e.passages[id]
			}
		}
	}
	l := vectors.NewLibrary(in)
	for _, q := range questions {
		b, w, err := e.askOne(ctx, v, l, q)
		if err != nil {
			return nil, nil, err
		}
		both, words = append(both, b), append(words, w)
	}
	return both, words, nil
}

func (e embedded) askOne(ctx context.Context, v *index.View, l *vectors.Library, asked question) (both, words sample, err error) {
	q := ranking.Ask(asked.text, e.english, v)
	candidates, err := v.Candidates(ctx, index.Query{Terms: q.Terms(), Limit: most})
	if err != nil {
		return both, words, err
	}
	embedding, err := e.model.Embed(ctx, []string{asked.text})
	if err != nil {
		return both, words, err
	}
	var among []int32
	for _, c := range candidates {
		among = append(among, c.ID)
	}
	nearest, similar := l.Similar(embedding[0], among, besidesWords)
	words = sampleOf(asked, ranking.Learned().Rank(&q, v, candidates), similar)
	for _, id := range nearest {
		if c, ok := v.Passage(id); ok && !slices.Contains(among, id) {
			candidates = append(candidates, c)
		}
	}
	return sampleOf(asked, ranking.Learned().Rank(&q, v, candidates), similar), words, nil
}

func sampleOf(asked question, ranked []ranking.Ranked, similar map[int32]float64) sample {
	s := sample{question: asked, right: -1, count: len(ranked)}
	for i, r := range ranked {
		p := min(max(r.Answers, 1e-6), 1-1e-6)
		s.features = append(s.features, float32(r.Score), float32(similar[r.ID]), float32(math.Log(p/(1-p))))
		if r.ID == asked.passage {
			s.right = i
		}
	}
	return s
}

// learnSimilar learns what the similarity is worth by a static embedding, prints what it adds to
// the words, and writes it to a file when one is named. The weights of the words are those that
// are part of Kappa, which were learned from the same questions: it adds more to others.
func learnSimilar(ctx context.Context, articles []article, folder, file string, out io.Writer) error {
	m, err := static.Open(folder)
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	defer func() { _ = m.Close() }()
	var w ranking.SimilarWeights
	for _, as := range []struct {
		language string
		weight   *float64
		answer   *ranking.SimilarAnswer
	}{{"en", &w.English, &w.EnglishAnswers}, {anyLanguage, &w.Other, &w.OtherAnswers}} {
		e, err := embed(ctx, newCorpus(articles, as.language), m)
		if err != nil {
			return err
		}
		if *as.weight, *as.answer, err = e.learn(ctx, out); err != nil {
			return err
		}
	}
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(w, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// learn returns the weight of the similarity beside a weight of one of the words, and what says
// how likely a passage answers.
func (e embedded) learn(ctx context.Context, out io.Writer) (weight float64, a ranking.SimilarAnswer, err error) {
	both, words, err := e.ask(ctx, func(int, int32) bool { return true }, every(e.questions, similarQuestions, 0))
	if err != nil {
		return 0, a, err
	}
	fmt.Fprintf(out, "\n%s, with %s: %d questions, cross-validated by article\n", e.title(), e.model.Model().Name, len(both))
	printHits(out, "words", count(words, []int{byWords}, []float64{1}))
	printHits(out, "meaning alone", count(both, []int{bySimilarity}, []float64{1}))
	use := []int{byWords, bySimilarity}
	fused, _ := crossed(both, use, nil)
	printHits(out, "both", fused)
	learned := learnOrder(examples(both, anyArticle), use, penalty, nil)
	weight = digits(learned[1] / learned[0])
	a, err = e.learnAnswer(ctx, weight, both, out)
	return weight, a, err
}

// learnAnswer learns how likely the first passage answers, from the library of all articles, and
// those without the one that answers and of it alone.
func (e embedded) learnAnswer(ctx context.Context, weight float64, whole []sample, out io.Writer) (ranking.SimilarAnswer, error) {
	all := told(every(whole, similarOfArticle*len(e.articles), 0), weight, 1)
	for n := range e.articles {
		own, others := e.of(n)
		own = every(own, similarOfArticle, 0)
		for _, set := range []struct {
			right     int
			keep      func(article int, id int32) bool
			questions []question
		}{
			{0, func(a int, _ int32) bool { return a != n }, own},
			{1, func(a int, _ int32) bool { return a == n }, own},
			{0, func(a int, _ int32) bool { return a == n }, every(others, len(own), n)},
		} {
			samples, _, err := e.ask(ctx, set.keep, set.questions)
			if err != nil {
				return ranking.SimilarAnswer{}, err
			}
			all = append(all, told(samples, weight, set.right)...)
		}
	}
	w, bias := learnAnswer(all, []int{byAnswer, bySimilarity}, penalty)
	printAnswers(out, "words", all, []float64{1, 0}, 0)
	p := printAnswers(out, "both", all, w, bias)
	return ranking.SimilarAnswer{Bias: digits(bias - math.Log(p/(1-p))), Words: digits(w[0]), Similarity: digits(w[1])}, nil
}

// told returns the first candidate of each question, and whether it is answered.
func told(samples []sample, weight float64, right int) (all []example) {
	for i := range samples {
		s := &samples[i]
		if s.count == 0 {
			continue
		}
		scores := scored(s, []int{byWords, bySimilarity}, []float64{1, weight})
		all = append(all, example{rows: [][]float32{s.of(slices.Index(scores, slices.Max(scores)))}, right: right})
	}
	return all
}

// printAnswers prints how well answered questions are told from others, and returns from where on
// 0.95 of the answered ones are.
func printAnswers(out io.Writer, name string, all []example, w []float64, bias float64) float64 {
	j := make([]judged, len(all))
	for i, e := range all {
		row := e.rows[0]
		j[i] = judged{1 / (1 + math.Exp(-bias-w[0]*float64(row[byAnswer])-w[1]*float64(row[bySimilarity]))), e.right, true}
	}
	limit := threshold(j, kept)
	_, refused := at(j, limit)
	fmt.Fprintf(out, "  %-16s AUC %.4f  foreign refused, when 0.95 are kept %.4f\n", name, area(j), refused)
	return limit
}
