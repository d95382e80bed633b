package graph

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Search returns the concepts that a phrase or a question means, best first and the older
// of two equals, from the threshold on: q's, or else the one that is set. The score is 1
// for a concept with that label, 0.95 for one with that search term, and otherwise the cosine similarity
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
func (g *Graph) Search(ctx context.Context, q questions.SearchQuery) (result questions.SearchResult, err error) {
	if err := q.Validate(); err != nil {
		return questions.SearchResult{}, err
	}
	limited, cancel := context.WithTimeout(ctx, g.deadline())
	defer cancel()
	if q.MinSimilarity == nil {
		least, err := g.search.Threshold.inForce(limited)
		if err != nil {
			return questions.SearchResult{}, g.explain(ctx, "the search", err)
		}
		q.MinSimilarity = &least
	}
	// Before the view: a model may be slow, and connections are few.
	p, err := g.newProbe(limited, q)
	if err != nil {
		return questions.SearchResult{}, g.explain(ctx, "the embedding of the query", err)
	}
	if p.index != nil && !q.Measures.Diversity { // for that more of the graph is read
		result, err = g.searchMemory(limited, p)
		if !errors.Is(err, errNoVectors) {
			return result, g.explain(ctx, "the search", err)
		}
	}
	err = g.ask(limited, func(ctx context.Context, v view) error {
		result, err = v.search(ctx, p)
		return err
	})
	return result, g.explain(ctx, "the search", err)
}

// searchMemory finds concepts without the database, and reads only what is shown.
func (g *Graph) searchMemory(ctx context.Context, p probe) (questions.SearchResult, error) {
	ranking, err := rank(ctx, memoryFinder{index: p.index}, p)
	if err != nil {
		return questions.SearchResult{}, err
	}
	s := newFindings(ranking, p.query)
	var shown questions.ShownConcepts
	if ids := s.ids(); len(ids) > 0 {
		if shown, err = g.search.Show(ctx, ids, sampleSize(p.query)); err != nil {
			return questions.SearchResult{}, err
		}
		if shown.Groundings, err = (view{measures: p.query.Measures}).groundings(ctx, shown.Summaries); err != nil {
			return questions.SearchResult{}, err
		}
		if p.query.Ontology != nil {
			within, err := g.search.Narrow(ctx, ids, *p.query.Ontology, sampleSize(p.query))
			if err != nil {
				return questions.SearchResult{}, err
			}
			shown.Narrow(*p.query.Ontology, within)
		}
	}
	return s.result(p.query, shown), nil
}

func (v view) search(ctx context.Context, p probe) (questions.SearchResult, error) {
	ranking, err := v.rank(ctx, p)
	if err != nil {
		return questions.SearchResult{}, err
	}
	v.measures = p.query.Measures
	s := newFindings(ranking, p.query)
	shown, err := v.shown(ctx, s.ids(), sampleSize(p.query), p.query.Ontology)
	return s.result(p.query, shown), err
}

// shown reads what is shown of concepts: all of it, or what an ontology says.
func (v view) shown(ctx context.Context, ids []int, quotes int, ontology *string) (shown questions.ShownConcepts, err error) {
	if len(ids) == 0 {
		return shown, nil
	}
	summaries, err := v.summaries(ctx, ids)
	if err != nil {
		return shown, err
	}
	return v.shownWith(ctx, summaries, ids, quotes, ontology)
}

// shownWith is shown of concepts whose summaries are known.
func (v view) shownWith(ctx context.Context, summaries map[int]knowledge.ConceptSummary, ids []int, quotes int, ontology *string) (shown questions.ShownConcepts, err error) {
	shown.Summaries = summaries
	if shown.Groundings, err = v.groundings(ctx, shown.Summaries); err != nil {
		return shown, err
	}
	if ontology == nil {
		if shown.Ontologies, err = v.ConceptOntologies(ctx, ids); err != nil {
			return shown, err
		}
		shown.Evidence, err = v.samples(ctx, ids, quotes > 0)
		return shown, err
	}
	within, err := v.NarrowedConcepts(ctx, ids, *ontology, quotes)
	shown.Narrow(*ontology, within)
	return shown, err
}

// sampleSize is how many quotes of each concept a search shows.
func sampleSize(q questions.SearchQuery) int {
	if q.IncludeEvidence {
		return questions.SampleEvidence
	}
	return 0
}
