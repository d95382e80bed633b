package postgres

import (
	"context"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// StrongestNeighbors returns the neighbours of each concept that have the strongest
// relationships with it, up to most of each, and how many neighbours it has in all.
// The given concepts are nobody's neighbours. Of several relationships between two
// concepts the strongest is returned. types restricts them; none allows all.
func (s *GraphSnapshot) StrongestNeighbors(ctx context.Context, concepts []int, types []string, most int) ([]questions.NeighborEdge, error) {
	rows, err := s.q.StrongestNeighbors(ctx, db.StrongestNeighborsParams{
		Concepts: toInt32s(concepts), Types: orEmpty(types), Weakest: vocabulary.TypeRelatedTo, Least: s.least, Floor: s.floor, Outward: s.way.Out(), Inward: s.way.In(), Most: int32(most),
	})
	if err != nil {
		return nil, translate(err, "read the neighbours of concepts")
	}
	list := make([]questions.NeighborEdge, len(rows))
	for i, r := range rows {
		list[i] = questions.NeighborEdge{Neighbors: int(r.Neighbors), Edge: knowledge.Edge{
			From: int(r.Near), To: int(r.Far), Type: r.Name, Confidence: knowledge.FromReal(r.Confidence), Forward: r.Forward,
		}}
	}
	return list, nil
}

// EdgesAmong returns up to most relationships between any two of the concepts, as
// they point: the ones of the weakest type last, otherwise the most certain first.
// types restricts the relationship types; none allows all.
func (s *GraphSnapshot) EdgesAmong(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	rows, err := s.q.EdgesAmong(ctx, db.EdgesAmongParams{
		Concepts: toInt32s(concepts), Types: orEmpty(types), Weakest: vocabulary.TypeRelatedTo, Least: s.least, Floor: s.floor, Most: int32(most),
	})
	if err != nil {
		return nil, translate(err, "read relationships")
	}
	edges := make([]knowledge.Edge, len(rows))
	for i, r := range rows {
		edges[i] = knowledge.Edge{From: int(r.Src), To: int(r.Dst), Type: r.Name, Confidence: knowledge.FromReal(r.Confidence), Forward: true}
	}
	return edges, nil
}
