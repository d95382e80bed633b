package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// Merge merges a relationship type into another one; a dry run only says what would
// be moved.
func (s Vocabulary) Merge(ctx context.Context, m vocabulary.NewMerge, dryRun bool) (api.MergeReport, error) {
	return fetchJSONOnce[api.MergeReport](ctx, s.c, http.MethodPost, "/vocabulary/merge", map[string]any{
		"deprecated_type": m.Source, "target_type": m.Target, "reason": m.Reason, "dry_run": dryRun,
	})
}

// UndoMerge gives a type back what a merge took from it. Its Error has kappa.CodeConflict
// for one that a later merge builds on.
func (s Vocabulary) UndoMerge(ctx context.Context, id int) (api.MergeReport, error) {
	return fetchOnce[api.MergeReport](ctx, s.c, withForm("/vocabulary/merges/"+strconv.Itoa(id)+"/undo", nil))
}

// Merges returns the last merges, newest first.
func (s Vocabulary) Merges(ctx context.Context, limit int) ([]vocabulary.Merge, error) {
	out, err := fetch[api.TypeMerges](ctx, s.c, get("/vocabulary/merges", url.Values{"limit": {strconv.Itoa(limit)}}))
	return out.Merges, err
}

// Reviews returns the pairs of a status that may mean the same; "all" is any.
func (s Vocabulary) Reviews(ctx context.Context, status string) ([]vocabulary.Review, error) {
	out, err := fetch[api.ReviewList](ctx, s.c, get("/vocabulary/reviews", url.Values{"status": {status}}))
	return out.Reviews, err
}

// DecideReview accepts a pair, which merges it, or rejects it.
func (s Vocabulary) DecideReview(ctx context.Context, source, target string, accept bool) error {
	action := "reject"
	if accept {
		action = "accept"
	}
	_, err := fetchJSON[struct{}](ctx, s.c, http.MethodPost, "/vocabulary/reviews", map[string]string{"source": source, "target": target, "action": action})
	return err
}

// Consolidate has types merged that mean the same, by a job, and does not wait for it.
func (s Vocabulary) Consolidate(ctx context.Context, o curation.Consolidation) (api.JobReply, error) {
	return fetchJSONOnce[api.JobReply](ctx, s.c, http.MethodPost, "/vocabulary/consolidate", struct {
		curation.Consolidation
		Wait bool `json:"wait"`
	}{Consolidation: o})
}

// RefreshCategories has types sorted into categories, by a job, and does not wait for it.
func (s Vocabulary) RefreshCategories(ctx context.Context, onlyComputed bool) (api.JobReply, error) {
	return fetchJSONOnce[api.JobReply](ctx, s.c, http.MethodPost, "/vocabulary/refresh-categories", map[string]bool{"only_computed": onlyComputed, "wait": false})
}

// GenerateEmbeddings has types embedded, by a job, and does not wait for it.
func (s Vocabulary) GenerateEmbeddings(ctx context.Context, onlyMissing bool) (api.JobReply, error) {
	return fetchJSONOnce[api.JobReply](ctx, s.c, http.MethodPost, "/vocabulary/generate-embeddings", map[string]bool{"only_missing": onlyMissing, "wait": false})
}
