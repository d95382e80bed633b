package kappa

// Removal asks for a document to be taken out of an ontology. By is, of the undo of a
// job, the job that must have written it last.
type Removal struct {
	DocumentID string
	Ontology   string // "": the one that took it last
	By         string // a job; "": whoever wrote it
	DryRun     bool   // nothing is deleted, and what would be is counted
}

// Replace says which documents go when another one that came from the same place is stored:
// none, those that the same user has ingested, or all. Its earlier versions are those of its
// ontology with the same source_type, source_path and source_hostname.
type Replace string

// What is replaced.
const (
	ReplaceNone Replace = ""
	ReplaceOwn  Replace = "own"
	ReplaceAll  Replace = "all"
)

// Finishing ends the ingestion of a document.
type Finishing struct {
	DocumentID string
	Ontology   string
	Replace    Replace
	Counts     Counts // what the document has added, for the record of the graph's epochs
}

// Removed says what went with a document: nothing that another document supports.
type Removed struct {
	DocumentID           string `json:"document_id"`
	Ontology             string `json:"ontology"`
	Filename             string `json:"filename"`
	Deleted              bool   `json:"deleted"` // false after a dry run
	SourcesDeleted       int    `json:"sources_deleted"`
	InstancesDeleted     int    `json:"instances_deleted"`
	ConceptsDeleted      int    `json:"orphaned_concepts_deleted"`
	RelationshipsDeleted int    `json:"relationships_deleted"`
	ConceptsKept         int    `json:"concepts_kept"` // shown by other documents too
	OntologyDeleted      bool   `json:"ontology_deleted"`
}

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
	ByText map[string]Embedding
}
