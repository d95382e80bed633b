package graph

import (
	"context"
	"errors"
	"time"

	"github.com/kappagraph/kappa"
)

// EnrichedPath returns what Connect does, and of each concept on the paths the
// neighbours with the strongest relationships, up to q.PerNode. Concepts that are on a
// path themselves are not shown as neighbours.
//
// It returns a CodeInvalid Error that names every broken rule, CodeNotFound for an
// unknown concept, CodeUnavailable after the deadline. That there is no path is not an
// error.
func (g *Graph) EnrichedPath(ctx context.Context, q kappa.EnrichedPathQuery) (result kappa.EnrichedPath, err error) {
	if err := q.Validate(); err != nil {
		return kappa.EnrichedPath{}, err
	}
	err = g.readIn(ctx, "searching for a path and what is around it", q.MinEpoch, q.Ontology, func(ctx context.Context, v view) error {
		result, err = v.enrichedPath(ctx, q)
		return err
	})
	return result, err
}

func (v view) enrichedPath(ctx context.Context, q kappa.EnrichedPathQuery) (kappa.EnrichedPath, error) {
	v, ends, err := v.locate(ctx, q.FromID, q.ToID)
	if err != nil {
		return kappa.EnrichedPath{}, err
	}
	epoch, err := v.epoch(ctx)
	if err != nil {
		return kappa.EnrichedPath{}, err
	}
	if v, err = v.narrowed(ctx, q.EpistemicFilter); err != nil {
		return kappa.EnrichedPath{}, err
	}
	v.measures = q.Measures
	found, missing, err := v.routes(ctx, ends[0], ends[1], q.MaxHops)
	if err != nil {
		return kappa.EnrichedPath{}, err
	}
	paths, shown, err := v.shownPaths(ctx, ends[0], found, false)
	if err != nil {
		return kappa.EnrichedPath{}, err
	}
	result := kappa.EnrichedPath{
		FromID: q.FromID, ToID: q.ToID, MaxHops: q.MaxHops, PerNode: q.PerNode, Count: len(paths), Paths: paths,
		Surroundings: []kappa.Surroundings{}, Epoch: epoch, Completeness: missing,
	}
	if err := v.surround(ctx, &result, onRoutes(ends[0], found)); err != nil || !q.IncludeEvidence {
		return result, err
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

// surround adds the neighbours of concepts to result.
func (v view) surround(ctx context.Context, result *kappa.EnrichedPath, concepts []int) error {
	if len(concepts) == 0 {
		return nil
	}
	edges, err := v.strongestNeighbors(ctx, concepts, result)
	if err != nil {
		return err
	}
	shown := concepts
	around := map[int][]kappa.NeighborEdge{}
	for _, e := range edges {
		around[e.From] = append(around[e.From], e)
		shown = append(shown, e.To)
	}
	summaries, err := v.summaries(ctx, distinct(shown))
	if err != nil {
		return err
	}
	for _, c := range concepts {
		known, ok := summaries[c]
		if !ok {
			continue
		}
		s := surroundings(known.ConceptID, around[c], summaries)
		for i, n := range s.Neighbors {
			s.Neighbors[i].Grounding = v.measures.Shown(n.Grounding)
		}
		result.Surroundings = append(result.Surroundings, s)
	}
	return nil
}

// strongestNeighbors reads what is around the concepts of paths. When the tables do not
// answer in time the paths are shown without it, and result says so.
func (v view) strongestNeighbors(ctx context.Context, concepts []int, result *kappa.EnrichedPath) (edges []kappa.NeighborEdge, err error) {
	err = v.Bounded(ctx, time.Duration(float64(v.left(ctx))*(1-reserved)), func(ctx context.Context) error {
		edges, err = v.StrongestNeighbors(ctx, concepts, v.only, result.PerNode)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		result.Complete, result.TimedOut = false, true
		result.Missing = joined(result.Missing, "what is around the paths could not be read in time; ask for fewer hops, or for connect alone")
		return nil, nil
	}
	return edges, err
}

func surroundings(conceptID string, edges []kappa.NeighborEdge, summaries map[int]kappa.ConceptSummary) kappa.Surroundings {
	s := kappa.Surroundings{ConceptID: conceptID, Neighbors: make([]kappa.Neighbor, 0, len(edges))}
	for _, e := range edges {
		s.Count = e.Neighbors
		if n, ok := summaries[e.To]; ok {
			s.Neighbors = append(s.Neighbors, kappa.Neighbor{
				ConceptID: n.ConceptID, Label: n.Label, Type: e.Type, Forward: e.Forward, Certain: e.Confidence, Grounding: n.Grounding(), Edge: e.Edge,
			})
		}
	}
	return s
}
