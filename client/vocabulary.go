package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/api"
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
	out, err := fetch[api.TypeList](ctx, s.c, get("/vocabulary/types", url.Values{"include_builtin": {strconv.FormatBool(builtin)}}))
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

// Similar returns the types that are most like one, or with least those that are
// least.
func (s Vocabulary) Similar(ctx context.Context, name string, limit int, least bool) (api.SimilarTypes, error) {
	return fetch[api.SimilarTypes](ctx, s.c, get("/vocabulary/similar/"+url.PathEscape(name), url.Values{"limit": {strconv.Itoa(limit)}, "reverse": {strconv.FormatBool(least)}}))
}

// Analyze says what a type is like, and what it might be merged with.
func (s Vocabulary) Analyze(ctx context.Context, name string) (api.TypeAnalysis, error) {
	return fetch[api.TypeAnalysis](ctx, s.c, get("/vocabulary/analyze/"+url.PathEscape(name), nil))
}

// EpistemicStatuses returns the relationship types that have a status, or all for "".
func (s Vocabulary) EpistemicStatuses(ctx context.Context, status string) (api.EpistemicStatuses, error) {
	query := url.Values{}
	if status != "" {
		query.Set("status_filter", status)
	}
	return fetch[api.EpistemicStatuses](ctx, s.c, get("/vocabulary/epistemic-status", query))
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

// Measure measures the epistemic status of every relationship type.
func (s Vocabulary) Measure(ctx context.Context, m Measurement) (api.Measured, error) {
	return surveyed[api.Measured](ctx, s.c, "/vocabulary/epistemic-status/measure", m)
}

// Settings returns how large the vocabulary may be, and how it is merged.
func (s Vocabulary) Settings(ctx context.Context) (vocabulary.Settings, error) {
	return fetch[vocabulary.Settings](ctx, s.c, get("/vocabulary/config", nil))
}

// SetSettings changes the settings that are named.
func (s Vocabulary) SetSettings(ctx context.Context, changes map[string]any) (vocabulary.Settings, error) {
	return fetchJSON[vocabulary.Settings](ctx, s.c, http.MethodPut, "/vocabulary/config", changes)
}
