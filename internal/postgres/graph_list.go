package postgres

import (
	"context"
	"math"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// ConceptsByEvidence returns the concepts that f selects, those that most
// chunks show first, with the number of those chunks, and how many concepts
// there are in all. A concept shown all over a document matters more than one
// that a single passage repeats.
func (s *GraphSnapshot) ConceptsByEvidence(ctx context.Context, f questions.ConceptFilter) (list []knowledge.ConceptEvidence, total int, err error) {
	ranks, err := s.selected(ctx, f)
	if err != nil {
		return nil, 0, translate(err, "rank the concepts")
	}
	list, err = s.listRanks(ctx, ranks[min(startOf(ranks, f), len(ranks)):], f.Limit)
	return list, len(ranks), translate(err, "list concepts")
}

// startOf returns the place of the first concept of a page.
func startOf(ranks []conceptRank, f questions.ConceptFilter) int {
	after, _ := kappa.ParseCursor(kappa.ListConcepts, f.Cursor, kappa.ConceptKeys)
	if after.IsZero() {
		return f.Offset
	}
	last := conceptRank{sources: clamp32(after.Key(0, 0)), quotes: clamp32(after.Key(1, 0)), concept: clamp32(after.Key(2, 0))}
	place, found := slices.BinarySearchFunc(ranks, last, compareRanks)
	if found {
		place++
	}
	return place
}

// selected returns the concepts that f selects, whatever the page.
func (s *GraphSnapshot) selected(ctx context.Context, f questions.ConceptFilter) ([]conceptRank, error) {
	var ontology int32
	if f.Ontology != "" {
		number, err := s.q.OntologyNumber(ctx, f.Ontology)
		if isNoRows(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		ontology = number
	}
	ranks, err := s.ranked(ctx, ontology)
	if err != nil || f.CreationMethod == "" && f.LabelContains == "" {
		return ranks, err
	}
	keep, err := s.filter(ctx, f)
	if err != nil {
		return nil, err
	}
	var selected []conceptRank
	for _, r := range ranks {
		if keep(r) {
			selected = append(selected, r)
		}
	}
	return selected, nil
}

// filter returns whether a concept has the label and came about in the way that f asks for.
func (s *GraphSnapshot) filter(ctx context.Context, f questions.ConceptFilter) (func(conceptRank) bool, error) {
	method := slices.Index(creationMethods, f.CreationMethod)
	if f.CreationMethod != "" && method < 0 {
		return func(conceptRank) bool { return false }, nil
	}
	var having conceptSet
	if f.LabelContains != "" {
		labels, err := s.labels(ctx)
		if err != nil {
			return nil, err
		}
		having = labels.having(f.LabelContains)
	}
	return func(r conceptRank) bool {
		return (f.CreationMethod == "" || int(r.method) == method) && (f.LabelContains == "" || having.has(r.concept))
	}, nil
}

// listRanks shows a page of concepts, and nothing but pages is read after it. One that is gone
// by now makes room for the next.
func (s *GraphSnapshot) listRanks(ctx context.Context, ranks []conceptRank, most int) ([]knowledge.ConceptEvidence, error) {
	list := make([]knowledge.ConceptEvidence, 0, min(most, len(ranks)))
	if err := s.q.PageBegin(ctx); err != nil {
		return nil, err
	}
	for len(list) < most && len(ranks) > 0 {
		page := ranks[:min(most-len(list), len(ranks))]
		ranks = ranks[len(page):]
		ids, places := make([]int32, len(page)), make(map[int32]conceptRank, len(page))
		for i, r := range page {
			ids[i], places[r.concept] = r.concept, r
		}
		rows, err := s.q.ConceptsListed(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			r := places[row.ID]
			c := knowledge.ConceptEvidence{
				ID: int(row.ID), ConceptID: row.ConceptID, Label: row.Label, Sources: int(r.sources), Quotes: int(r.quotes),
				SearchTerms: row.SearchTerms, CreationMethod: row.CreationMethod, HasEmbedding: row.HasEmbedding,
			}
			if row.Description != "" {
				c.Description = &row.Description
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// clamp32 returns n, or the number of a row that is nearest to it.
func clamp32(n int64) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }
