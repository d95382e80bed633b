// Package library answers questions about the documents that were ingested, and takes
// documents out again.
package library

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// store reads documents and their chunks.
type store interface {
	tables
	SourcesOfConcepts(ctx context.Context, conceptIDs []string, q corpus.SourceQuery, most int) ([]corpus.SourceQuote, error)
	ShownSources(ctx context.Context, ids []int) (map[int]corpus.ShownSource, error)
	DocumentsOfSources(ctx context.Context, ids []int) (map[int]corpus.ShownSource, error)
	ConceptsOfSources(ctx context.Context, ids []int, ontology string) (map[int][]corpus.SourceConcept, error)
}

// concepts finds the concepts that a phrase means.
type concepts interface {
	Search(ctx context.Context, q questions.SearchQuery) (questions.SearchResult, error)
}

// Searcher searches the texts of documents. It is safe for concurrent use.
type Searcher struct {
	passages passages
	tables   tables
	store    store
	concepts concepts
}

// NewSearcher returns a Searcher that finds texts by p, and reads s; c finds concepts.
func NewSearcher(p passages, s store, c concepts) *Searcher {
	return &Searcher{passages: p, tables: s, store: s, concepts: c}
}

const (
	mostMatches = 1000 // chunks that a search ranks
	conceptHits = 50   // concepts whose chunks count
	bothBonus   = 0.02 // for a chunk that matches by its words and by a concept
)

// match is a chunk that a search found.
type match struct {
	source     int
	similarity float64
	byWords    bool
	quotes     []corpus.SourceQuote // by which it shows concepts that the query means
}

// SearchSources returns the chunks that q is about, best first, from q's similarity on.
// A chunk is found by its words, as they are written or in another form, and by the
// concepts that it shows and that q means: a word that stands in a text is found
// whether it became a concept or not. All words of q in one chunk are at least 0.8, some
// of them at most 0.45.
func (s *Searcher) SearchSources(ctx context.Context, q corpus.SourceQuery, withConcepts, withText bool) ([]corpus.SourceHit, error) {
	found, err := s.find(ctx, q)
	if err != nil {
		return nil, err
	}
	found = found[:min(len(found), q.Limit)]
	ids := make([]int, len(found))
	for i, m := range found {
		ids[i] = m.source
	}
	shown, err := s.store.ShownSources(ctx, ids)
	if err != nil {
		return nil, err
	}
	of := map[int][]corpus.SourceConcept{}
	if withConcepts {
		if of, err = s.store.ConceptsOfSources(ctx, ids, q.Ontology); err != nil {
			return nil, err
		}
	}
	hits := make([]corpus.SourceHit, 0, len(found))
	for _, m := range found {
		source, there := shown[m.source]
		if !there {
			continue // removed meanwhile
		}
		hit := corpus.SourceHit{
			SourceID: source.SourceID, Document: source.Ontology, Paragraph: source.Paragraph, DocumentID: source.DocumentID,
			Filename: source.Filename, Similarity: m.similarity, Matched: passage(source.FullText, q.Query, m), Concepts: of[m.source],
		}
		if hit.Concepts == nil {
			hit.Concepts = []corpus.SourceConcept{}
		}
		if withText {
			hit.FullText = &source.FullText
		}
		hits = append(hits, hit)
	}
	return hits, nil
}

// SearchDocuments returns the documents that q is about, the one with the best chunk
// first, and how many there are in all. A document counts in each of its ontologies.
func (s *Searcher) SearchDocuments(ctx context.Context, q corpus.SourceQuery) ([]corpus.DocumentHit, int, error) {
	found, err := s.find(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	ids := make([]int, len(found))
	for i, m := range found {
		ids[i] = m.source
	}
	shown, err := s.store.DocumentsOfSources(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	type key struct{ document, ontology string }
	places := map[key]int{}
	var hits []corpus.DocumentHit
	for _, m := range found {
		source, there := shown[m.source]
		if !there {
			continue
		}
		k := key{source.DocumentID, source.Ontology}
		place, known := places[k]
		if !known {
			place = len(hits)
			places[k] = place
			hits = append(hits, corpus.DocumentHit{
				DocumentID: source.DocumentID, Filename: source.Filename, Ontology: source.Ontology, ContentType: source.ContentType,
				Best: m.similarity, Resources: []corpus.DocumentResource{{Type: "document", GarageKey: source.DocumentID}}, ConceptIDs: []string{},
			})
		}
		hit := &hits[place]
		hit.SourceCount++
		for _, quote := range m.quotes {
			if !slices.Contains(hit.ConceptIDs, quote.ConceptID) {
				hit.ConceptIDs = append(hit.ConceptIDs, quote.ConceptID)
			}
		}
	}
	return hits[:min(len(hits), q.Limit)], len(hits), nil
}

// find returns the chunks that q is about, best first.
func (s *Searcher) find(ctx context.Context, q corpus.SourceQuery) ([]match, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	byWords, err := s.byWords(ctx, q, mostMatches)
	if err != nil {
		return nil, err
	}
	quotes, scores, err := s.byConcepts(ctx, q)
	if err != nil {
		return nil, err
	}
	matches := map[int]*match{}
	for _, m := range byWords {
		matches[m.Source] = &match{source: m.Source, similarity: m.Match.Similarity(m.Rank), byWords: true}
	}
	for _, quote := range quotes {
		m := matches[quote.Source]
		if m == nil {
			m = &match{source: quote.Source}
			matches[quote.Source] = m
		}
		m.quotes = append(m.quotes, quote)
	}
	var found []match
	for _, m := range matches {
		slices.SortFunc(m.quotes, func(a, b corpus.SourceQuote) int {
			return cmp.Or(cmp.Compare(scores[b.ConceptID], scores[a.ConceptID]), cmp.Compare(a.ConceptID, b.ConceptID))
		})
		if len(m.quotes) > 0 {
			m.similarity = max(m.similarity, scores[m.quotes[0].ConceptID])
			if m.byWords {
				m.similarity += bothBonus
			}
		}
		m.similarity = math.Round(min(1, m.similarity)*1e4) / 1e4
		if m.similarity >= q.Least() {
			found = append(found, *m)
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.source, b.source))
	})
	return found, nil
}

// byConcepts returns the chunks of the concepts that q means, and how similar those are.
func (s *Searcher) byConcepts(ctx context.Context, q corpus.SourceQuery) ([]corpus.SourceQuote, map[string]float64, error) {
	search := questions.SearchQuery{Query: q.Query, Limit: conceptHits, MinSimilarity: new(q.Least())}
	search.NoGrounding = true
	if q.Ontology != "" {
		search.Ontology = &q.Ontology
	}
	result, err := s.concepts.Search(ctx, search)
	if err != nil || len(result.Results) == 0 {
		return nil, nil, err
	}
	scores := make(map[string]float64, len(result.Results))
	ids := make([]string, len(result.Results))
	for i, c := range result.Results {
		ids[i] = c.ConceptID
		scores[c.ConceptID] = c.Score
	}
	quotes, err := s.store.SourcesOfConcepts(ctx, ids, q, mostMatches)
	return quotes, scores, err
}
