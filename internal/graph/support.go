package graph

import (
	"context"

	"github.com/kappagraph/kappa/knowledge"
)

// summaries returns what lists show of concepts; a number that no concept has is left
// out. When they have many relationships, memory counts those: the database would read
// each of them.
func (v view) summaries(ctx context.Context, ids []int) (map[int]knowledge.ConceptSummary, error) {
	if !v.memory.knows(ids) || v.memory.degrees(ids) < v.limits.counted {
		return v.ConceptSummaries(ctx, ids)
	}
	summaries, err := v.ConceptNames(ctx, ids)
	if err != nil {
		return nil, err
	}
	return summaries, v.addSupport(ctx, summaries)
}

// addSupport adds to summaries what memory knows of the relationships of their concepts.
func (v view) addSupport(ctx context.Context, summaries map[int]knowledge.ConceptSummary) error {
	projections, err := v.TypeProjections(ctx)
	if err != nil {
		return err
	}
	for id, s := range summaries {
		s.Relationships, s.Types, s.Strength = v.memory.support(id, projections)
		summaries[id] = s
	}
	return nil
}

// degrees counts the relationships of concepts, those between two of them twice.
func (m inMemory) degrees(concepts []int) int {
	all := 0
	for _, c := range concepts {
		all += m.Degree(int32(c))
	}
	return all
}

// support returns how many relationships a concept has and of how many types, and its
// grounding: the mean of the projections of those that point to it, weighted by their
// confidence. One of a type without projection does not count; without any it is 0.
func (m inMemory) support(concept int, projections map[int32]float64) (relationships, types int, grounding *float64) {
	incoming := map[int32]float64{} // by type: the sum of the confidence; 0 for one that only points away
	for n := range m.Around(int32(concept)) {
		relationships++
		weight := 0.0
		if !n.Forward {
			weight = float64(n.Confidence)
		}
		incoming[n.Type] += weight
	}
	var sum, weights float64
	for t, weight := range incoming {
		if p, known := projections[t]; known {
			sum += weight * p
			weights += weight
		}
	}
	if weights == 0 {
		return relationships, len(incoming), knowledge.Rounded(0)
	}
	return relationships, len(incoming), knowledge.Rounded(sum / weights)
}
