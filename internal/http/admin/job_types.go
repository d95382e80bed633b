package admin

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// policies keeps what operators have chosen for job types.
type policies interface {
	Policies(ctx context.Context) (map[string]work.PolicyChange, error)
	// SetPolicy returns CodeInvalid when the settings do not go together.
	SetPolicy(ctx context.Context, t work.JobType, c work.PolicyChange) (work.PolicyChange, error)
}

type policyInput struct {
	Type string `path:"type" doc:"The name of a job type"`
	Body *policyBody
}

// policyBody is a PolicyChange that refuses what is no setting.
type policyBody struct {
	_ struct{} `additionalProperties:"false"`
	work.PolicyChange
}

func (a *API) registerJobTypes(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/job-types", Permission: access.WorkersView, ID: "workers.job-types", Summary: "List the job types: how they are retried, and their deadlines"}, a.jobTypes)
	http.Register(r, http.Route{Method: "PATCH", Path: "/admin/job-types/{type}", Permission: access.WorkersManage, ID: "workers.update-job-type", Summary: "Change how jobs of a type are retried, and their deadline; it acts at once"}, a.updateJobType)
}

func (a *API) jobTypes(ctx context.Context, _ *struct{}) (api.JobTypeList, error) {
	chosen, err := a.cfg.Policies.Policies(ctx)
	list := []work.JobTypePolicy{}
	for _, t := range a.cfg.Types.All() {
		list = append(list, t.WithPolicy(chosen[t.Name]))
	}
	return api.JobTypeList{JobTypes: list}, err
}

func (a *API) updateJobType(ctx context.Context, in *policyInput) (work.JobTypePolicy, error) {
	t, known := a.cfg.Types.Find(in.Type)
	if !known {
		return work.JobTypePolicy{}, kappa.NewError(kappa.CodeNotFound, "Job type not found: "+http.Printable(in.Type))
	}
	var change work.PolicyChange
	if in.Body != nil {
		change = in.Body.PolicyChange
	}
	if err := change.Validate(); err != nil {
		return work.JobTypePolicy{}, err
	}
	chosen, err := a.cfg.Policies.SetPolicy(ctx, t, change)
	return t.WithPolicy(chosen), err
}
