package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// Vocabulary is the types of relationships: measured, added, merged.
type Vocabulary struct{ c *Client }

// Status says how large the vocabulary of relationship types is.
func (s Vocabulary) Status(ctx context.Context) (vocabulary.Status, error) {
	return fetch[vocabulary.Status](ctx, s.c, get("/vocabulary/status", nil))
}

// Types returns the relationship types by name, with or without those that
// every installation knows.
func (s Vocabulary) Types(ctx context.Context, builtin bool) ([]vocabulary.Type, error) {
	out, err := fetch[struct {
		Types []vocabulary.Type `json:"types"`
	}](ctx, s.c, get("/vocabulary/types", url.Values{"include_builtin": {strconv.FormatBool(builtin)}}))
	return out.Types, err
}

// AddType adds a relationship type. Its Error has kappa.CodeConflict when there is one.
func (s Vocabulary) AddType(ctx context.Context, name, category, description string) (vocabulary.Type, error) {
	body := map[string]string{"relationship_type": name}
	if category != "" {
		body["category"] = category
	}
	if description != "" {
		body["description"] = description
	}
	return fetchJSONOnce[vocabulary.Type](ctx, s.c, http.MethodPost, "/vocabulary/types", body)
}

// SimilarTypes are the types that are most like one.
type SimilarTypes struct {
	Type     string                   `json:"relationship_type"`
	Compared int                      `json:"total_compared"`
	Similar  []vocabulary.SimilarType `json:"similar_types"`
}

// Similar returns the types that are most like one, or with least those that are
// least.
func (s Vocabulary) Similar(ctx context.Context, name string, limit int, least bool) (SimilarTypes, error) {
	return fetch[SimilarTypes](ctx, s.c, get("/vocabulary/similar/"+url.PathEscape(name), url.Values{"limit": {strconv.Itoa(limit)}, "reverse": {strconv.FormatBool(least)}}))
}

// TypeAnalysis says what a type is like.
type TypeAnalysis struct {
	Type       string                      `json:"relationship_type"`
	Category   string                      `json:"category"`
	Builtin    bool                        `json:"is_builtin"`
	Edges      int                         `json:"usage_count"`
	Scores     *vocabulary.CategoryScores  `json:"category_scores"` // nil without an embedding
	Similar    []vocabulary.SimilarType    `json:"most_similar"`
	Candidates []vocabulary.MergeCandidate `json:"merge_candidates"`
	Misplaced  bool                        `json:"potential_misclassification"`
	Fit        float64                     `json:"category_fit"` // 0 to 1
	Suggestion *string                     `json:"suggestion"`   // nil when the category fits
}

// Analyze says what a type is like, and what it might be merged with.
func (s Vocabulary) Analyze(ctx context.Context, name string) (TypeAnalysis, error) {
	return fetch[TypeAnalysis](ctx, s.c, get("/vocabulary/analyze/"+url.PathEscape(name), nil))
}

// EpistemicStatuses are the statuses of relationship types, and when they were measured.
type EpistemicStatuses struct {
	Types   []vocabulary.TypeEpistemic `json:"types"`
	Last    *kappa.Time                `json:"last_measurement_at"`                  // nil: never
	Changes *int                       `json:"vocabulary_changes_since_measurement"` // types that were added since
	Epoch   *int64                     `json:"measured_epoch"`                       // of the graph
}

// EpistemicStatuses returns the relationship types that have a status, or all for "".
func (s Vocabulary) EpistemicStatuses(ctx context.Context, status string) (EpistemicStatuses, error) {
	query := url.Values{}
	if status != "" {
		query.Set("status_filter", status)
	}
	return fetch[EpistemicStatuses](ctx, s.c, get("/vocabulary/epistemic-status", query))
}

// EpistemicStatus returns the status of one relationship type, in whatever case.
func (s Vocabulary) EpistemicStatus(ctx context.Context, name string) (vocabulary.TypeEpistemic, error) {
	return fetch[vocabulary.TypeEpistemic](ctx, s.c, get("/vocabulary/epistemic-status/"+url.PathEscape(strings.ToUpper(name)), nil))
}

// Measurement asks for the epistemic statuses to be measured now.
type Measurement struct {
	SampleSize int  `json:"sample_size,omitempty"` // 1 to 10,000 edges of each type; 0 leaves it to the server
	Store      bool `json:"store"`
	Verbose    bool `json:"verbose"` // show all types, and not the ten with the most edges
}

// Measured is what a measurement found out.
type Measured struct {
	Message         string                     `json:"message"`
	TotalTypes      int                        `json:"total_types"`
	Stored          int                        `json:"stored_count"`
	Classifications map[string]int             `json:"classifications"` // how many types have each status
	Results         []vocabulary.TypeEpistemic `json:"sample_results"`
}

// Measure measures the epistemic status of every relationship type.
func (s Vocabulary) Measure(ctx context.Context, m Measurement) (Measured, error) {
	return surveyed[Measured](ctx, s.c, "/vocabulary/epistemic-status/measure", m)
}

// Settings returns how large the vocabulary may be, and how it is merged.
func (s Vocabulary) Settings(ctx context.Context) (vocabulary.Settings, error) {
	return fetch[vocabulary.Settings](ctx, s.c, get("/vocabulary/config", nil))
}

// SetSettings changes the settings that are named.
func (s Vocabulary) SetSettings(ctx context.Context, changes map[string]any) (vocabulary.Settings, error) {
	return fetchJSON[vocabulary.Settings](ctx, s.c, http.MethodPut, "/vocabulary/config", changes)
}
