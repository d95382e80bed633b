package graph

import (
	"context"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// EnrichedPath returns what Connect does, and of each concept on the paths what is around it,
// up to q.PerNode concepts within q.Depth relationships: the nearest first, and of those that
// are equally far the ones with the strongest relationships. Concepts that are on a path
// themselves are not shown, and nothing is reached over them.
//
// It returns a CodeInvalid Error that names every broken rule, CodeNotFound for an
// unknown concept, CodeUnavailable after the deadline. That there is no path is not an
// error.
func (g *Graph) EnrichedPath(ctx context.Context, q questions.EnrichedPathQuery) (result questions.EnrichedPath, err error) {
	if err := q.Validate(); err != nil {
		return questions.EnrichedPath{}, err
	}
	err = g.readIn(ctx, "searching for a path and what is around it", q.MinEpoch, q.Ontology, func(ctx context.Context, v view) error {
		result, err = v.enrichedPath(ctx, q)
		return err
	})
	return result, err
}

func (v view) enrichedPath(ctx context.Context, q questions.EnrichedPathQuery) (questions.EnrichedPath, error) {
	v, ends, err := v.locate(ctx, q.FromID, q.ToID)
	if err != nil {
		return questions.EnrichedPath{}, err
	}
	epoch, err := v.epoch(ctx)
	if err != nil {
		return questions.EnrichedPath{}, err
	}
	if v, err = v.narrowed(ctx, q.EpistemicFilter, q.RelationshipFilter); err != nil {
		return questions.EnrichedPath{}, err
	}
	v.measures = q.Measures
	found, err := v.routes(ctx, ends[0], ends[1], q.MaxHops, q.PathPage)
	if err != nil {
		return questions.EnrichedPath{}, err
	}
	paths, shown, err := v.shownPaths(ctx, ends[0], found.routes, false)
	if err != nil {
		return questions.EnrichedPath{}, err
	}
	result := questions.EnrichedPath{
		FromID: q.FromID, ToID: q.ToID, MaxHops: q.MaxHops, PerNode: q.PerNode, Depth: q.Around(), Count: len(paths), Paths: paths,
		Surroundings: []questions.Surroundings{}, Epoch: epoch, ShownPaths: found.ShownPaths, Completeness: found.Completeness,
	}
	if err := v.surround(ctx, found.levels, &result, onRoutes(ends[0], found.routes)); err != nil {
		return result, err
	}
	if result.Statistics = v.statistics(q.IncludeStatistics, found.levels); !q.IncludeEvidence {
		return result, nil
	}
	return result, v.addStatements(ctx, result.Paths, shown, result.Surroundings)
}

// onRoutes returns the concepts that routes visit, in the order of their first visit.
func onRoutes(start int, routes []route) []int {
	var list []int
	seen := map[int]bool{}
	for _, r := range routes {
		for _, c := range r.concepts(start) {
			if !seen[c] {
				seen[c] = true
				list = append(list, c)
			}
		}
	}
	return list
}
