package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Part gives a sink the types, the concepts that an ontology shows, and then what was read in
// it between them. An error of the sink ends it and is returned as it is.
func (s *GraphSnapshot) Part(ctx context.Context, ontology int, sink knowledge.GraphSink) error {
	types, err := s.q.GraphLoadTypes(ctx)
	if err != nil {
		return translate(err, "read the relationship types")
	}
	for _, t := range types {
		if err := sink.AddType(knowledge.GraphType{Number: t.ID, Name: t.Name}); err != nil {
			return err
		}
	}
	concepts, err := s.q.PartConcepts(ctx, int32(ontology))
	if err != nil {
		return translate(err, "read the concepts of an ontology")
	}
	for _, c := range concepts {
		if err := sink.AddConcept(knowledge.GraphConcept{Number: c.ID, ID: c.ConceptID}); err != nil {
			return err
		}
	}
	edges, err := s.q.PartEdges(ctx, int32(ontology))
	if err != nil {
		return translate(err, "read the relationships of an ontology")
	}
	for _, e := range edges {
		if err := sink.AddEdge(knowledge.GraphEdge{Src: e.Src, Dst: e.Dst, Type: e.Type, Confidence: e.Confidence}); err != nil {
			return err
		}
	}
	return nil
}

// PartMark says whether something may have changed since an epoch what an ontology says, and
// how much it holds now.
func (s *GraphSnapshot) PartMark(ctx context.Context, ontology int, since int64) (questions.PartMark, error) {
	r, err := s.q.PartMark(ctx, since, int32(ontology))
	return questions.PartMark{Changed: r.Changed, Holds: questions.PartHolds{Documents: r.Documents, Chunks: r.Chunks, Quotes: r.Quotes}}, translate(err, "read whether an ontology has changed")
}

// PartProvenance is ConceptProvenance of one ontology.
func (s *GraphSnapshot) PartProvenance(ctx context.Context, id, ontology, most int) ([]questions.ProvenanceDocument, error) {
	rows, err := s.q.PartProvenance(ctx, int32(id), int32(ontology), int32(most))
	list := make([]questions.ProvenanceDocument, len(rows))
	for i, r := range rows {
		list[i] = toProvenance(db.ConceptProvenanceRow(r))
	}
	return list, translate(err, "read where a concept was read")
}

// PartRelationships shows relationships that point away from a concept, in their order, as an
// ontology states them. The names of their targets are the caller's to fill in.
func (s *GraphSnapshot) PartRelationships(ctx context.Context, edges []knowledge.Edge, ontology int) ([]questions.ConceptRelationship, error) {
	if len(edges) == 0 {
		return []questions.ConceptRelationship{}, nil
	}
	p := db.PartRelationshipsParams{Src: int32(edges[0].From), Ontology: int32(ontology)}
	for _, e := range edges {
		p.Targets, p.Types = append(p.Targets, int32(e.To)), append(p.Types, e.Type)
	}
	rows, err := s.q.PartRelationships(ctx, p)
	list := make([]questions.ConceptRelationship, len(rows))
	for i, r := range rows {
		e := edges[r.Place-1]
		list[i] = questions.ConceptRelationship{
			To: e.To, ToID: r.ConceptID, Type: e.Type, Category: &r.Category, Confidence: &e.Confidence, CreatedAt: kappa.At(r.CreatedAt),
			AvgGrounding: r.AvgGrounding, Status: r.Status,
		}
	}
	return list, translate(err, "read the relationships of a concept")
}

// PartEdge is ShowEdge of one ontology. The labels of the ends are the caller's to fill in.
func (s *GraphSnapshot) PartEdge(ctx context.Context, q questions.EdgeEvidenceQuery, from, to, ontology int) (questions.ListedEdge, int, error) {
	r, err := s.q.PartEdgeShow(ctx, db.PartEdgeShowParams{Src: int32(from), Dst: int32(to), TypeName: q.Type, Ontology: int32(ontology)})
	if isNoRows(err) {
		return questions.ListedEdge{}, 0, edgeNotFound(q)
	}
	if err != nil {
		return questions.ListedEdge{}, 0, translate(err, "read a relationship")
	}
	return questions.ListedEdge{
		SubgraphEdge: questions.SubgraphEdge{FromID: q.FromID, ToID: q.ToID, Type: r.Name, Confidence: knowledge.FromReal(r.Confidence)},
		Category:     r.Category, CreatedAt: kappa.At(r.CreatedAt), Sources: int(r.Sources), Documents: int(r.Documents),
	}, int(r.Evidence), nil
}
