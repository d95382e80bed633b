package library

import (
	"context"
	"errors"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// askReranked is how many passages a reranker is given: the first ones. The others stay behind
// them in their order.
const askReranked = 30

// Reranker is a model behind an API that orders passages. The zero Reranker orders none.
type Reranker struct {
	Name string
	// Order returns the places of the texts that answer a question best first, each at most
	// once, and what the call cost in US dollars. The error is one that may be shown.
	Order func(ctx context.Context, question string, texts []string) (places []int, cost float64, err error)
}

// RerankBy has r revise the order of the passages, and returns a.
func (a *Asker) RerankBy(r Reranker) *Asker {
	a.reranker = r
	return a
}

// rerank has the reranker order the first passages. When it fails, the order is as it was, and
// the answer says so. The error is that of ctx or of the database.
func (a *Asker) rerank(ctx context.Context, x *asked) error {
	if a.reranker.Order == nil || x.Plain || len(x.ranked) == 0 {
		return nil
	}
	said := &questions.AskReranking{Model: a.reranker.Name}
	x.answer.Reranking = said
	given, list, err := a.textsOf(ctx, x, x.ranked[:min(askReranked, len(x.ranked))])
	if err != nil {
		return err
	}
	if said.Passages = len(given); len(given) < 2 {
		said.Reason = "there are not two passages to order"
		return nil
	}
	var places []int
	if taken := a.aside(ctx, x, func() { places, said.Cost, err = a.reranker.Order(ctx, x.answer.Asked, list) }); taken != nil {
		return taken
	}
	if err != nil {
		said.Reason = kappa.ErrorMessage(err)
		if plain := (*kappa.Error)(nil); !errors.As(err, &plain) {
			said.Reason = "it failed"
		}
		return nil
	}
	x.ranked, said.Reranked = inOrder(x.ranked, given, places), true
	return nil
}

// textsOf returns those of the passages that may be shown, in their order, and what is sent of
// each. A document may have been moved since the index was read.
func (a *Asker) textsOf(ctx context.Context, x *asked, ranked []ranking.Ranked) (given []int32, list []string, err error) {
	ids := make([]int32, len(ranked))
	for i := range ranked {
		ids[i] = ranked[i].ID
	}
	shown, err := a.tables.ReadPassages(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	byID := map[int32]*corpus.ShownPassage{}
	for i := range shown {
		byID[shown[i].ID] = &shown[i]
	}
	for _, id := range ids {
		if p := byID[id]; p != nil && x.filter.allowsOntology(p.Ontology) {
			given, list = append(given, id), append(list, p.EmbeddingText())
		}
	}
	return given, list, nil
}

// inOrder puts the passages first that a reranker was given, in its order: the places of those
// in given. The others follow as they stood. Scores fall with the order, so that nothing behind
// is taken for better.
func inOrder(ranked []ranking.Ranked, given []int32, places []int) []ranking.Ranked {
	place := make(map[int32]int, len(places))
	for i, p := range places {
		place[given[p]] = i + 1
	}
	at := func(r ranking.Ranked) int {
		if p := place[r.ID]; p > 0 {
			return p
		}
		return len(ranked) + 1
	}
	scores := make([]float64, len(ranked))
	for i := range ranked {
		scores[i] = ranked[i].Score
	}
	slices.SortStableFunc(ranked, func(a, b ranking.Ranked) int { return at(a) - at(b) })
	for i := range ranked {
		ranked[i].Score = scores[i]
	}
	return ranked
}
