package library

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

const (
	askConcepts = 8  // that are shown
	askEdges    = 20 // relationships that are shown
)

// concepts returns the concepts that the question names, and those that its passages show of
// which it has some words.
func (x *asked) concepts() []questions.AskConcept {
	all := make([]questions.AskConcept, 0, askConcepts)
	for _, c := range x.read.Concepts {
		shown := questions.AskConcept{ConceptID: c.ConceptID, Label: c.Label, Score: round(x.share(c.Label))}
		if c.Named {
			shown.Score = 1
		}
		if c.Description != "" {
			shown.Description = &c.Description
		}
		if shown.Score > 0 {
			all = append(all, shown)
		}
	}
	slices.SortStableFunc(all, func(a, b questions.AskConcept) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), askConcepts)]
}

// share returns how many of the words of a label the question has, 0 to 1.
func (x *asked) share(label string) float64 {
	has, all := 0, wholeWords(label)
	for _, w := range all {
		if slices.ContainsFunc(x.content, func(c words.Word) bool { return c.Stem == w.Stem }) {
			has++
		}
	}
	return float64(has) / float64(max(1, len(all)))
}

// relationships returns what the passages state: of the concepts that the question means
// first, and what is only RELATED_TO last.
func (x *asked) relationships() []questions.AskRelationship {
	meant := map[string]bool{}
	for _, c := range x.answer.Concepts {
		meant[c.ConceptID] = true
	}
	rank := func(e questions.AskReadEdge) int {
		n := 0
		if e.Type == vocabulary.TypeRelatedTo {
			n = 4
		}
		if meant[e.FromID] {
			n--
		}
		if meant[e.ToID] {
			n--
		}
		return n
	}
	slices.SortStableFunc(x.read.Edges, func(a, b questions.AskReadEdge) int { return cmp.Compare(rank(a), rank(b)) })
	x.read.Edges = x.read.Edges[:min(len(x.read.Edges), askEdges)]
	all := make([]questions.AskRelationship, len(x.read.Edges))
	for i, e := range x.read.Edges {
		all[i] = e.AskRelationship
	}
	return all
}
