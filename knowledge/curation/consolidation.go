package curation

import (
	"fmt"

	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// Consolidation says how types are merged that mean the same.
type Consolidation struct {
	TargetSize    int     `json:"target_size"`            // no further ones are merged at this size
	AutoMode      bool    `json:"auto_mode"`              // merge what is similar enough; otherwise all is for a person
	DryRun        bool    `json:"dry_run"`                // only say what would be done
	BatchSize     int     `json:"batch_size"`             // merges until the types are compared anew
	AutoThreshold float64 `json:"auto_execute_threshold"` // of the similarity
	PruneUnused   bool    `json:"prune_unused"`           // first remove the types that nothing uses, see Consolidated.PrunedTypes
}

// NewConsolidation returns one with the defaults.
func NewConsolidation() Consolidation {
	return Consolidation{TargetSize: 90, AutoMode: true, BatchSize: 5, AutoThreshold: 0.9}
}

// Validate reports every rule that c breaks; prefix is what is before the names.
func (c Consolidation) Validate(prefix string) error {
	var r check.Rules
	r.Add("body", prefix+"target_size", check.Range(c.TargetSize, 0, 10_000))
	r.Add("body", prefix+"batch_size", check.Range(c.BatchSize, 1, 100))
	r.Add("body", prefix+"auto_execute_threshold", check.Between(c.AutoThreshold, 0.5, 1))
	return r.Err()
}

// Consolidated is what a consolidation has done so far, or of a dry run would do.
type Consolidated struct {
	InitialSize int                         `json:"initial_size"`
	FinalSize   int                         `json:"final_size"`
	Merged      int                         `json:"auto_executed_count"`
	Review      int                         `json:"needs_review_count"`
	Rejected    int                         `json:"rejected_count"` // one says the reverse of the other, or a person has said no
	Pruned      int                         `json:"pruned_count"`
	Merges      []int                       `json:"merge_ids"`
	PrunedTypes []string                    `json:"pruned_types"` // that documents brought in, and that nothing needed any more
	Candidates  []vocabulary.MergeCandidate `json:"candidates"`   // the most similar ones, of a dry run what would be merged
	Executed    []ExecutedMerge             `json:"auto_executed"`
	Refused     []RefusedMerge              `json:"rejected"` // up to 200 of the pairs that were rejected
}

// ExecutedMerge is a pair that was merged, or of a dry run would be.
type ExecutedMerge struct {
	Source     string  `json:"deprecated"`
	Target     string  `json:"target"`
	Similarity float64 `json:"similarity"`
	Reason     string  `json:"reasoning"`
	Edges      int     `json:"edges_updated"`
	MergeID    int     `json:"merge_id"` // what undoes it; 0: it was not merged
	Error      *string `json:"error"`    // why it was not merged, when it was to be
}

// RefusedMerge is a pair that is similar enough, and must stay apart.
type RefusedMerge struct {
	First  string `json:"type1"`
	Second string `json:"type2"`
	Reason string `json:"reasoning"`
}

// MaxRefusedMerges is how many of them a consolidation lists.
const MaxRefusedMerges = 200

// ConsolidationOutcome is the result of a job of the type vocab_consolidate.
type ConsolidationOutcome struct {
	Status string `json:"status"`
	Consolidated
	Reduction int  `json:"size_reduction"`
	AutoMode  bool `json:"auto_mode"`
	DryRun    bool `json:"dry_run"`
}

// NewConsolidationOutcome returns the result of a consolidation.
func NewConsolidationOutcome(o Consolidation, done Consolidated) ConsolidationOutcome {
	return ConsolidationOutcome{string(work.StatusCompleted), done, done.InitialSize - done.FinalSize, o.AutoMode, o.DryRun}
}

// Message says in a sentence or two what was done.
func (o ConsolidationOutcome) Message() string {
	merged, pruned, left := "Merged", "removed", "are left"
	if o.DryRun {
		merged, pruned, left = "Would merge", "remove", "would be left"
	}
	text := fmt.Sprintf("%s %s and %s %s that nothing uses: %d of %d %s.", merged, countedTypes(o.Merged), pruned, countedTypes(o.Pruned), o.FinalSize, o.InitialSize, left)
	if o.Review > 0 {
		text += fmt.Sprintf(" Pairs that wait for a person: %d; kg vocab review list shows them.", o.Review)
	}
	return text
}

func countedTypes(n int) string {
	if n == 1 {
		return "1 type"
	}
	return fmt.Sprintf("%d types", n)
}
