package graph

import "github.com/kappagraph/kappa/knowledge/questions"

// findings is what a search shows of a ranking: a page of what it found, and the best
// of what it missed.
type findings struct {
	page   []ranked
	missed bool // a second search was made
	nearMisses
}

func newFindings(r ranking, q questions.SearchQuery) (s findings) {
	found := r.from(*q.MinSimilarity)
	s.page = page(found, q.Offset, q.Limit)
	s.nearMisses, s.missed = r.secondSearch(len(found), *q.MinSimilarity, q.Limit)
	return s
}

// top is the best concept that was missed, if any.
func (s findings) top() []ranked { return page(s.concepts, 0, 1) }

// ids returns the concepts that are shown.
func (s findings) ids() []int { return append(idsOf(s.page), idsOf(s.top())...) }

func idsOf(list []ranked) []int {
	ids := make([]int, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	return ids
}

// result is the answer. A concept that is not there any more is left out.
func (s findings) result(q questions.SearchQuery, shown questions.ShownConcepts) questions.SearchResult {
	result := questions.SearchResult{
		Query: q.Query, Offset: q.Offset, Threshold: *q.MinSimilarity, Results: hits(s.page, shown, q.IncludeEvidence),
	}
	result.Count = len(result.Results)
	if !s.missed {
		return result
	}
	below := len(s.concepts)
	result.BelowThreshold, result.Suggested = &below, s.suggested
	if best := hits(s.top(), shown, q.IncludeEvidence); len(best) == 1 {
		result.TopMatch = &best[0]
	}
	return result
}

// hits shows ranked concepts, in their order.
func hits(list []ranked, shown questions.ShownConcepts, evidence bool) []questions.ConceptHit {
	hits := make([]questions.ConceptHit, 0, len(list))
	for _, c := range list {
		s, ok := shown.Summaries[c.id]
		if !ok {
			continue
		}
		hit := questions.ConceptHit{
			ConceptID: s.ConceptID, Label: s.Label, Description: s.Description, Score: c.score,
			Documents: orEmpty(shown.Ontologies[c.id]), EvidenceCount: s.Instances, Grounding: shown.Groundings[c.id],
		}
		if evidence {
			hit.Sample = orEmpty(shown.Evidence[c.id])
		}
		hits = append(hits, hit)
	}
	return hits
}
