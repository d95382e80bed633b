package ontologies

// TypeRemoval is the job type that deletes an ontology in parts.
const TypeRemoval = "ontology_removal"

// RemovedAtOnce is how many chunks are deleted in one transaction. An ontology with more is
// deleted by a job, in which others write between the parts.
const RemovedAtOnce = 1000

// Removal asks for an ontology to be deleted.
type Removal struct {
	Name          string
	KeepTombstone bool   // the name stays blocked
	RemovedBy     string // a username
	UserID        int    // of that user
	DryRun        bool   // nothing is deleted, and what would be is counted
}

// Removed says what went with an ontology.
type Removed struct {
	Ontology         string  `json:"ontology"`
	Deleted          bool    `json:"deleted"` // false after a dry run, and while a job deletes it
	SourcesDeleted   int     `json:"sources_deleted"`
	ConceptsDeleted  int     `json:"orphaned_concepts_deleted"`
	TombstoneCleared bool    `json:"tombstone_cleared"`
	JobsCancelled    int     `json:"jobs_cancelled"` // that had not started
	JobID            *string `json:"job_id"`         // the job that deletes it; null when it is done
	Error            *string `json:"error"`          // always null
}

// RemovalJob is the data of a job that deletes an ontology.
type RemovalJob struct {
	ID            int    `json:"ontology_id"`
	Name          string `json:"ontology"`
	KeepTombstone bool   `json:"keep_tombstone"`
	RemovedBy     string `json:"removed_by"`
}

// RemovalStep is how far such a job has come.
type RemovalStep struct {
	Total            int  `json:"sources_total"`
	Sources          int  `json:"sources_deleted"`
	Concepts         int  `json:"orphaned_concepts_deleted"`
	TombstoneCleared bool `json:"tombstone_cleared"`
	Finished         bool `json:"deleted"`
}
