package knowledge

import "github.com/kappagraph/kappa/corpus/models"

// RemovedConcept says what went with a concept.
type RemovedConcept struct {
	ConceptID            string `json:"concept_id"`
	Label                string `json:"label"`
	Deleted              bool   `json:"deleted"` // false after a dry run
	InstancesDeleted     int    `json:"instances_deleted"`
	RelationshipsDeleted int    `json:"relationships_deleted"`
}

// Preview reports whether r is of a dry run.
func (r RemovedConcept) Preview() bool { return !r.Deleted }

// RemovedEdge says what went with a relationship.
type RemovedEdge struct {
	WrittenEdge
	Deleted         bool `json:"deleted"` // false after a dry run
	EvidenceDeleted int  `json:"evidence_deleted"`
}

// Preview reports whether r is of a dry run.
func (r RemovedEdge) Preview() bool { return !r.Deleted }

// NewEmbeddings are embeddings of texts, by text, which a removal needs: what is left of
// a concept may be named otherwise.
type NewEmbeddings struct {
	Model  string
	ByText map[string]models.Embedding
}
