package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// SimilarTypes are the types that are most like one.
type SimilarTypes struct {
	Type     string                   `json:"relationship_type"`
	Compared int                      `json:"total_compared"`
	Similar  []vocabulary.SimilarType `json:"similar_types"`
}

// SimilarTypes returns the types that are most like one, or with least those that are
// least.
func (c *Client) SimilarTypes(ctx context.Context, name string, limit int, least bool) (SimilarTypes, error) {
	return fetch[SimilarTypes](ctx, c, get("/vocabulary/similar/"+url.PathEscape(name), url.Values{"limit": {strconv.Itoa(limit)}, "reverse": {strconv.FormatBool(least)}}))
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

// AnalyzeType says what a type is like, and what it might be merged with.
func (c *Client) AnalyzeType(ctx context.Context, name string) (TypeAnalysis, error) {
	return fetch[TypeAnalysis](ctx, c, get("/vocabulary/analyze/"+url.PathEscape(name), nil))
}

// MergeReport says what a merge has done, or its undo.
type MergeReport struct {
	Success bool   `json:"success"`
	DryRun  bool   `json:"dry_run"`
	Message string `json:"message"`
	vocabulary.Merge
}

// MergeTypes merges a relationship type into another one; a dry run only says what would
// be moved.
func (c *Client) MergeTypes(ctx context.Context, m vocabulary.NewMerge, dryRun bool) (MergeReport, error) {
	return fetchJSONOnce[MergeReport](ctx, c, http.MethodPost, "/vocabulary/merge", map[string]any{
		"deprecated_type": m.Source, "target_type": m.Target, "reason": m.Reason, "dry_run": dryRun,
	})
}

// UndoMerge gives a type back what a merge took from it. Its Error has kappa.CodeConflict
// for one that a later merge builds on.
func (c *Client) UndoMerge(ctx context.Context, id int) (MergeReport, error) {
	return fetchOnce[MergeReport](ctx, c, withForm("/vocabulary/merges/"+strconv.Itoa(id)+"/undo", nil))
}

// Merges returns the last merges, newest first.
func (c *Client) Merges(ctx context.Context, limit int) ([]vocabulary.Merge, error) {
	out, err := fetch[struct {
		Merges []vocabulary.Merge `json:"merges"`
	}](ctx, c, get("/vocabulary/merges", url.Values{"limit": {strconv.Itoa(limit)}}))
	return out.Merges, err
}

// VocabularyReviews returns the pairs of a status that may mean the same; "all" is any.
func (c *Client) VocabularyReviews(ctx context.Context, status string) ([]vocabulary.Review, error) {
	out, err := fetch[struct {
		Reviews []vocabulary.Review `json:"reviews"`
	}](ctx, c, get("/vocabulary/reviews", url.Values{"status": {status}}))
	return out.Reviews, err
}

// DecideVocabularyReview accepts a pair, which merges it, or rejects it.
func (c *Client) DecideVocabularyReview(ctx context.Context, source, target string, accept bool) error {
	action := "reject"
	if accept {
		action = "accept"
	}
	_, err := fetchJSON[struct{}](ctx, c, http.MethodPost, "/vocabulary/reviews", map[string]string{"source": source, "target": target, "action": action})
	return err
}

// Consolidate has types merged that mean the same, by a job, and does not wait for it.
func (c *Client) Consolidate(ctx context.Context, o curation.Consolidation) (JobReply, error) {
	return fetchJSONOnce[JobReply](ctx, c, http.MethodPost, "/vocabulary/consolidate", struct {
		curation.Consolidation
		Wait bool `json:"wait"`
	}{Consolidation: o})
}

// RefreshCategories has types sorted into categories, by a job, and does not wait for it.
func (c *Client) RefreshCategories(ctx context.Context, onlyComputed bool) (JobReply, error) {
	return fetchJSONOnce[JobReply](ctx, c, http.MethodPost, "/vocabulary/refresh-categories", map[string]bool{"only_computed": onlyComputed, "wait": false})
}

// GenerateEmbeddings has types embedded, by a job, and does not wait for it.
func (c *Client) GenerateEmbeddings(ctx context.Context, onlyMissing bool) (JobReply, error) {
	return fetchJSONOnce[JobReply](ctx, c, http.MethodPost, "/vocabulary/generate-embeddings", map[string]bool{"only_missing": onlyMissing, "wait": false})
}

// AddType adds a relationship type. Its Error has kappa.CodeConflict when there is one.
func (c *Client) AddType(ctx context.Context, name, category, description string) (vocabulary.Type, error) {
	body := map[string]string{"relationship_type": name}
	if category != "" {
		body["category"] = category
	}
	if description != "" {
		body["description"] = description
	}
	return fetchJSONOnce[vocabulary.Type](ctx, c, http.MethodPost, "/vocabulary/types", body)
}

// VocabularySettings returns how large the vocabulary may be, and how it is merged.
func (c *Client) VocabularySettings(ctx context.Context) (vocabulary.Settings, error) {
	return fetch[vocabulary.Settings](ctx, c, get("/vocabulary/config", nil))
}

// SetVocabularySettings changes the settings that are named.
func (c *Client) SetVocabularySettings(ctx context.Context, changes map[string]any) (vocabulary.Settings, error) {
	return fetchJSON[vocabulary.Settings](ctx, c, http.MethodPut, "/vocabulary/config", changes)
}
