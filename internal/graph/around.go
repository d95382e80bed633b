package graph

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// Around returns a page of the concepts within q.MaxHops relationships of any of q.SeedIDs, in
// either direction, in one search from all of them: nearest first and then by number, with
// their distance from the nearest seed. The answer says what is missing when not all could be
// read in time. It returns a CodeInvalid Error that names every broken rule, CodeNotFound for
// an unknown seed, CodeUnavailable when nothing could be read in time.
func (g *Graph) Around(ctx context.Context, q questions.AroundQuery) (result questions.Around, err error) {
	if err := q.Validate(); err != nil {
		return questions.Around{}, err
	}
	err = g.readIn(ctx, "searching around concepts", q.MinEpoch, q.Ontology, func(ctx context.Context, v view) error {
		result, err = v.conceptsAround(ctx, q)
		return err
	})
	return result, err
}

func (v view) conceptsAround(ctx context.Context, q questions.AroundQuery) (questions.Around, error) {
	v, seeds, err := v.locate(ctx, q.SeedIDs...)
	if err != nil {
		return questions.Around{}, err
	}
	epoch, err := v.epoch(ctx)
	if err != nil {
		return questions.Around{}, err
	}
	if v, err = v.narrowed(ctx, q.EpistemicFilter, q.RelationshipFilter); err != nil {
		return questions.Around{}, err
	}
	v.measures = q.Measures
	begin := time.Now()
	b, err := v.nhop(ctx, nhopQuery{seeds: seeds, hops: q.MaxHops, types: v.only})
	if err != nil {
		return questions.Around{}, err
	}
	result := questions.Around{
		SeedIDs: q.SeedIDs, MaxHops: q.MaxHops, Total: len(b.concepts), PerHop: b.perHop(), Offset: q.Offset, Limit: q.Limit,
		Epoch: epoch, Completeness: b.Completeness,
	}
	result.Statistics = v.statisticsOf(q.IncludeStatistics, b.asked, b.work, time.Since(begin))
	result.Results, err = v.aroundConcepts(ctx, b, q)
	result.Count = len(result.Results)
	return result, err
}

// aroundConcepts shows a page of what was found. A concept that is gone is left out.
func (v view) aroundConcepts(ctx context.Context, b ball, q questions.AroundQuery) ([]questions.AroundConcept, error) {
	shown := page(b.concepts, q.Offset, q.Limit)
	summaries, err := v.summaries(ctx, shown)
	if err != nil {
		return nil, err
	}
	groundings, err := v.groundings(ctx, summaries)
	if err != nil {
		return nil, err
	}
	list := make([]questions.AroundConcept, 0, len(shown))
	hop := 0
	for i, c := range shown {
		for hop < len(b.ends)-1 && q.Offset+i >= b.ends[hop] {
			hop++
		}
		if s, ok := summaries[c]; ok {
			node := graphNode(s)
			node.Grounding = groundings[c]
			list = append(list, questions.AroundConcept{GraphNode: node, Distance: hop + 1})
		}
	}
	return list, nil
}

// perHop counts the concepts at each distance.
func (b ball) perHop() []int {
	counts := make([]int, len(b.ends))
	begin := 0
	for h, end := range b.ends {
		counts[h], begin = end-begin, end
	}
	return counts
}
