package vocabulary

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// awaiter waits for the end of jobs; see http.Awaiter.
type awaiter interface {
	Await(ctx context.Context, id string) (work.Job, error)
}

type consolidateInput struct{ Body consolidateTypesRequest }

type consolidateTypesRequest struct {
	TargetSize    *int     `json:"target_size,omitempty" default:"90" doc:"No further types are merged at this size"`
	AutoMode      *bool    `json:"auto_mode,omitempty" default:"true" doc:"Merge what is similar enough; otherwise all is for a person"`
	DryRun        *bool    `json:"dry_run,omitempty" default:"false" doc:"Only say what would be done"`
	BatchSize     *int     `json:"batch_size,omitempty" default:"5" doc:"Merges until the types are compared anew, 1 to 100"`
	AutoThreshold *float64 `json:"auto_execute_threshold,omitempty" doc:"Of the similarity, 0.5 to 1; default: that of the configuration"`
	PruneUnused   *bool    `json:"prune_unused,omitempty" default:"false" doc:"First remove the types that documents brought in and that nothing uses"`
	Wait          *bool    `json:"wait,omitempty" default:"true" doc:"Answer when the job has ended, with what it has done; otherwise at once, without it"`
}

// consolidated is the job, and what it has done when that was awaited.
type consolidated struct {
	api.JobReply
	*curation.ConsolidationOutcome
	Status work.Status `json:"status" doc:"Of the job"`
}

// TransformSchema completes the description of the answer.
func (consolidated) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return http.OnlyWhenAwaited(s)
}

func (a *API) consolidate(ctx context.Context, in *consolidateInput) (consolidated, error) {
	b := in.Body
	o := curation.Consolidation{TargetSize: *b.TargetSize, AutoMode: *b.AutoMode, DryRun: *b.DryRun, BatchSize: *b.BatchSize, PruneUnused: *b.PruneUnused}
	settings, err := a.cfg.Settings.VocabularySettings(ctx)
	if err != nil {
		return consolidated{}, err
	}
	o.AutoThreshold = settings.AutoThreshold
	change(&o.AutoThreshold, b.AutoThreshold)
	if err := o.Validate(""); err != nil {
		return consolidated{}, err
	}
	job, done, err := submit[curation.ConsolidationOutcome](ctx, a, vocabulary.TypeConsolidate, o, *b.Wait)
	if done != nil {
		job.Message = done.Message()
	}
	return consolidated{JobReply: job, ConsolidationOutcome: done, Status: job.Status}, err
}

type refreshInput struct{ Body refreshCategoriesRequest }

type refreshCategoriesRequest struct {
	OnlyComputed *bool `json:"only_computed,omitempty" default:"true" doc:"Leave the categories alone that nobody computed"`
	Wait         *bool `json:"wait,omitempty" default:"true" doc:"Answer when the job has ended, with what it has done; otherwise at once, without it"`
}

// CategoriesOutcome is what sorting types into categories has done. It is exported because
// the description of a body leaves embedded types out that are not.
type CategoriesOutcome struct {
	Success     bool                        `json:"success" doc:"None has failed"`
	Refreshed   int                         `json:"refreshed_count"`
	Ambiguous   int                         `json:"ambiguous_count" doc:"Of them, those that are about as similar to another category"`
	Skipped     int                         `json:"skipped_count" doc:"Built-in types, and those whose category was to stay"`
	Failed      int                         `json:"failed_count" doc:"Types without an embedding"`
	Assignments []vocabulary.CategoryScores `json:"assignments" doc:"The first ten"`
}

type refreshedCategories struct {
	api.JobReply
	*CategoriesOutcome
}

// TransformSchema completes the description of the answer.
func (refreshedCategories) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return http.OnlyWhenAwaited(s)
}

func (a *API) refresh(ctx context.Context, in *refreshInput) (refreshedCategories, error) {
	job, done, err := submit[CategoriesOutcome](ctx, a, vocabulary.TypeRefresh, map[string]bool{"only_computed": *in.Body.OnlyComputed}, *in.Body.Wait)
	if done != nil {
		done.Success = done.Failed == 0
		job.Message = fmt.Sprintf("Sorted into categories: %d. Left as they are: %d.", done.Refreshed, done.Skipped)
	}
	return refreshedCategories{job, done}, err
}

type embedInput struct{ Body embedTypesRequest }

type embedTypesRequest struct {
	OnlyMissing *bool `json:"only_missing,omitempty" default:"true" doc:"Only types whose embedding is missing or stale"`
	Force       *bool `json:"force_regenerate,omitempty" default:"false" doc:"All types, whatever only_missing says"`
	Wait        *bool `json:"wait,omitempty" default:"true" doc:"Answer when the job has ended, with what it has done; otherwise at once, without it"`
}

// EmbeddingsOutcome is what embedding types has done. It is exported because the description
// of a body leaves embedded types out that are not.
type EmbeddingsOutcome struct {
	Success   bool `json:"success" doc:"None has failed"`
	Generated int  `json:"generated"`
	Skipped   int  `json:"skipped" doc:"Types whose embedding was there"`
	Failed    int  `json:"failed"`
}

type embeddedTypes struct {
	api.JobReply
	*EmbeddingsOutcome
}

// TransformSchema completes the description of the answer.
func (embeddedTypes) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return http.OnlyWhenAwaited(s)
}

func (a *API) embed(ctx context.Context, in *embedInput) (embeddedTypes, error) {
	b := in.Body
	type result struct {
		Processed int `json:"processed_count"`
		Skipped   int `json:"skipped_count"`
		Failed    int `json:"failed_count"`
	}
	job, done, err := submit[result](ctx, a, vocabulary.TypeEmbedding, map[string]bool{"only_missing": *b.OnlyMissing && !*b.Force}, *b.Wait)
	if done == nil {
		return embeddedTypes{JobReply: job}, err
	}
	job.Message = fmt.Sprintf("Embedded: %d. Left as they are: %d.", done.Processed, done.Skipped)
	return embeddedTypes{job, &EmbeddingsOutcome{Success: done.Failed == 0, Generated: done.Processed, Skipped: done.Skipped, Failed: done.Failed}}, nil
}

// submit submits a job of the user, which is approved at once. When it is to wait, it
// returns what the job has done as well.
func submit[T any](ctx context.Context, a *API, jobType string, data any, wait bool) (api.JobReply, *T, error) {
	p := http.PrincipalOf(ctx)
	if err := p.Permit(access.JobsWrite); err != nil {
		return api.JobReply{}, nil, err
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: jobType, Queue: work.DefaultQueue, Data: http.EncodeJSON(data), AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil || !wait {
		return http.Approved(job), nil, err
	}
	if job, err = a.cfg.Ends.Await(ctx, job.ID); err != nil {
		return api.JobReply{}, nil, err
	}
	done := new(T)
	if err := json.Unmarshal(job.Result, done); err != nil {
		return api.JobReply{}, nil, fmt.Errorf("decode the result of %s: %w", job.ID, err)
	}
	return api.JobReply{JobID: job.ID, Status: job.Status}, done, nil
}
