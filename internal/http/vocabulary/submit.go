package vocabulary

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

type consolidateInput struct{ Body consolidateTypesRequest }

type consolidateTypesRequest struct {
	TargetSize    *int     `json:"target_size,omitempty" default:"90" doc:"No further types are merged at this size"`
	AutoMode      *bool    `json:"auto_mode,omitempty" default:"true" doc:"Merge what is similar enough; otherwise all is for a person"`
	DryRun        *bool    `json:"dry_run,omitempty" default:"false" doc:"Only say what would be done"`
	BatchSize     *int     `json:"batch_size,omitempty" default:"5" doc:"Merges until the types are compared anew, 1 to 100"`
	AutoThreshold *float64 `json:"auto_execute_threshold,omitempty" doc:"Of the similarity, 0.5 to 1; default: that of the configuration"`
}

func (a *API) consolidate(ctx context.Context, in *consolidateInput) (http.DecisionAnswer, error) {
	b := in.Body
	o := kappa.Consolidation{TargetSize: *b.TargetSize, AutoMode: *b.AutoMode, DryRun: *b.DryRun, BatchSize: *b.BatchSize}
	settings, err := a.cfg.Settings.VocabularySettings(ctx)
	if err != nil {
		return http.DecisionAnswer{}, err
	}
	o.AutoThreshold = settings.AutoThreshold
	change(&o.AutoThreshold, b.AutoThreshold)
	if err := o.Validate(""); err != nil {
		return http.DecisionAnswer{}, err
	}
	return a.submit(ctx, kappa.TypeVocabConsolidate, o)
}

type refreshInput struct{ Body refreshCategoriesRequest }

type refreshCategoriesRequest struct {
	OnlyComputed *bool `json:"only_computed,omitempty" default:"true" doc:"Leave the categories alone that nobody computed"`
}

func (a *API) refresh(ctx context.Context, in *refreshInput) (http.DecisionAnswer, error) {
	return a.submit(ctx, kappa.TypeVocabRefresh, map[string]bool{"only_computed": *in.Body.OnlyComputed})
}

type embedInput struct{ Body embedTypesRequest }

type embedTypesRequest struct {
	OnlyMissing *bool `json:"only_missing,omitempty" default:"true" doc:"Only types whose embedding is missing or stale"`
	Force       *bool `json:"force_regenerate,omitempty" default:"false" doc:"All types, whatever only_missing says"`
}

func (a *API) embed(ctx context.Context, in *embedInput) (http.DecisionAnswer, error) {
	return a.submit(ctx, kappa.TypeVocabEmbedding, map[string]bool{"only_missing": *in.Body.OnlyMissing && !*in.Body.Force})
}

// submit submits a job of the user, which is approved at once.
func (a *API) submit(ctx context.Context, jobType string, data any) (http.DecisionAnswer, error) {
	p := http.PrincipalOf(ctx)
	if err := p.Permit(kappa.JobsWrite); err != nil {
		return http.DecisionAnswer{}, err
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, kappa.NewJob{
		Type: jobType, Queue: kappa.DefaultQueue, Data: http.EncodeJSON(data), AutoApprove: true, MaxRetries: kappa.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil {
		return http.DecisionAnswer{}, err
	}
	return http.Approved(job), nil
}
