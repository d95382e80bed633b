package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// ConceptNumber returns the number of a concept, or a CodeNotFound Error for an
// id that no concept has.
func (s *GraphSnapshot) ConceptNumber(ctx context.Context, conceptID string) (int, error) {
	id, err := s.q.ConceptNumber(ctx, conceptID)
	if isNoRows(err) {
		return 0, notFound("Concept '%s' not found", conceptID)
	}
	return int(id), translate(err, "find a concept")
}

// ConceptSummaries returns what lists show of the concepts with the given
// numbers. A number that no concept has is left out.
func (s *GraphSnapshot) ConceptSummaries(ctx context.Context, ids []int) (map[int]knowledge.ConceptSummary, error) {
	rows, err := s.q.ConceptSummaries(ctx, toInt32s(ids))
	if err != nil {
		return nil, translate(err, "read concepts")
	}
	summaries := make(map[int]knowledge.ConceptSummary, len(rows))
	for _, r := range rows {
		c := knowledge.ConceptSummary{
			ID: int(r.ID), ConceptID: r.ConceptID, Label: r.Label, SearchTerms: r.SearchTerms,
			Support: knowledge.Support{
				Relationships: int(r.Relationships), Types: int(r.Types),
				Sources: int(r.Sources), Instances: int(r.Instances),
			},
			Strength: knowledge.Rounded(r.Grounding),
		}
		if r.Description != "" {
			c.Description = &r.Description
		}
		summaries[c.ID] = c
	}
	return summaries, nil
}

// ConceptNames returns ConceptSummaries without what relationships say: their number,
// their types and the grounding.
func (s *GraphSnapshot) ConceptNames(ctx context.Context, ids []int) (map[int]knowledge.ConceptSummary, error) {
	rows, err := s.q.ConceptNames(ctx, toInt32s(ids))
	if err != nil {
		return nil, translate(err, "read the names of concepts")
	}
	names := make(map[int]knowledge.ConceptSummary, len(rows))
	for _, r := range rows {
		c := knowledge.ConceptSummary{
			ID: int(r.ID), ConceptID: r.ConceptID, Label: r.Label, SearchTerms: r.SearchTerms,
			Support: knowledge.Support{Sources: int(r.Sources), Instances: int(r.Instances)},
		}
		if r.Description != "" {
			c.Description = &r.Description
		}
		names[c.ID] = c
	}
	return names, nil
}

// TypeProjections returns what relationships of a type add to the grounding of their
// targets, -1 to 1, by the numbers of the types. A type that is not embedded yet is left
// out.
func (s *GraphSnapshot) TypeProjections(ctx context.Context) (map[int32]float64, error) {
	rows, err := s.q.TypeProjections(ctx)
	if err != nil {
		return nil, translate(err, "read the measures of relationship types")
	}
	projections := make(map[int32]float64, len(rows))
	for _, r := range rows {
		projections[r.Type] = r.Projection
	}
	return projections, nil
}

// ConceptOntologies returns the names of the ontologies that show each concept,
// by name.
func (s *GraphSnapshot) ConceptOntologies(ctx context.Context, ids []int) (map[int][]string, error) {
	rows, err := s.q.ConceptOntologies(ctx, toInt32s(ids))
	if err != nil {
		return nil, translate(err, "read the ontologies of concepts")
	}
	names := make(map[int][]string, len(ids))
	for _, r := range rows {
		names[int(r.Concept)] = append(names[int(r.Concept)], r.Name)
	}
	return names, nil
}

// ConceptProvenance returns up to most documents that show a concept, the first that did
// first.
func (s *GraphSnapshot) ConceptProvenance(ctx context.Context, id, most int) ([]questions.ProvenanceDocument, error) {
	rows, err := s.q.ConceptProvenance(ctx, int32(id), int32(most))
	list := make([]questions.ProvenanceDocument, len(rows))
	for i, r := range rows {
		list[i] = toProvenance(r)
	}
	return list, translate(err, "read where a concept was read")
}

func toProvenance(r db.ConceptProvenanceRow) questions.ProvenanceDocument {
	return questions.ProvenanceDocument{
		DocumentID: r.DocumentID, Filename: r.Filename, Ontology: r.Ontology, SourceType: r.SourceType, SourcePath: r.SourcePath, Hostname: r.SourceHostname,
		IngestedBy: r.IngestedBy, IngestedAt: kappa.At(r.CreatedAt), JobID: r.JobID, SourceCount: int(r.Sources),
	}
}

