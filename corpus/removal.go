package corpus

// Removal asks for a document to be taken out of an ontology. By is, of the undo of a
// job, the job that must have written it last.
type Removal struct {
	DocumentID string
	Ontology   string // "": the one that took it last
	By         string // a job; "": whoever wrote it
	DryRun     bool   // nothing is deleted, and what would be is counted
}

// Replace says which earlier versions of a document go when a later one is stored: none, those
// that the same user has ingested, or all. They are those of its ontology with the same key, or
// else the same source_type, source_path and source_hostname.
type Replace string

// What is replaced.
const (
	ReplaceNone Replace = ""
	ReplaceOwn  Replace = "own"
	ReplaceAll  Replace = "all"
)

// Finishing ends the ingestion of a document.
type Finishing struct {
	Document Document
	Counts   Counts // what the document has added, for the record of the graph's epochs
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
	VersionsDeleted      int    `json:"versions_deleted"` // earlier ones, whose texts were kept
}
