package graph

import (
	"cmp"
	"context"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// edgesAmong returns what Snapshot.EdgesAmong does: up to most relationships between any
// two of some concepts, the strongest first.
func (v view) edgesAmong(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	if !v.memory.knows(concepts) {
		return v.EdgesAmong(ctx, concepts, types, most)
	}
	edges, err := v.memory.among(ctx, concepts, concepts, types)
	slices.SortFunc(edges, func(a, b knowledge.Edge) int {
		return cmp.Or(
			compareBool(a.Type == vocabulary.TypeRelatedTo, b.Type == vocabulary.TypeRelatedTo), cmp.Compare(b.Confidence, a.Confidence),
			compareEnds(a, b), cmp.Compare(a.Type, b.Type),
		)
	})
	return rounded(edges[:min(most, len(edges))]), err
}

// edgesFrom returns what Snapshot.EdgesFrom does. Memory knows neither where a
// relationship was read, nor all concepts of an export without ends.
func (v view) edgesFrom(ctx context.Context, q questions.EdgeSelection) ([]questions.SubgraphEdge, error) {
	if q.Ontology != 0 || len(q.To) == 0 || !v.memory.knows(q.From) || !v.memory.knows(q.To) {
		return v.EdgesFrom(ctx, q)
	}
	edges, err := v.memory.among(ctx, q.From, q.To, q.Types)
	slices.SortFunc(edges, func(a, b knowledge.Edge) int { return cmp.Or(compareEnds(a, b), cmp.Compare(a.Type, b.Type)) })
	list := make([]questions.SubgraphEdge, len(edges))
	for i, e := range rounded(edges) {
		list[i] = questions.SubgraphEdge{
			From: e.From, To: e.To, FromID: v.memory.ID(int32(e.From)), ToID: v.memory.ID(int32(e.To)), Type: e.Type, Confidence: e.Confidence,
		}
	}
	return list, err
}

// among returns the relationships that point from some concepts to some others, with
// their confidence as it is stored.
func (m inMemory) among(ctx context.Context, from, to []int, types []string) ([]knowledge.Edge, error) {
	m.heading = questions.HeadingBoth // they are shown as they point
	only := m.follow(types)
	var others bits
	for _, c := range to {
		others.add(int32(c))
	}
	var edges []knowledge.Edge
	for i, c := range from {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for n := range m.Around(int32(c)) {
			if n.Forward && others.has(n.Concept) && only.Follows(n) {
				edges = append(edges, knowledge.Edge{
					From: c, To: int(n.Concept), Type: m.TypeName(n.Type), Confidence: float64(n.Confidence), Forward: true,
				})
			}
		}
	}
	return edges, nil
}

// rounded shows the confidence of edges without the digits that it does not have.
func rounded(edges []knowledge.Edge) []knowledge.Edge {
	for i, e := range edges {
		edges[i].Confidence = knowledge.FromReal(float32(e.Confidence))
	}
	return edges
}
