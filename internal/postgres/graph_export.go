package postgres

import (
	"context"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// OntologyNumber returns the number of an ontology, or a CodeNotFound Error for a
// name that none has.
func (s *GraphSnapshot) OntologyNumber(ctx context.Context, name string) (int, error) {
	id, err := s.q.OntologyNumber(ctx, name)
	if isNoRows(err) {
		return 0, notFound("Ontology '%s' does not exist", name)
	}
	return int(id), translate(err, "find an ontology")
}

// ConceptsOf returns the numbers of the concepts that an ontology shows, or of
// all concepts when it is 0, ascending.
func (s *GraphSnapshot) ConceptsOf(ctx context.Context, ontology int) (numbers []int, err error) {
	var list []int32
	if ontology == 0 {
		list, err = s.q.AllConcepts(ctx)
	} else {
		list, err = s.q.ConceptsIn(ctx, int32(ontology))
	}
	return toInts(list), translate(err, "list the concepts")
}

// StrongestConcepts returns those of the concepts that have the most relationships,
// up to most of them, and of equal ones those with the smallest numbers.
func (s *GraphSnapshot) StrongestConcepts(ctx context.Context, concepts []int, most int) ([]int, error) {
	list, err := s.q.StrongestConcepts(ctx, toInt32s(concepts), int32(most))
	return toInts(list), translate(err, "rank concepts")
}

// EdgesFrom returns the relationships that q selects, in a fixed order.
func (s *GraphSnapshot) EdgesFrom(ctx context.Context, q questions.EdgeSelection) ([]questions.SubgraphEdge, error) {
	rows, err := s.q.EdgesFrom(ctx, db.EdgesFromParams{
		Concepts: toInt32s(q.From), Types: orEmpty(q.Types), Targets: toInt32s(q.To), Ontology: int32(q.Ontology),
	})
	if err != nil {
		return nil, translate(err, "read relationships")
	}
	edges := make([]questions.SubgraphEdge, len(rows))
	for i, r := range rows {
		edges[i] = questions.SubgraphEdge{
			From: int(r.Src), To: int(r.Dst), FromID: r.FromID, ToID: r.ToID, Type: r.Name, Confidence: knowledge.FromReal(r.Confidence),
		}
	}
	return edges, nil
}

// NetworkEdges returns up to most relationships of the whole graph, without their
// types.
func (s *GraphSnapshot) NetworkEdges(ctx context.Context, most int) ([]knowledge.Edge, error) {
	rows, err := s.q.NetworkEdges(ctx, int32(most))
	if err != nil {
		return nil, translate(err, "read relationships")
	}
	edges := make([]knowledge.Edge, len(rows))
	for i, r := range rows {
		edges[i] = knowledge.Edge{From: int(r.Src), To: int(r.Dst), Confidence: knowledge.FromReal(r.Confidence), Forward: true}
	}
	return edges, nil
}
