package graph

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// surround adds what is around the concepts of paths to result.
func (v view) surround(ctx context.Context, l *levels, result *questions.EnrichedPath, concepts []int) error {
	if len(concepts) == 0 {
		return nil
	}
	around, err := v.besidePaths(ctx, l, concepts, result)
	if err != nil {
		return err
	}
	shown := concepts
	for _, a := range around {
		for _, n := range a.shown {
			shown = append(shown, n.edge.From, n.edge.To)
		}
	}
	summaries, err := v.summaries(ctx, distinct(shown))
	if err != nil {
		return err
	}
	for _, c := range concepts {
		if known, ok := summaries[c]; ok {
			result.Surroundings = append(result.Surroundings, v.surroundings(known.ConceptID, around[c], summaries))
		}
	}
	return nil
}

// neighborhoodOf is what is around a concept of a path: how much, and what of it is shown.
type neighborhoodOf struct {
	found int
	shown []nearConcept
}

// nearConcept is a concept that is so far away, and the last relationship on the way to it.
type nearConcept struct {
	distance int
	edge     knowledge.Edge
}

// besidePaths finds what is around each of some concepts of paths. For their neighbours alone the
// database is asked for those that are shown.
func (v view) besidePaths(ctx context.Context, l *levels, concepts []int, result *questions.EnrichedPath) (map[int]neighborhoodOf, error) {
	if result.Depth > 1 || v.perHop > 0 {
		return v.besidePathsByWalks(ctx, l, concepts, result)
	}
	edges, err := v.strongestNeighbors(ctx, concepts, result)
	around := map[int]neighborhoodOf{}
	for _, e := range edges {
		a := around[e.From]
		around[e.From] = neighborhoodOf{e.Neighbors, append(a.shown, nearConcept{1, e.Edge})}
	}
	l.count(len(concepts), reads{rows: int64(len(edges)), chunks: 1})
	return around, err
}

// strongestNeighbors reads what is around the concepts of paths. When the tables do not
// answer in time the paths are shown without it, and result says so.
func (v view) strongestNeighbors(ctx context.Context, concepts []int, result *questions.EnrichedPath) (edges []questions.NeighborEdge, err error) {
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

// besidePathsByWalks lets a walk start at each concept. They take each level together, in one
// reading, and none goes over another concept of the paths.
func (v view) besidePathsByWalks(ctx context.Context, l *levels, concepts []int, result *questions.EnrichedPath) (map[int]neighborhoodOf, error) {
	far := newLevels(ctx, result.Depth, v.tables.settings())
	walks, onPaths := make([]*walk, len(concepts)), map[int]bool{}
	for i, c := range concepts {
		walks[i], onPaths[c] = newWalk(c), true
	}
	truncated := false
	for hop := 1; hop <= result.Depth && !truncated && !far.over(); hop++ {
		cut, err := v.stepTogether(ctx, far, walks, onPaths)
		if errors.Is(err, errNothingRead) {
			result.Complete, result.TimedOut = false, true
			result.Missing = joined(result.Missing, "what is around the paths could not be read in time; ask for fewer hops, or for connect alone")
			break
		}
		if err != nil {
			return nil, err
		}
		truncated = cut
	}
	l.asked = append(l.asked, far.asked...)
	l.work = reads{l.work.rows + far.work.rows, l.work.chunks + far.work.chunks, max(l.work.workers, far.work.workers)}
	if c := far.completeness(truncated, "there is more around the paths; ask for a smaller depth, or for limit_per_hop"); !c.Complete {
		result.Complete, result.Truncated, result.TimedOut = false, result.Truncated || c.Truncated, result.TimedOut || c.TimedOut
		result.FailedChunks += c.FailedChunks
		result.Missing = joined(result.Missing, c.Missing)
	}
	around := make(map[int]neighborhoodOf, len(walks))
	for _, w := range walks {
		around[w.start] = w.nearest(result.PerNode)
	}
	return around, nil
}

// stepTogether reads the relationships around the frontiers of all walks at once, and lets each
// take its level. Those to concepts of the paths are left out.
func (v view) stepTogether(ctx context.Context, l *levels, walks []*walk, onPaths map[int]bool) (cut bool, err error) {
	var all []int
	for _, w := range walks {
		all = append(all, w.frontier...)
	}
	if all = distinct(all); len(all) == 0 {
		return false, nil
	}
	slices.Sort(all)
	edges, err := v.edges(ctx, l, walks[0].depth+1, all, v.only, v.limits.edges+1)
	if err != nil {
		return false, err
	}
	if cut = len(edges) > v.limits.edges; cut {
		edges = edges[:v.limits.edges]
	}
	from := map[int][]knowledge.Edge{}
	for _, e := range edges {
		if !onPaths[e.To] {
			from[e.From] = append(from[e.From], e)
		}
	}
	for _, w := range walks {
		var own []knowledge.Edge
		for _, c := range w.frontier {
			own = append(own, from[c]...)
		}
		room := max(0, v.limits.related-(len(w.nodes)-1))
		if v.perHop > 0 && v.perHop < room {
			narrowed := w.next(own, v.perHop, nil)
			l.narrowed = l.narrowed || narrowed
		} else if w.next(own, room, nil) {
			cut = true
		}
	}
	return cut, nil
}

// nearest returns the concepts that a walk has found: the nearest first, and of those that are
// equally far the ones with the strongest relationships on the way.
func (w *walk) nearest(most int) neighborhoodOf {
	list := make([]nearConcept, 0, len(w.nodes))
	for c, n := range w.nodes {
		if c != w.start {
			list = append(list, nearConcept{n.level, n.via})
		}
	}
	slices.SortFunc(list, func(a, b nearConcept) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(w.nodes[a.edge.To].cost, w.nodes[b.edge.To].cost), cmp.Compare(a.edge.To, b.edge.To))
	})
	return neighborhoodOf{len(list), list[:min(most, len(list))]}
}

func (v view) surroundings(conceptID string, a neighborhoodOf, summaries map[int]knowledge.ConceptSummary) questions.Surroundings {
	s := questions.Surroundings{ConceptID: conceptID, Count: a.found, Neighbors: make([]questions.Neighbor, 0, len(a.shown))}
	for _, near := range a.shown {
		n, ok := summaries[near.edge.To]
		via, known := summaries[near.edge.From]
		if ok && known {
			s.Neighbors = append(s.Neighbors, questions.Neighbor{
				ConceptID: n.ConceptID, Label: n.Label, Distance: near.distance, ViaID: via.ConceptID, Type: near.edge.Type, Forward: near.edge.Forward,
				Certain: near.edge.Confidence, Grounding: v.measures.Shown(n.Grounding()), Edge: near.edge,
			})
		}
	}
	return s
}
