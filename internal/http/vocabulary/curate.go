package vocabulary

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// comparer compares relationship types. An unknown one is CodeNotFound.
type comparer interface {
	Word(ctx context.Context, name string) (vocabulary.TypeWord, []vocabulary.TypeWord, error)
}

// merges merges relationship types, and undoes it.
type merges interface {
	MergeTypes(ctx context.Context, m vocabulary.NewMerge, c *work.Claim, next func(id int) work.Checkpoint) (vocabulary.Merge, error)
	PreviewMerge(ctx context.Context, m vocabulary.NewMerge) (vocabulary.Merge, error)
	UndoMerge(ctx context.Context, id int) (vocabulary.Merge, error)
	// Merges returns the last ones, or for an id other than 0 that one.
	Merges(ctx context.Context, id, most int) ([]vocabulary.Merge, error)
}

// reviews are pairs that a person decides about.
type reviews interface {
	Reviews(ctx context.Context, status string) ([]vocabulary.Review, error)
	AcceptReview(ctx context.Context, m vocabulary.NewMerge) (vocabulary.Merge, error)
	RejectReview(ctx context.Context, source, target, by string) error
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

func (a *API) registerCurating(r *http.Router) {
	read := func(path, id, summary string) http.Route {
		return http.Route{Method: "GET", Path: path, Permission: access.VocabularyRead, ID: "vocabulary." + id, Summary: summary}
	}
	write := func(method, path, id, summary string) http.Route {
		return http.Route{Method: method, Path: path, Permission: access.VocabularyWrite, ID: "vocabulary." + id, Summary: summary}
	}
	submit := func(path, id, summary string) http.Route {
		route := write("POST", path, id, summary)
		route.Submits = true
		return route
	}
	work := func(path, id, summary string) http.Route {
		route := submit(path, id, summary)
		route.AnswerWithin = http.AwaitingWithin
		return route
	}
	http.Register(r, read("/vocabulary/similar/{type}", "similar", "List the types that are most like one"), a.similar)
	http.Register(r, read("/vocabulary/category-scores/{type}", "category-scores", "Say how like a type is to each category"), a.categoryScores)
	http.Register(r, read("/vocabulary/analyze/{type}", "analyze", "Say what a type is like, and what it might be merged with"), a.analyze)
	http.Register(r, read("/vocabulary/merges", "merges", "List the merges, newest first"), a.listMerges)
	http.Register(r, read("/vocabulary/reviews", "reviews", "List the pairs that may mean the same"), a.listReviews)
	http.Register(r, submit("/vocabulary/merge", "merge", "Merge a type into another one"), a.merge)
	http.Register(r, submit("/vocabulary/merges/{id}/undo", "undo-merge", "Undo a merge"), a.undo)
	http.Register(r, write("POST", "/vocabulary/reviews", "review", "Accept or reject a pair"), a.review)
	http.Register(r, work("/vocabulary/consolidate", "consolidate", "Merge types that mean the same, in a job"), a.consolidate)
	http.Register(r, work("/vocabulary/refresh-categories", "refresh-categories", "Sort types into categories, in a job"), a.refresh)
	http.Register(r, work("/vocabulary/generate-embeddings", "generate-embeddings", "Embed types, in a job"), a.embed)
	a.registerSettings(r)
	a.registerTypes(r)
}

type mergeInput struct{ Body mergeTypesRequest }

type mergeTypesRequest struct {
	Source string `json:"deprecated_type" doc:"Is merged into the other one"`
	Target string `json:"target_type"`
	Reason string `json:"reason,omitempty" doc:"At most 500 characters"`
	DryRun *bool  `json:"dry_run,omitempty" default:"false" doc:"Only say what would be moved"`
}

func (a *API) merge(ctx context.Context, in *mergeInput) (api.MergeReport, error) {
	m := vocabulary.NewMerge{Source: strings.ToUpper(in.Body.Source), Target: strings.ToUpper(in.Body.Target), Reason: in.Body.Reason, By: http.PrincipalOf(ctx).User.Username}
	if err := m.Validate(); err != nil {
		return api.MergeReport{}, err
	}
	if *in.Body.DryRun {
		found, err := a.cfg.Merges.PreviewMerge(ctx, m)
		return api.MergeReport{Success: true, DryRun: true, Message: fmt.Sprintf("Would merge %s into %s: %d edges", m.Source, m.Target, found.Edges), Merge: found}, err
	}
	done, err := a.cfg.Merges.MergeTypes(ctx, m, nil, nil)
	return api.MergeReport{Success: true, Message: fmt.Sprintf("Merged %s into %s: %d edges. Undo it with merge %d.", m.Source, m.Target, done.Edges, done.ID), Merge: done}, err
}

type undoInput struct {
	ID string `path:"id" doc:"The number of a merge"`
}

func (a *API) undo(ctx context.Context, in *undoInput) (api.MergeReport, error) {
	id, err := strconv.ParseInt(in.ID, 10, 32)
	if err != nil || id <= 0 {
		return api.MergeReport{}, kappa.NewError(kappa.CodeNotFound, "Merge not found: "+http.Printable(in.ID))
	}
	undone, err := a.cfg.Merges.UndoMerge(ctx, int(id))
	return api.MergeReport{Success: true, Message: fmt.Sprintf("%s is a type of its own again", undone.Source), Merge: undone}, err
}

type mergesInput struct {
	Limit int `query:"limit" default:"50" doc:"1 to 500"`
}

func (a *API) listMerges(ctx context.Context, in *mergesInput) (api.TypeMerges, error) {
	if err := check.Limit(in.Limit, 500); err != nil {
		return api.TypeMerges{}, err
	}
	list, err := a.cfg.Merges.Merges(ctx, 0, in.Limit)
	return api.TypeMerges{Merges: list}, err
}

type reviewsInput struct {
	Status string `query:"status" default:"open" doc:"open, accepted, rejected, or all"`
}

func (a *API) listReviews(ctx context.Context, in *reviewsInput) (api.ReviewList, error) {
	status := in.Status
	switch status {
	case "all":
		status = ""
	case vocabulary.ReviewOpen, vocabulary.ReviewAccepted, vocabulary.ReviewRejected:
	default:
		return api.ReviewList{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "status", Rule: "must be one of open, accepted, rejected, all, got " + strconv.Quote(http.Printable(in.Status))})
	}
	list, err := a.cfg.Reviews.Reviews(ctx, status)
	return api.ReviewList{Total: len(list), Reviews: list}, err
}

