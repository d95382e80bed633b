package admin

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// lanes keeps the lanes and knows what runs in them. An unknown name is
// CodeNotFound.
type lanes interface {
	LaneUsage(ctx context.Context) ([]kappa.LaneUsage, error)
	UpdateLane(ctx context.Context, name string, u kappa.LaneUpdate) (kappa.LaneChange, error)
	WorkerStatus(ctx context.Context) (kappa.WorkerStatus, error)
}

type laneList struct {
	Lanes []kappa.LaneUsage `json:"lanes"`
}

type laneInput struct {
	Name string `path:"name"`
	Body *laneSettings
}

// laneSettings is a LaneUpdate that refuses what is no setting: a misspelt one
// would otherwise be lost without a word.
type laneSettings struct {
	_ struct{} `additionalProperties:"false"`
	kappa.LaneUpdate
}

func (a *API) registerLanes(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/workers/status", Permission: kappa.WorkersView, ID: "workers.status", Summary: "Who runs what, and what waits"},
		func(ctx context.Context, _ *struct{}) (kappa.WorkerStatus, error) {
			w, err := a.cfg.Lanes.WorkerStatus(ctx)
			w.RunningJobs, w.QueuedByType, w.Lanes = http.NotNil(w.RunningJobs), http.NotNil(w.QueuedByType), http.NotNil(w.Lanes)
			w.Unclaimed, w.Workers, w.EventSources, w.Orphans = http.NotNil(w.Unclaimed), http.NotNil(w.Workers), a.eventSources(), http.NotNil(w.Orphans)
			w.OverCeiling, w.Unhandled = http.NotNil(w.OverCeiling), http.NotNil(w.Unhandled)
			return w, err
		})
	http.Register(r, http.Route{Method: "GET", Path: "/admin/workers/lanes", Permission: kappa.WorkersView, ID: "workers.lanes", Summary: "List the lanes"},
		func(ctx context.Context, _ *struct{}) (laneList, error) {
			usage, err := a.cfg.Lanes.LaneUsage(ctx)
			return laneList{Lanes: http.NotNil(usage)}, err
		})
	http.Register(r, http.Route{Method: "PATCH", Path: "/admin/workers/lanes/{name}", Permission: kappa.WorkersManage, ID: "workers.update-lane", Summary: "Change a lane's settings; they act at once"}, a.updateLane)
}

// eventSources returns how this server hears of events.
func (a *API) eventSources() []kappa.EventSource {
	if a.cfg.Sources == nil {
		return []kappa.EventSource{}
	}
	return http.NotNil(a.cfg.Sources())
}

func (a *API) updateLane(ctx context.Context, in *laneInput) (kappa.LaneChange, error) {
	if !http.Storable(in.Name) {
		return kappa.LaneChange{}, kappa.NewError(kappa.CodeNotFound, "Lane not found: "+http.Printable(in.Name))
	}
	var update kappa.LaneUpdate
	if in.Body != nil {
		update = in.Body.LaneUpdate
	}
	if err := update.Validate(a.cfg.MaxLaneSlots); err != nil {
		return kappa.LaneChange{}, err
	}
	return a.cfg.Lanes.UpdateLane(ctx, in.Name, update)
}
