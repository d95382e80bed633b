package admin

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// pauses keeps what nothing is claimed of.
type pauses interface {
	Pauses(ctx context.Context) ([]work.Pause, error)
	// Pause returns CodeConflict for what is paused, and CodeNotFound for a user who does not exist.
	Pause(ctx context.Context, p work.PauseRequest, by string) (work.Pause, error)
	// Resume returns CodeNotFound when there is no such pause.
	Resume(ctx context.Context, id int) (work.Pause, error)
}

type pauseInput struct {
	Body *pauseBody
}

// pauseBody is a PauseRequest that refuses what is no part of one.
type pauseBody struct {
	_ struct{} `additionalProperties:"false"`
	work.PauseRequest
}

type pauseIDInput struct {
	ID int `path:"id" doc:"The number of a pause, its pause_id"`
}

func (a *API) registerPauses(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/pauses", Permission: access.WorkersView, ID: "workers.pauses", Summary: "List what is paused"},
		func(ctx context.Context, _ *struct{}) (api.PauseList, error) {
			list, err := a.cfg.Pauses.Pauses(ctx)
			return api.PauseList{Pauses: list}, err
		})
	http.Register(r, http.Route{Method: "POST", Path: "/admin/pauses", Permission: access.WorkersManage, ID: "workers.pause", Summary: "Have nothing more claimed of a type, a queue, an ontology, a user, or at all"}, a.pause)
	http.Register(r, http.Route{Method: "DELETE", Path: "/admin/pauses/{id}", Permission: access.WorkersManage, ID: "workers.resume", Summary: "End a pause; its jobs are claimed again"},
		func(ctx context.Context, in *pauseIDInput) (work.Pause, error) {
			return a.cfg.Pauses.Resume(ctx, in.ID)
		})
}

func (a *API) pause(ctx context.Context, in *pauseInput) (work.Pause, error) {
	var p work.PauseRequest
	if in.Body != nil {
		p = in.Body.PauseRequest
	}
	if err := p.Validate(); err != nil {
		return work.Pause{}, err
	}
	return a.cfg.Pauses.Pause(ctx, p, http.PrincipalOf(ctx).User.Username)
}
