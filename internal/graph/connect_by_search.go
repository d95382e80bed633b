package graph

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// phraseHits is how many near misses are counted for a phrase at most.
const phraseHits = 10

// ConnectBySearch returns what Connect does, between the concepts that two phrases
// mean best. A phrase that is the id of a concept means that one.
//
// It returns a CodeInvalid Error that names every broken rule, CodeNotFound with a
// threshold that would help when nothing matches a phrase, CodeUnavailable when the
// embedding model fails or after the deadline. That there is no path is not an error.
func (g *Graph) ConnectBySearch(ctx context.Context, q questions.ConnectBySearchQuery) (result questions.ConnectBySearchResult, err error) {
	if err := q.Validate(); err != nil {
		return questions.ConnectBySearchResult{}, err
	}
	limited, cancel := context.WithTimeout(ctx, g.deadline())
	defer cancel()
	// Before the view: a model may be slow, and connections are few.
	var probes [2]probe
	for i, phrase := range []string{q.FromQuery, q.ToQuery} {
		probes[i], err = g.newProbe(limited, questions.SearchQuery{Query: phrase, Limit: phraseHits, MinSimilarity: &q.Threshold, Ontology: only(q.Ontology)})
		if err != nil {
			return questions.ConnectBySearchResult{}, g.explain(ctx, "the embedding of the phrases", err)
		}
	}
	err = g.askSince(limited, q.MinEpoch, func(ctx context.Context, v view) error {
		if v, err = v.in(ctx, q.Ontology); err != nil {
			return err
		}
		result, err = v.connectBySearch(ctx, q, probes)
		return err
	})
	return result, g.explain(ctx, "the search for a path", err)
}

func (v view) connectBySearch(ctx context.Context, q questions.ConnectBySearchQuery, probes [2]probe) (questions.ConnectBySearchResult, error) {
	var meant [2]meaning
	var err error
	for i, p := range probes {
		if meant[i], err = v.meaning(ctx, p); err != nil {
			return questions.ConnectBySearchResult{}, err
		}
	}
	from, to := meant[0], meant[1]
	v = v.knowing(from.id, to.id)
	if v, err = v.narrowed(ctx, q.EpistemicFilter, q.RelationshipFilter); err != nil {
		return questions.ConnectBySearchResult{}, err
	}
	v.measures = q.Measures
	epoch, err := v.epoch(ctx)
	if err != nil {
		return questions.ConnectBySearchResult{}, err
	}
	found, err := v.routes(ctx, from.id, to.id, q.MaxHops, q.PathPage)
	if err != nil {
		return questions.ConnectBySearchResult{}, err
	}
	paths, err := v.paths(ctx, from.id, found.routes, q.IncludeEvidence)
	if err != nil {
		return questions.ConnectBySearchResult{}, err
	}
	ends, err := v.pathNodes(ctx, distinct([]int{from.id, to.id}), q.IncludeEvidence)
	if err != nil {
		return questions.ConnectBySearchResult{}, err
	}
	first, last := ends[from.id], ends[to.id]
	return questions.ConnectBySearchResult{
		FromQuery: q.FromQuery, ToQuery: q.ToQuery, FromConcept: &first, ToConcept: &last,
		FromSimilarity: &from.score, ToSimilarity: &to.score,
		PhraseHints: questions.PhraseHints{
			FromSuggested: from.suggested, ToSuggested: to.suggested, FromNearMisses: from.nearMisses, ToNearMisses: to.nearMisses,
		},
		PathsFound: questions.PathsFound{
			MaxHops: q.MaxHops, Count: len(paths), Paths: paths, Epoch: epoch, ShownPaths: found.ShownPaths,
			Statistics: v.statistics(q.IncludeStatistics, found.levels), Completeness: found.Completeness,
		},
	}, nil
}

// meaning is the concept that a phrase means, and what a looser threshold would
// find besides.
type meaning struct {
	ranked
	suggested  *float64
	nearMisses *int
}

// meaning returns the concept that p means best. It returns a CodeNotFound Error
// when none is near enough.
func (v view) meaning(ctx context.Context, p probe) (meaning, error) {
	id, err := v.ConceptNumber(ctx, p.query.Query)
	if err == nil {
		return meaning{ranked: ranked{id: id, conceptID: p.query.Query, score: labelScore}}, nil
	}
	if kappa.ErrorCode(err) != kappa.CodeNotFound {
		return meaning{}, err
	}
	ranking, err := v.rank(ctx, p)
	if err != nil {
		return meaning{}, err
	}
	threshold := *p.query.MinSimilarity
	found := ranking.from(threshold)
	misses, taken := ranking.secondSearch(len(found), threshold, p.query.Limit)
	if len(found) == 0 {
		return meaning{}, nothingMatches(p.query.Query, threshold, misses)
	}
	m := meaning{ranked: found[0]}
	if taken {
		below := len(misses.concepts)
		m.suggested, m.nearMisses = misses.suggested, &below
	}
	return m, nil
}

func nothingMatches(phrase string, threshold float64, misses nearMisses) error {
	message := fmt.Sprintf("No concepts found matching '%s' at %d%% similarity", phrase, int(math.Round(threshold*100)))
	if misses.suggested != nil {
		message += fmt.Sprintf(". Try: --min-similarity %s (%d near-miss concepts available)",
			strconv.FormatFloat(*misses.suggested, 'f', -1, 64), len(misses.concepts))
	}
	return kappa.NewError(kappa.CodeNotFound, message)
}

// only is the condition of a search: nil for "", which stands for all ontologies.
func only(ontology string) *string {
	if ontology == "" {
		return nil
	}
	return &ontology
}
