package api

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// SimilarTypes are the types that are most like one.
type SimilarTypes struct {
	Type     string                   `json:"relationship_type"`
	Category string                   `json:"category"`
	Compared int                      `json:"total_compared"`
	Similar  []vocabulary.SimilarType `json:"similar_types"`
}

// TypeAnalysis says what a type is like.
type TypeAnalysis struct {
	Type       string                      `json:"relationship_type"`
	Category   string                      `json:"category"`
	Builtin    bool                        `json:"is_builtin"`
	Edges      int                         `json:"usage_count"`
	Scores     *vocabulary.CategoryScores  `json:"category_scores"`
	Similar    []vocabulary.SimilarType    `json:"most_similar" doc:"The five most similar types"`
	Candidates []vocabulary.MergeCandidate `json:"merge_candidates" doc:"Pairs with it that are similar enough for a review"`
	Misplaced  bool                        `json:"potential_misclassification" doc:"It is more like another category than its own, or was not sorted yet"`

	Fit        float64                  `json:"category_fit" doc:"The greatest similarity to another built-in type of its category, 0 to 1; 1 for the only one"`
	Misfit     bool                     `json:"potential_miscategorization" doc:"The same as potential_misclassification"`
	Suggestion *string                  `json:"suggestion" doc:"What to do about that; null when there is nothing to do"`
	Same       []vocabulary.SimilarType `json:"most_similar_same_category" doc:"The five most similar types of its category"`
	Others     []vocabulary.SimilarType `json:"most_similar_other_categories" doc:"The five most similar types of other categories"`
}

// Measured is what a measurement found out.
type Measured struct {
	Success         bool                       `json:"success"`
	Message         string                     `json:"message"`
	At              kappa.Time                 `json:"measurement_timestamp"`
	TotalTypes      int                        `json:"total_types"`
	Stored          int                        `json:"stored_count"`
	Classifications map[string]int             `json:"classifications" doc:"How many types have each status"`
	Results         []vocabulary.TypeEpistemic `json:"sample_results" doc:"The types with the most edges, first"`
}

// MeasuredAt is when the statuses were measured, null when they never were. It is
// exported because the description of a body leaves embedded types out that are not.
type MeasuredAt struct {
	Last    *kappa.Time `json:"last_measurement_at"`
	Changes *int        `json:"vocabulary_changes_since_measurement" doc:"How many types were added since"`
	Epoch   *int64      `json:"measured_epoch" doc:"Of the graph, as of which they were measured"`
}

// EpistemicStatuses are the statuses of relationship types, and when they were measured.
type EpistemicStatuses struct {
	Total int                        `json:"total"`
	Types []vocabulary.TypeEpistemic `json:"types"`
	MeasuredAt
}

// TypeList are relationship types, and how many there are.
type TypeList struct {
	Total   int               `json:"total"`
	Active  int               `json:"active"`
	Builtin int               `json:"builtin"`
	Custom  int               `json:"custom"`
	Types   []vocabulary.Type `json:"types"`
}

// MergeReport says what a merge has done, or its undo.
type MergeReport struct {
	Success bool   `json:"success"`
	DryRun  bool   `json:"dry_run"`
	Message string `json:"message"`
	vocabulary.Merge
}

// TypeMerges are merges of relationship types, newest first.
type TypeMerges struct {
	Merges []vocabulary.Merge `json:"merges"`
}

// ReviewList are pairs of relationship types that may mean the same.
type ReviewList struct {
	Total   int                 `json:"total"`
	Reviews []vocabulary.Review `json:"reviews"`
}
