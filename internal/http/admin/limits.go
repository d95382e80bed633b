package admin

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// jobLimits keeps how much runs and starts at most.
type jobLimits interface {
	Limits(ctx context.Context) ([]work.Limit, error)
	// SetLimit returns CodeConflict for what is limited, or when too much is, and CodeNotFound
	// for a user who does not exist.
	SetLimit(ctx context.Context, l work.LimitRequest, by string) (work.Limit, error)
	// ChangeLimit returns CodeNotFound when there is no such limit.
	ChangeLimit(ctx context.Context, id int, u work.LimitUpdate, by string) (work.Limit, error)
	// RemoveLimit returns CodeNotFound when there is no such limit.
	RemoveLimit(ctx context.Context, id int) (work.Limit, error)
}

type limitInput struct {
	Body *limitBody
}

// limitBody is a LimitRequest that refuses what is no part of one.
type limitBody struct {
	_ struct{} `additionalProperties:"false"`
	work.LimitRequest
}

type limitUpdateInput struct {
	ID   int `path:"id" doc:"The number of a limit, its limit_id"`
	Body *limitUpdateBody
}

// limitUpdateBody is a LimitUpdate that refuses what is no part of one.
type limitUpdateBody struct {
	_ struct{} `additionalProperties:"false"`
	work.LimitUpdate
}

type limitIDInput struct {
	ID int `path:"id" doc:"The number of a limit, its limit_id"`
}

func (a *API) registerLimits(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/limits", Permission: access.WorkersView, ID: "workers.limits", Summary: "List what is limited, and how much of it runs and waits"},
		func(ctx context.Context, _ *struct{}) (api.LimitList, error) {
			list, err := a.cfg.JobLimits.Limits(ctx)
			return api.LimitList{Limits: list}, err
		})
	http.Register(r, http.Route{Method: "POST", Path: "/admin/limits", Permission: access.WorkersManage, ID: "workers.limit", Summary: "Limit how many jobs of a type, a queue, a user, an ontology or a value in their data run or start"}, a.limit)
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/limits/{id}", Permission: access.WorkersManage, ID: "workers.change-limit", Summary: "Replace the numbers of a limit and its reason"}, a.changeLimit)
	http.Register(r, http.Route{Method: "DELETE", Path: "/admin/limits/{id}", Permission: access.WorkersManage, ID: "workers.unlimit", Summary: "Remove a limit"},
		func(ctx context.Context, in *limitIDInput) (work.Limit, error) {
			return a.cfg.JobLimits.RemoveLimit(ctx, in.ID)
		})
}

func (a *API) limit(ctx context.Context, in *limitInput) (work.Limit, error) {
	var l work.LimitRequest
	if in.Body != nil {
		l = in.Body.LimitRequest
	}
	if err := l.Validate(); err != nil {
		return work.Limit{}, err
	}
	return a.cfg.JobLimits.SetLimit(ctx, l, http.PrincipalOf(ctx).User.Username)
}

func (a *API) changeLimit(ctx context.Context, in *limitUpdateInput) (work.Limit, error) {
	var u work.LimitUpdate
	if in.Body != nil {
		u = in.Body.LimitUpdate
	}
	if err := u.Validate(); err != nil {
		return work.Limit{}, err
	}
	return a.cfg.JobLimits.ChangeLimit(ctx, in.ID, u, http.PrincipalOf(ctx).User.Username)
}