type reviewInput struct{ Body vocabularyReviewRequest }

type vocabularyReviewRequest struct {
	_      struct{} `additionalProperties:"false"`
	Source string   `json:"source"`
	Target string   `json:"target"`
	Action string   `json:"action" doc:"accept, which merges, or reject: the pair is not proposed again"`
}

type vocabularyReviewReport struct {
	Success bool   `json:"success"`
	Status  string `json:"status"`
	MergeID *int   `json:"merge_id"`
}

func (a *API) review(ctx context.Context, in *reviewInput) (vocabularyReviewReport, error) {
	by := http.PrincipalOf(ctx).User.Username
	m := vocabulary.NewMerge{Source: strings.ToUpper(in.Body.Source), Target: strings.ToUpper(in.Body.Target), Reason: "accepted by " + by, By: by}
	if err := m.Validate(); err != nil {
		return vocabularyReviewReport{}, err
	}
	switch in.Body.Action {
	case "reject":
		return vocabularyReviewReport{true, vocabulary.ReviewRejected, nil}, a.cfg.Reviews.RejectReview(ctx, m.Source, m.Target, by)
	case "accept":
		done, err := a.cfg.Reviews.AcceptReview(ctx, m)
		return vocabularyReviewReport{true, vocabulary.ReviewAccepted, &done.ID}, err
	}
	return vocabularyReviewReport{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "action", Rule: "must be one of accept, reject, got " + strconv.Quote(http.Printable(in.Body.Action))})
}
