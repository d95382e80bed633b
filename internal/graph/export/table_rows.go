package export

import (
	"github.com/kappagraph/kappa/internal/graph/export/parquet"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// The values of a row are in the order of questions.GraphTable.Schema.

func conceptRow(p *parquet.Writer, r *questions.ConceptRow) error {
	p.Text(r.ConceptID)
	p.Text(r.Label)
	p.TextOrNull(r.Description)
	p.Texts(r.SearchTerms)
	p.Texts(r.Ontologies)
	p.Text(r.CreationMethod)
	p.Integer(r.Evidence)
	p.Integer(r.Documents)
	p.Instant(r.CreatedAt)
	return p.EndRow()
}

func relationshipRow(p *parquet.Writer, r *questions.RelationshipRow) error {
	p.Text(r.FromID)
	p.Text(r.FromLabel)
	p.Text(r.Type)
	p.Text(r.Category)
	p.Text(r.ToID)
	p.Text(r.ToLabel)
	p.Number(knowledge.FromReal(r.Confidence))
	p.Texts(r.Ontologies)
	p.Integer(r.Evidence)
	p.Integer(r.Documents)
	p.Instant(r.CreatedAt)
	return p.EndRow()
}

func evidenceRow(p *parquet.Writer, r *questions.EvidenceRow) error {
	p.TextOrNull(r.ConceptID)
	p.TextOrNull(r.FromID)
	p.TextOrNull(r.Type)
	p.TextOrNull(r.ToID)
	p.Text(r.Quote)
	var confidence *float64
	if r.Confidence != nil {
		confidence = new(knowledge.FromReal(*r.Confidence))
	}
	p.NumberOrNull(confidence)
	p.Text(r.DocumentID)
	p.Text(r.Ontology)
	p.Text(r.SourceID)
	p.Integer(r.ChunkNumber)
	p.Integer(r.StartByte)
	p.Integer(r.EndByte)
	p.Instant(r.CreatedAt)
	return p.EndRow()
}

func documentRow(p *parquet.Writer, r *questions.DocumentRow) error {
	p.Text(r.DocumentID)
	p.Text(r.Ontology)
	p.Text(r.Filename)
	p.TextOrNull(r.Key)
	p.TextOrNull(r.SourceType)
	p.TextOrNull(r.SourcePath)
	p.Integer(r.Version)
	p.Text(r.ContentType)
	p.Integer(r.Chunks)
	p.Integer(r.Words)
	p.Text(r.JobID)
	p.Instant(r.IngestedAt)
	return p.EndRow()
}
