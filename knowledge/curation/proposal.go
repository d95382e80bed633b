package curation

import (
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The kinds of proposals: to make an ontology of a part of one, to make one part of
// another because it holds little or because that holds it already, and to move chunks,
// which only a person does.
const (
	ProposalPromotion    = "promotion"
	ProposalDemotion     = "demotion"
	ProposalMerge        = "merge"
	ProposalReassignment = "reassignment"
)

// The states of a proposal. pending waits for a person; approved for its job; expired
// ones are about an ontology that is gone or has changed too much.
const (
	ProposalPending   = "pending"
	ProposalApproved  = "approved"
	ProposalRejected  = "rejected"
	ProposalExecuting = "executing"
	ProposalExecuted  = "executed"
	ProposalFailed    = "failed"
	ProposalUndone    = "undone"
	ProposalExpired   = "expired"
)

// ProposalStatuses returns the states of a proposal, in the order of its life.
func ProposalStatuses() []string {
	return []string{ProposalPending, ProposalApproved, ProposalRejected, ProposalExecuting, ProposalExecuted, ProposalFailed, ProposalUndone, ProposalExpired}
}

// Proposal is a change of ontologies that is proposed, and what has become of it.
type Proposal struct {
	ID                   int             `json:"id"`
	Kind                 string          `json:"proposal_type"`
	OntologyID           int             `json:"-"`
	Ontology             string          `json:"ontology_name"`
	TargetID             int             `json:"-"` // 0: none yet
	Target               *string         `json:"target_ontology"`
	Anchor               *string         `json:"anchor_concept_id"` // what a promotion is about
	SuggestedName        *string         `json:"suggested_name"`
	SuggestedDescription *string         `json:"suggested_description"`
	Reasoning            string          `json:"reasoning"`
	Mass                 *float64        `json:"mass_score"`
	Coherence            *float64        `json:"coherence_score"`
	Protection           *float64        `json:"protection_score"`
	Status               string          `json:"status"`
	MadeBy               string          `json:"made_by"` // the id of a job, or a user name
	Epoch                int64           `json:"created_at_epoch"`
	At                   kappa.Time      `json:"created_at"`
	ReviewedAt           *kappa.Time     `json:"reviewed_at"`
	ReviewedBy           *string         `json:"reviewed_by"`
	Notes                *string         `json:"reviewer_notes"`
	JobID                *string         `json:"execution_job_id"`
	ExecutedAt           *kappa.Time     `json:"executed_at"`
	Result               json.RawMessage `json:"execution_result"`
	UndoneAt             *kappa.Time     `json:"undone_at"`
	UndoneBy             *string         `json:"undone_by"`
}

// ProposalFilter selects proposals for a list, newest first; "" is any.
type ProposalFilter struct {
	Status   string
	Kind     string
	Ontology string
	Limit    int // 1 to 500
}

// Validate reports every rule that f breaks.
func (f ProposalFilter) Validate() error {
	var r check.Rules
	if f.Status != "" {
		r.Add("query", "status", check.OneOf(f.Status, ProposalStatuses()...))
	}
	if f.Kind != "" {
		r.Add("query", "proposal_type", check.OneOf(f.Kind, ProposalPromotion, ProposalDemotion, ProposalMerge, ProposalReassignment))
	}
	r.Add("query", "ontology", check.OptionalName(f.Ontology, kappa.MaxOntologyName))
	r.Add("query", "limit", check.Range(f.Limit, 1, 500))
	return r.Err()
}

// ProposalReview is a person's decision about a proposal.
type ProposalReview struct {
	ID     int
	Status string // approved or rejected
	Notes  string
	By     string // a user name, or the id of a job that decides by itself
}

// Validate reports every rule that r breaks.
func (v ProposalReview) Validate() error {
	var r check.Rules
	r.Add("body", "status", check.OneOf(v.Status, ProposalApproved, ProposalRejected))
	r.Add("body", "notes", check.OptionalName(v.Notes, 2000))
	return r.Err()
}

// ProposalStep is how far the execution of a proposal is.
type ProposalStep struct {
	Kind     string `json:"proposal_type"`
	From     string `json:"from_ontology"`
	To       string `json:"to_ontology"`
	Moved    int    `json:"sources_reassigned"`
	Files    int    `json:"documents_moved"` // touched: whole, or with some of their chunks
	Left     int    `json:"-"`               // documents that wait
	Removed  bool   `json:"ontology_node_deleted"`
	Created  bool   `json:"ontology_created"`
	Finished bool   `json:"-"`
}

// Reassignment moves chunks of an ontology to another one; without chunks all of it, and
// the ontology goes.
type Reassignment struct {
	From, To  string
	SourceIDs []string // nil: the ontology is dissolved
	By        string
	DryRun    bool // only count
}

// maxReassigned is how many chunks one request may move.
const maxReassigned = 10_000

// Validate reports every rule that m breaks.
func (m Reassignment) Validate() error {
	var r check.Rules
	r.Add("body", "target_ontology", check.Name(m.To, kappa.MaxOntologyName))
	if m.From == m.To {
		r.Add("body", "target_ontology", "must be another ontology")
	}
	if m.SourceIDs != nil {
		r.Add("body", "source_ids", check.Range(len(m.SourceIDs), 1, maxReassigned))
	}
	return r.Err()
}

// ProposalJob is the data of a job of the type proposal_execution.
type ProposalJob struct {
	ProposalID  int    `json:"proposal_id"`
	TriggeredBy string `json:"triggered_by"` // a user name, or the id of a job
}
