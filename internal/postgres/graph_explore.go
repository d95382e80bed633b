package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
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

// ListEdges returns the relationships that f selects in a fixed order, and how many
// there are in all. from and to are the numbers of the concepts that f names; 0 stands
// for none.
func (s *GraphSnapshot) ListEdges(ctx context.Context, f questions.EdgeFilter, from, to int) (list []questions.ListedEdge, total int, err error) {
	page := db.EdgeListParams{
		Source: int32(from), Target: int32(to), Type: f.Type, MinConfidence: float32(f.MinConfidence),
		Skip: int32(f.Offset), Most: int32(f.Limit),
	}
	after, _ := kappa.ParseCursor(kappa.ListEdges, f.Cursor, kappa.EdgeKeys)
	page.AfterSrc, page.AfterDst, page.AfterType = clamp32(after.Key(0, 0)), clamp32(after.Key(1, 0)), clamp32(after.Key(2, 0))
	rows, n, err := s.edgePage(ctx, f.Ontology, page)
	if err != nil {
		return nil, 0, translate(err, "list relationships")
	}
	list = make([]questions.ListedEdge, len(rows))
	for i, r := range rows {
		list[i] = questions.ListedEdge{
			SubgraphEdge: questions.SubgraphEdge{From: int(r.Src), To: int(r.Dst), FromID: r.FromID, ToID: r.ToID, Type: r.Name, Confidence: knowledge.FromReal(r.Confidence)},
			FromLabel:    r.FromLabel, ToLabel: r.ToLabel, Category: r.Category, CreatedAt: kappa.At(r.CreatedAt),
			Sources: int(r.Sources), Documents: int(r.Documents),
			Place: kappa.Cursor{List: kappa.ListEdges, Keys: []int64{int64(r.Src), int64(r.Dst), int64(r.Type)}},
		}
	}
	return list, int(n), nil
}

// edgePage reads a page, and counts all; an empty ontology stands for all of them.
func (s *GraphSnapshot) edgePage(ctx context.Context, ontology string, p db.EdgeListParams) (rows []db.EdgeListRow, total int64, err error) {
	if ontology == "" {
		if rows, err = s.q.EdgeList(ctx, p); err != nil {
			return nil, 0, err
		}
		total, err = s.edgeCount(ctx, p)
		return rows, total, err
	}
	found, err := s.q.EdgeListIn(ctx, db.EdgeListInParams{
		Ontology: ontology, Source: p.Source, Target: p.Target, Type: p.Type, MinConfidence: p.MinConfidence, Skip: p.Skip, Most: p.Most,
		AfterSrc: p.AfterSrc, AfterDst: p.AfterDst, AfterType: p.AfterType,
	})
	if err != nil {
		return nil, 0, err
	}
	for _, r := range found {
		rows = append(rows, db.EdgeListRow(r))
	}
	total, err = s.q.EdgeCountIn(ctx, db.EdgeCountInParams{
		Ontology: ontology, Source: p.Source, Target: p.Target, Type: p.Type, MinConfidence: p.MinConfidence,
	})
	return rows, total, err
}

// edgeCount returns how many relationships there are of a page's kind: counted anew only
// around a concept, and when they have to be sure to some degree.
func (s *GraphSnapshot) edgeCount(ctx context.Context, p db.EdgeListParams) (int64, error) {
	if p.Source != 0 || p.Target != 0 || p.MinConfidence > 0 {
		return s.q.EdgeCount(ctx, db.EdgeCountParams{Source: p.Source, Target: p.Target, Type: p.Type, MinConfidence: p.MinConfidence})
	}
	tally, err := s.tally(ctx)
	if err != nil || p.Type == "" {
		return int64(tally.relationships), err
	}
	number, err := s.q.TypeNumber(ctx, p.Type)
	if isNoRows(err) {
		return 0, nil
	}
	return int64(tally.types[number]), err
}
