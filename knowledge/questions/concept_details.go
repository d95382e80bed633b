package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// ConceptQuery asks what is known about a concept.
type ConceptQuery struct {
	ConceptID       string
	IncludeEvidence bool   // the sentences that state its relationships
	Ontology        string // what this one says alone; "" = all
	Measures
}

// Validate reports every rule that q breaks, in the names of the API's path and query.
func (q ConceptQuery) Validate() error {
	var r check.Rules
	r.Add("path", "id", check.ConceptID(q.ConceptID))
	r.Add("query", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	q.Measures.check(&r, "query")
	return r.Err()
}

// ConceptDetails is a concept with its quotes and its outgoing relationships.
type ConceptDetails struct {
	ConceptID     string                `json:"concept_id"`
	Label         string                `json:"label"`
	Description   *string               `json:"description"`
	SearchTerms   []string              `json:"search_terms"`
	Documents     []string              `json:"documents"`
	Instances     []knowledge.Evidence  `json:"instances"`
	Relationships []ConceptRelationship `json:"relationships"`
	Provenance    ConceptProvenance     `json:"provenance"`
	knowledge.Grounding
}

// ConceptProvenance is where a concept was read.
type ConceptProvenance struct {
	Documents []ProvenanceDocument `json:"documents"` // at most 200, the first that showed it first
}

// ProvenanceDocument is a document that shows a concept.
type ProvenanceDocument struct {
	DocumentID  string     `json:"document_id"`
	Filename    string     `json:"filename"`
	Ontology    string     `json:"ontology"`
	SourceType  *string    `json:"source_type"`
	SourcePath  *string    `json:"source_path"`
	Hostname    *string    `json:"hostname"`
	IngestedBy  *string    `json:"ingested_by"` // a username
	IngestedAt  kappa.Time `json:"ingested_at"`
	JobID       string     `json:"job_id"`       // the last job that wrote it
	SourceCount int        `json:"source_count"` // chunks of it that show the concept
}

// ConceptRelationship is an outgoing relationship, one for each type and
// target.
type ConceptRelationship struct {
	ToID       string     `json:"to_id"`
	ToLabel    string     `json:"to_label"`
	Type       string     `json:"rel_type"`
	Category   *string    `json:"category"`
	Confidence *float64   `json:"confidence"`
	CreatedAt  kappa.Time `json:"created_at"`
	// What was measured of the type; nil before its first measurement.
	AvgGrounding *float64 `json:"avg_grounding"`
	Status       *string  `json:"epistemic_status"`

	Evidence []knowledge.EdgeEvidence `json:"evidence" nullable:"true"` // the surest sentences that state it; null unless asked for
	To       int                      `json:"-"`                        // the number of the concept
}
