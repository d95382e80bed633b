package knowledge

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// NewConceptMerge asks for two concepts to become one.
type NewConceptMerge struct {
	Keep   string   `json:"keep" doc:"The id of the concept that stays, with its label"`
	Merge  string   `json:"merge" doc:"The id of the concept that goes; its quotes, relationships and names go to the other one"`
	Reason string   `json:"reason,omitempty" doc:"Why, at most 500 characters"`
	Score  *float64 `json:"score,omitempty" doc:"How sure that is, 0 to 1"`
	DryRun bool     `json:"dry_run,omitempty" doc:"Change nothing, and say what would be merged"`
	By     string   `json:"-"` // a user name
}

// Validate reports every rule that m breaks.
func (m NewConceptMerge) Validate() error {
	var r check.Rules
	if m.Keep == m.Merge {
		r.Add("body", "merge", "must be another concept than keep")
	}
	r.Add("body", "reason", check.OptionalName(m.Reason, 500))
	if m.Score != nil {
		r.Add("body", "score", check.Between(*m.Score, 0, 1))
	}
	return kappa.JoinInvalid(CheckConceptID("body", "keep", m.Keep), CheckConceptID("body", "merge", m.Merge), r.Err())
}

// ConceptMerge is a merge of two concepts. What it moved is said when it is made only.
type ConceptMerge struct {
	ID          int         `json:"merge_id"`
	Kept        string      `json:"kept_concept_id"`
	KeptLabel   string      `json:"kept_label"`
	Merged      string      `json:"merged_concept_id"`
	MergedLabel string      `json:"merged_label"`
	Reason      string      `json:"reason"`
	Score       *float64    `json:"score"`
	By          string      `json:"made_by"`
	At          kappa.Time  `json:"merged_at"`
	UndoneAt    *kappa.Time `json:"undone_at"`

	DryRun             bool `json:"dry_run,omitempty" doc:"Nothing was changed, and merge_id is 0"`
	InstancesMoved     *int `json:"instances_moved,omitempty"`
	RelationshipsMoved *int `json:"relationships_moved,omitempty"`
}

// Preview reports whether m is of a dry run.
func (m ConceptMerge) Preview() bool { return m.DryRun }

// NewConceptSplit asks for what is said under some labels to become a concept of its own.
type NewConceptSplit struct {
	ConceptID string
	Labels    []string // as mentions have them; case and white space do not count
	Block     bool     // matching never takes the two for one again
	DryRun    bool     // nothing is changed
	Reason    string
	By        string
}

// Validate reports every rule that s breaks.
func (s NewConceptSplit) Validate() error {
	var r check.Rules
	if len(s.Labels) == 0 || len(s.Labels) > 100 {
		r.Add("body", "labels", "must have 1 to 100 labels")
	}
	for _, l := range s.Labels {
		r.Add("body", "labels", check.Name(l, maxConceptLabel))
	}
	r.Add("body", "reason", check.OptionalName(s.Reason, 500))
	return kappa.JoinInvalid(CheckConceptID("path", "id", s.ConceptID), r.Err())
}

// ConceptSplit is what a split has made of one concept.
type ConceptSplit struct {
	Kept      string `json:"kept_concept_id"`
	KeptLabel string `json:"kept_label"`
	New       string `json:"new_concept_id"`
	NewLabel  string `json:"new_label"`
	Mentions  int    `json:"mentions_moved"`
	Blocked   bool   `json:"blocked"`
	DryRun    bool   `json:"dry_run,omitempty" doc:"Nothing was changed, and new_concept_id is empty"`
}

// Preview reports whether s is of a dry run.
func (s ConceptSplit) Preview() bool { return s.DryRun }

// ConceptMention is a chunk that speaks of a concept, and how it was found that it does.
type ConceptMention struct {
	Label      string   `json:"label"`
	MatchedBy  *string  `json:"matched_by" doc:"name, alias or embedding; null for the mention that made the concept"`
	Score      *float64 `json:"score" doc:"Cosine similarity of the embeddings, -1 to 1"`
	DocumentID string   `json:"document_id"`
	Filename   string   `json:"filename"`
	Ontology   string   `json:"ontology"`
	SourceID   string   `json:"source_id"`
	Chunk      int      `json:"chunk_number"`
}

// How matching takes a mention for a known concept.
const (
	MatchedByName      = "name"
	MatchedByAlias     = "alias"
	MatchedByEmbedding = "embedding"
)

// NameBlock is a pair of names that matching never takes for one concept.
type NameBlock struct {
	A      string      `json:"a" doc:"In lower case, with white space folded"`
	B      string      `json:"b" doc:"In lower case, with white space folded"`
	Reason string      `json:"reason,omitempty" doc:"Why, at most 500 characters"`
	By     string      `json:"made_by,omitempty"`
	At     *kappa.Time `json:"blocked_at,omitempty"`
}

// Validate reports every rule that b breaks, and brings the names into their form.
func (b *NameBlock) Validate() error {
	var r check.Rules
	b.A, b.B = naming.LabelKey(b.A), naming.LabelKey(b.B)
	r.Add("body", "a", check.Name(b.A, maxConceptLabel))
	r.Add("body", "b", check.Name(b.B, maxConceptLabel))
	if b.A == b.B && b.A != "" {
		r.Add("body", "b", "must be another name than a")
	}
	r.Add("body", "reason", check.OptionalName(b.Reason, 500))
	return r.Err()
}
