package knowledge

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The states that a concept can be in.
const (
	ConceptActive = "active"
	ConceptMerged = "merged"  // it is a part of another one now
	ConceptGone   = "retired" // it was deleted, or nothing shows it any more
)

// ConceptLifetime says how a concept came about, what has shown it since, in the order in
// which that came, and what has been done to it.
type ConceptLifetime struct {
	ConceptID  string  `json:"concept_id"`
	Label      string  `json:"label"`
	State      string  `json:"state" doc:"active, merged or retired"`
	MergedInto *string `json:"merged_into" doc:"The concept that it is a part of now"`

	CreatedAt *kappa.Time      `json:"created_at" doc:"null for a concept that is gone"`
	CreatedBy string           `json:"creation_method" doc:"How it came about: llm_extraction, human or agent; empty when it is gone"`
	First     *LifetimeQuote   `json:"first_evidence" doc:"What showed it first of what shows it now"`
	LastAt    *kappa.Time      `json:"last_evidence_at"`
	Documents int              `json:"documents" doc:"That show it"`
	Changes   []LifetimeChange `json:"changes" doc:"What was done to it by hand, oldest first: at most 200"`

	Total    int             `json:"total_instances" doc:"Quotes that show it"`
	Returned int             `json:"returned_instances" doc:"Those of this page"`
	Epochs   int             `json:"distinct_epochs" doc:"Of this page"`
	Before   int             `json:"pre_epoch_count" doc:"Quotes of this page from before epochs were kept"`
	Limit    int             `json:"limit"`
	Offset   int             `json:"offset"`
	HasMore  bool            `json:"has_more"`
	Quotes   []LifetimeQuote `json:"instances"`
}

// LifetimeQuote is a quote that shows a concept, and when it came.
type LifetimeQuote struct {
	Quote      string     `json:"quote"`
	SourceID   string     `json:"source_id"`
	DocumentID string     `json:"document_id"`
	Filename   string     `json:"filename"`
	Ontology   string     `json:"ontology"`
	JobID      *string    `json:"job_id" doc:"The job that read it; null for what was written by hand"`
	Epoch      *int64     `json:"event_id" doc:"null for what came before epochs were kept, and while its document is being read"`
	Kind       *string    `json:"kind"`
	At         kappa.Time `json:"occurred_at"`
	Meaningful *bool      `json:"semantic_wallclock"`
	Actor      *string    `json:"actor"`
}

// LifetimeChange is something that was done to a concept.
type LifetimeChange struct {
	At     kappa.Time `json:"at"`
	Act    string     `json:"act" doc:"merge, unmerge, merged_away, split, update or delete"`
	By     string     `json:"by"`
	Other  string     `json:"other_concept_id,omitempty" doc:"The other concept of a merge or of a split"`
	Label  string     `json:"other_label,omitempty"`
	Reason string     `json:"reason,omitempty"`
}

// CheckLifetimePage returns a kappa.CodeInvalid Error for a page that is out of bounds.
func CheckLifetimePage(limit, offset int) error {
	var r check.Rules
	r.Add("query", "limit", check.Range(limit, 1, MaxEpochPage))
	r.Add("query", "offset", check.Range(offset, 0, check.MaxOffset))
	return r.Err()
}
