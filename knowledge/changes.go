package knowledge

import (
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// How many changes of each list are shown.
const (
	DefaultChanges = 100
	MaxChanges     = 1000
)

// ChangesQuery asks what the graph has gained and lost since a moment.
type ChangesQuery struct {
	Since    string // an instant in RFC 3339, the number of an epoch, or the id of a job
	Ontology string // "": all
	Limit    int    // of each list, 1 to MaxChanges
	Offset   int    // how many of each list to leave out
}

// Validate reports every rule that q breaks.
func (q ChangesQuery) Validate() error {
	var r check.Rules
	if _, _, _, ok := q.Moment(); !ok {
		r.Add("query", "since", "must be an instant in RFC 3339 (2026-01-31T08:00:00Z), the number of an epoch, or the id of a job, got "+check.Quote(q.Since))
	}
	r.Add("query", "limit", check.Range(q.Limit, 1, MaxChanges))
	r.Add("query", "offset", check.Range(q.Offset, 0, check.MaxOffset))
	return r.Err()
}

// Moment returns what Since names: one of an instant, an epoch and a job.
func (q ChangesQuery) Moment() (at *kappa.Time, epoch int64, job string, ok bool) {
	if kappa.IsJobID(q.Since) {
		return nil, 0, q.Since, true
	}
	if n, err := strconv.ParseInt(q.Since, 10, 64); err == nil {
		return nil, n, "", n >= 0
	}
	var t kappa.Time
	if q.Since == "" || t.UnmarshalText([]byte(q.Since)) != nil {
		return nil, 0, "", false
	}
	return &t, 0, "", true
}

// Changes are what the graph has gained and lost since a moment. What was taken out with its
// document by hand leaves no name: it is counted.
type Changes struct {
	Since         kappa.Time          `json:"since"`
	Until         kappa.Time          `json:"until" doc:"The since of the next question"`
	Epoch         int64               `json:"epoch" doc:"Of the graph now"`
	Ontology      *string             `json:"ontology"`
	Documents     DocumentChanges     `json:"documents"`
	Concepts      ConceptChanges      `json:"concepts"`
	Relationships RelationshipChanges `json:"relationships"`
	Limit         int                 `json:"limit"`
	Offset        int                 `json:"offset"`
	HasMore       bool                `json:"has_more" doc:"Some list goes on: ask with a higher offset"`
}

// DocumentChanges are documents that came, and that were taken out.
type DocumentChanges struct {
	Gained      []ChangedDocument `json:"gained" doc:"New ones, and new versions, oldest first"`
	Lost        []RemovedDocument `json:"lost" doc:"Taken out by hand; of all ontologies alone"`
	GainedTotal int               `json:"gained_total"`
}

// ChangedDocument is a document that came.
type ChangedDocument struct {
	DocumentID string     `json:"document_id"`
	Filename   string     `json:"filename"`
	SourcePath *string    `json:"source_path"`
	Ontology   string     `json:"ontology"`
	Version    int        `json:"version"`
	Before     *int       `json:"version_before" doc:"The version that stood at since; null for a document that is new"`
	JobID      string     `json:"job_id"`
	At         kappa.Time `json:"at"`
}

// RemovedDocument is a document that was taken out.
type RemovedDocument struct {
	DocumentID string     `json:"document_id"`
	At         kappa.Time `json:"at"`
}

// ConceptChanges are concepts that came and went.
type ConceptChanges struct {
	Gained      []GainedConcept `json:"gained" doc:"Made since, oldest first"`
	Lost        []LostConcept   `json:"lost" doc:"Of versions of documents that stood at since"`
	GainedTotal int             `json:"gained_total"`
	LostTotal   int             `json:"lost_total"`
	RemovedIn   int             `json:"removed_in_all" doc:"How many concepts were taken out since, those included that came meanwhile; 0 within an ontology"`
}

// GainedConcept is a concept that was made.
type GainedConcept struct {
	ConceptID string     `json:"concept_id"`
	Label     string     `json:"label"`
	At        kappa.Time `json:"at"`
}

// LostConcept is a concept that is gone.
type LostConcept struct {
	GainedConcept

	DocumentID string  `json:"document_id" doc:"The version that showed it"`
	Filename   string  `json:"filename"`
	MergedInto *string `json:"merged_into" doc:"The concept that it is a part of now"`
}

// RelationshipChanges are relationships that came and went.
type RelationshipChanges struct {
	Gained      []ChangedRelationship `json:"gained"`
	Lost        []ChangedRelationship `json:"lost" doc:"Of versions of documents that stood at since"`
	GainedTotal int                   `json:"gained_total"`
	LostTotal   int                   `json:"lost_total"`
	RemovedIn   int                   `json:"removed_in_all" doc:"As of concepts"`
}

// ChangedRelationship is a relationship that came or went.
type ChangedRelationship struct {
	FromID     string     `json:"from_id"`
	FromLabel  string     `json:"from_label"`
	Type       string     `json:"type"`
	ToID       string     `json:"to_id"`
	ToLabel    string     `json:"to_label"`
	Confidence float64    `json:"confidence"`
	At         kappa.Time `json:"at"`
}
