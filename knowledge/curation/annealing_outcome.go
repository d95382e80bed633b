package curation

import (
	"fmt"

	"github.com/kappagraph/kappa/work"
)

// Annealed is what an annealing has found.
type Annealed struct {
	Proposals  []Proposal          `json:"-"`                   // that are new, or of a dry run would be
	Generated  int                 `json:"proposals_generated"` // 0 of a dry run
	Demotions  int                 `json:"demotion_candidates"`
	Promotions int                 `json:"promotion_candidates"`
	Merges     int                 `json:"merge_candidates"`
	Candidates AnnealingCandidates `json:"candidates"`
	Scores     int                 `json:"scores_updated"`
	Centroids  int                 `json:"centroids_updated"` // always 0: none are kept
	Created    int                 `json:"edges_created"`
	Deleted    int                 `json:"edges_deleted"`
	Epoch      int64               `json:"cycle_epoch"`
	DryRun     bool                `json:"dry_run"`
	IDs        []int               `json:"proposal_ids"`
	Dispatched int                 `json:"auto_dispatched"`
}

// AnnealingCandidates are the ontologies and concepts that an annealing has examined as
// candidates of a change. Not every candidate is proposed: it takes an ontology to join, or
// documents of its own, and no more are proposed than were asked for.
type AnnealingCandidates struct {
	Demotions  []DemotionCandidate  `json:"demotions"`
	Promotions []PromotionCandidate `json:"promotions"`
	Merges     []MergingCandidate   `json:"merges"`
}

// DemotionCandidate is an ontology whose protection is below the threshold.
type DemotionCandidate struct {
	Ontology   string  `json:"ontology"`
	Protection float64 `json:"protection"`
	Target     *string `json:"target_ontology"` // that shares the most with it; null: none shares enough
}

// PromotionCandidate is a concept with relationships enough for an ontology of its own.
type PromotionCandidate struct {
	Concept   string `json:"concept"` // its label
	ConceptID string `json:"concept_id"`
	Ontology  string `json:"ontology"`
	Degree    int    `json:"degree"`
}

// MergingCandidate is an ontology that a larger one holds most of.
type MergingCandidate struct {
	Ontology string  `json:"ontology"`
	Target   string  `json:"target_ontology"`
	Affinity float64 `json:"affinity_score"`
}

// ProposedChange is a proposal as the result of an annealing shows it.
type ProposedChange struct {
	ID        int     `json:"id"` // 0: of a dry run
	Kind      string  `json:"proposal_type"`
	Ontology  string  `json:"ontology_name"`
	Target    *string `json:"target_ontology"`
	Suggested *string `json:"suggested_name"`
	Reasoning string  `json:"reasoning"`
}

// AnnealingOutcome is the result of a job of the type ontology_annealing.
type AnnealingOutcome struct {
	Status string `json:"status"`
	Annealed
	Proposed []ProposedChange `json:"proposals"` // that are new, or of a dry run would be
}

// NewAnnealingOutcome returns the result of an annealing.
func NewAnnealingOutcome(found Annealed) AnnealingOutcome {
	o := AnnealingOutcome{Status: string(work.StatusCompleted), Annealed: found, Proposed: []ProposedChange{}}
	for _, p := range found.Proposals {
		o.Proposed = append(o.Proposed, ProposedChange{p.ID, p.Kind, p.Ontology, p.Target, p.SuggestedName, p.Reasoning})
	}
	return o
}

// Message says in a sentence what was found.
func (o AnnealingOutcome) Message() string {
	if o.DryRun {
		return fmt.Sprintf("Would propose %d changes.", len(o.Proposed))
	}
	return fmt.Sprintf("Proposed %d changes, and accepted %d of them.", o.Generated, o.Dispatched)
}
