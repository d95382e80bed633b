package graph

import (
	"context"
	"maps"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Neighborhood returns the concepts within q.MaxHops relationships of one concept, in
// either direction, and the relationships among them, as they point. The nearest
// concepts come first, and of those that are equally far the ones with the path that
// says most: q.Limit keeps the first of that order, and Truncated says so.
//
// At most 20,000 relationships are returned, the strongest. Of tables that do not answer in
// time it returns what Related does. It returns a CodeInvalid
// Error that names every broken rule, CodeNotFound for an unknown concept,
// CodeUnavailable after the deadline.
func (g *Graph) Neighborhood(ctx context.Context, q questions.NeighborhoodQuery) (result questions.Neighborhood, err error) {
	if err := q.Validate(); err != nil {
		return questions.Neighborhood{}, err
	}
	err = g.readIn(ctx, "drawing the neighbourhood of a concept", q.MinEpoch, q.Ontology, func(ctx context.Context, v view) error {
		result, err = v.neighborhood(ctx, q)
		return err
	})
	return result, err
}

func (v view) neighborhood(ctx context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error) {
	v, numbers, err := v.locate(ctx, q.ConceptID)
	if err != nil {
		return questions.Neighborhood{}, err
	}
	epoch, err := v.epoch(ctx)
	if err != nil {
		return questions.Neighborhood{}, err
	}
	if v, err = v.narrowed(ctx, q.EpistemicFilter, q.RelationshipFilter); err != nil {
		return questions.Neighborhood{}, err
	}
	w, l, truncated := newWalk(numbers[0]), newLevels(ctx, q.MaxHops, v.tables.settings()), false
	for w.depth < q.MaxHops && len(w.frontier) > 0 && !truncated && !l.over() {
		if truncated, err = v.step(ctx, l, w, v.only, q.Limit-len(w.nodes), nil); err != nil {
			return questions.Neighborhood{}, err
		}
	}
	ranked := slices.SortedFunc(maps.Keys(w.nodes), w.compare)
	summaries, err := v.summaries(ctx, ranked)
	if err != nil {
		return questions.Neighborhood{}, err
	}
	edges, err := v.edgesAmong(ctx, ranked, v.only, v.limits.drawn+1)
	if err != nil {
		return questions.Neighborhood{}, err
	}
	var ontologies map[int][]string
	if q.IncludeOntologies {
		if ontologies, err = v.ConceptOntologies(ctx, ranked); err != nil {
			return questions.Neighborhood{}, err
		}
	}
	result := questions.Neighborhood{ConceptID: q.ConceptID, MaxHops: q.MaxHops, Epoch: epoch, Statistics: v.statistics(q.IncludeStatistics, l), Completeness: l.completeness(truncated, moreAround)}
	if len(edges) > v.limits.drawn {
		edges = edges[:v.limits.drawn]
		result.Completeness = incomplete(result.Completeness, "there are more relationships among these concepts; ask for fewer hops or types, or for a lower limit")
	}
	for _, c := range ranked {
		if s, ok := summaries[c]; ok {
			node := questions.NeighborhoodNode{GraphNode: graphNode(s), Distance: w.nodes[c].level, EvidenceCount: s.Instances, Ontologies: ontologies[c]}
			node.Grounding = q.Shown(node.Grounding)
			result.Nodes = append(result.Nodes, node)
		}
	}
	if result.Edges, err = v.withStatements(ctx, graphEdges(edges, summaries), 0, q.IncludeEvidence); err != nil {
		return questions.Neighborhood{}, err
	}
	result.NodeCount, result.EdgeCount = len(result.Nodes), len(result.Edges)
	return result, nil
}

// moreAround is what is missing when there are more concepts than an answer has.
const moreAround = "there are more concepts around; ask for fewer hops or types, or for a higher limit"

// incomplete says that an answer was cut at a limit, too.
func incomplete(c questions.Completeness, missing string) questions.Completeness {
	c.Complete, c.Truncated, c.Missing = false, true, joined(c.Missing, missing)
	return c
}

func graphNode(s knowledge.ConceptSummary) questions.GraphNode {
	return questions.GraphNode{ConceptID: s.ConceptID, Label: s.Label, Description: s.Description, Degree: s.Relationships, Grounding: s.Grounding()}
}

// graphEdges shows edges by the ids of their ends.
func graphEdges(edges []knowledge.Edge, summaries map[int]knowledge.ConceptSummary) []questions.SubgraphEdge {
	list := make([]questions.SubgraphEdge, 0, len(edges))
	for _, e := range edges {
		from, known := summaries[e.From]
		to, both := summaries[e.To]
		if known && both {
			list = append(list, questions.SubgraphEdge{From: e.From, To: e.To, FromID: from.ConceptID, ToID: to.ConceptID, Type: e.Type, Confidence: e.Confidence})
		}
	}
	return list
}
