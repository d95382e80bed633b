package graph

import (
	"context"

	"github.com/kappagraph/kappa"
)

// Search returns the concepts that a phrase or a question means, best first and
// then by id, from the threshold on. The score is 1 for a concept with that
// label, 0.95 for one with that search term, and otherwise the cosine similarity
// of the embeddings. Besides the whole query the phrases within it are searched
// for, as far as they name a concept closely. A hit for a phrase counts between
// 0.65 and 1 of what it would score alone, the more the larger the phrase's share
// of the content words: a search for "how do lanes claim jobs" finds the concept
// "lane", and it ranks below one that answers the whole question.
//
// With fewer than three hits a second search at 0.3 says how many more concepts a
// looser threshold would show, up to q.Limit, which threshold that is, and the
// best of them as the top match. A search ranks at most the 2,000 nearest
// concepts: later pages are empty.
//
// It returns a CodeInvalid Error that names every broken rule, CodeUnavailable
// when the embedding model fails or after the deadline.
func (g *Graph) Search(ctx context.Context, q kappa.SearchQuery) (result kappa.SearchResult, err error) {
	if err := q.Validate(); err != nil {
		return kappa.SearchResult{}, err
	}
	limited, cancel := context.WithTimeout(ctx, g.deadline())
	defer cancel()
	// Before the view: a model may be slow, and connections are few.
	p, err := g.newProbe(limited, q)
	if err != nil {
		return kappa.SearchResult{}, g.explain(ctx, "the embedding of the query", err)
	}
	err = g.ask(limited, func(ctx context.Context, v view) error {
		result, err = v.search(ctx, p)
		return err
	})
	return result, g.explain(ctx, "the search", err)
}

func (v view) search(ctx context.Context, p probe) (kappa.SearchResult, error) {
	ranking, err := v.rank(ctx, p)
	if err != nil {
		return kappa.SearchResult{}, err
	}
	q := p.query
	v.measures = q.Measures
	result := kappa.SearchResult{Query: q.Query, Offset: q.Offset, Threshold: kappa.DefaultSimilarity}
	if q.MinSimilarity != nil {
		result.Threshold = *q.MinSimilarity
	}
	found := ranking.from(result.Threshold)
	if result.Results, err = v.hits(ctx, page(found, q.Offset, q.Limit), q.IncludeEvidence); err != nil {
		return kappa.SearchResult{}, err
	}
	result.Count = len(result.Results)
	misses, taken := ranking.secondSearch(len(found), result.Threshold, q.Limit)
	if !taken {
		return result, nil
	}
	below := len(misses.concepts)
	result.BelowThreshold, result.Suggested = &below, misses.suggested
	best, err := v.hits(ctx, page(misses.concepts, 0, 1), q.IncludeEvidence)
	if err == nil && len(best) == 1 {
		result.TopMatch = &best[0]
	}
	return result, err
}

// hits shows ranked concepts, in their order.
func (v view) hits(ctx context.Context, list []ranked, evidence bool) ([]kappa.ConceptHit, error) {
	hits := make([]kappa.ConceptHit, 0, len(list))
	if len(list) == 0 {
		return hits, nil
	}
	ids := make([]int, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	summaries, err := v.ConceptSummaries(ctx, ids)
	if err != nil {
		return nil, err
	}
	ontologies, err := v.ConceptOntologies(ctx, ids)
	if err != nil {
		return nil, err
	}
	samples, err := v.samples(ctx, ids, evidence)
	if err != nil {
		return nil, err
	}
	groundings, err := v.groundings(ctx, summaries)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if s, ok := summaries[c.id]; ok {
			hits = append(hits, kappa.ConceptHit{
				ConceptID: s.ConceptID, Label: s.Label, Description: s.Description, Score: c.score,
				Documents: orEmpty(ontologies[c.id]), EvidenceCount: s.Instances, Sample: samples[c.id],
				Grounding: groundings[c.id],
			})
		}
	}
	return hits, nil
}