// SourceTexts returns the texts of chunks by their ids.
func (s *GraphSnapshot) SourceTexts(ctx context.Context, sourceIDs []string) (map[string]string, error) {
	rows, err := s.q.SourceTexts(ctx, sourceIDs)
	texts := make(map[string]string, len(rows))
	for _, r := range rows {
		texts[r.SourceID] = r.FullText
	}
	return texts, translate(err, "read the texts of chunks")
}

// ConceptEvidence returns up to most quotes of each concept, in the order of
// ontologies, documents and places in them.
func (s *GraphSnapshot) ConceptEvidence(ctx context.Context, ids []int, most int) (map[int][]knowledge.Evidence, error) {
	rows, err := s.q.ConceptEvidence(ctx, toInt32s(ids), int32(most))
	if err != nil {
		return nil, translate(err, "read the quotes of concepts")
	}
	quotes := make(map[int][]knowledge.Evidence, len(ids))
	for _, r := range rows {
		quotes[int(r.Concept)] = append(quotes[int(r.Concept)], toEvidence(r))
	}
	return quotes, nil
}

func toEvidence(r db.ConceptEvidenceRow) knowledge.Evidence {
	e := knowledge.Evidence{
		Quote: r.Quote, Document: r.Ontology, Paragraph: int(r.ChunkNumber),
		SourceID: r.SourceID, DocumentID: r.DocumentID, Filename: &r.Filename, ContentType: &r.ContentType,
		SourceType: r.SourceType, SourcePath: r.SourcePath, SourceHostname: r.SourceHostname,
		Span: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)}, Section: r.Section,
	}
	if r.Page != nil {
		e.Page = new(int(*r.Page))
	}
	if corpus.ContentType(r.ContentType).IsImage() {
		e.HasImage, e.ImageURI = new(true), new("/api/sources/"+r.SourceID+"/image")
	}
	return e
}

// ConceptRelationships returns up to most outgoing relationships of a concept:
// the ones of the weakest type last, otherwise the most certain first.
func (s *GraphSnapshot) ConceptRelationships(ctx context.Context, id, most int) ([]questions.ConceptRelationship, error) {
	rows, err := s.q.ConceptRelationships(ctx, int32(id), vocabulary.TypeRelatedTo, int32(most))
	if err != nil {
		return nil, translate(err, "read the relationships of a concept")
	}
	list := make([]questions.ConceptRelationship, len(rows))
	for i, r := range rows {
		confidence := knowledge.FromReal(r.Confidence)
		list[i] = questions.ConceptRelationship{
			To: int(r.Dst), ToID: r.ConceptID, ToLabel: r.Label, Type: r.Name, Category: &r.Category,
			Confidence: &confidence, CreatedAt: kappa.At(r.CreatedAt),
			AvgGrounding: r.AvgGrounding, Status: r.Status,
		}
	}
	return list, nil
}

// EdgesAround returns up to most relationships of the concepts, in both
// directions: From is one of them. types restricts the relationship types; none
// allows all. The ones of the weakest type come last, otherwise the most certain
// first, in an order that depends on the graph alone.
func (s *GraphSnapshot) EdgesAround(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	rows, err := s.q.EdgesAround(ctx, db.EdgesAroundParams{
		Concepts: toInt32s(concepts), Types: orEmpty(types), Weakest: vocabulary.TypeRelatedTo, Least: s.least, Floor: s.floor, Outward: s.way.Out(), Inward: s.way.In(), Most: int32(most),
	})
	if err != nil {
		return nil, translate(err, "read relationships")
	}
	edges := make([]knowledge.Edge, len(rows))
	for i, r := range rows {
		edges[i] = knowledge.Edge{
			From: int(r.Near), To: int(r.Far), Type: r.Name, Confidence: knowledge.FromReal(r.Confidence), Forward: r.Forward,
		}
	}
	return edges, nil
}

func toInt32s(ids []int) []int32 {
	list := make([]int32, len(ids))
	for i, id := range ids {
		list[i] = int32(id)
	}
	return list
}

func toInts(ids []int32) []int {
	list := make([]int, len(ids))
	for i, id := range ids {
		list[i] = int(id)
	}
	return list
}
