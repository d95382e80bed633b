package admin

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// lanes keeps the lanes and knows what runs in them. An unknown name is
// CodeNotFound.
type lanes interface {
	LaneUsage(ctx context.Context) ([]work.LaneUsage, error)
	// UpdateLane returns CodePrecondition when u.Match does not fit the lane.
	UpdateLane(ctx context.Context, name string, u work.LaneUpdate) (work.LaneChange, error)
	// CreateLane returns CodeConflict for a name that is taken.
	CreateLane(ctx context.Context, n work.NewLane) (work.LaneMoved, error)
	MoveTypes(ctx context.Context, m work.TypeMove) (work.LaneMoved, error)
	// DeleteLane returns CodeConflict while jobs wait that the lane alone claims.
	DeleteLane(ctx context.Context, d work.LaneDeletion) (work.LaneDeleted, error)
	WorkerStatus(ctx context.Context) (work.WorkerStatus, error)
	AttemptStats(ctx context.Context, f work.StatsFilter) (work.AttemptStats, error)
}

type laneNameInput struct {
	Name string `path:"name" doc:"The name of a lane"`
}

type laneInput struct {
	Name  string `path:"name" doc:"The name of a lane"`
	Match string `header:"If-Match" doc:"ETag of the lane as it was read: the change is refused with 412 when the lane has changed since"`
	Body  *laneSettings
}

// laneSettings is a LaneUpdate that refuses what is no setting: a misspelt one
// would otherwise be lost without a word.
type laneSettings struct {
	_ struct{} `additionalProperties:"false"`
	work.LaneUpdate
}

func (a *API) registerLanes(r *http.Router) {
	a.registerStats(r)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/workers/status", Permission: access.WorkersView, ID: "workers.status", Summary: "Who runs what, and what waits"},
		func(ctx context.Context, _ *struct{}) (work.WorkerStatus, error) {
			w, err := a.cfg.Lanes.WorkerStatus(ctx)
			w.EventSources = a.eventSources()
			return w, err
		})
	http.Register(r, http.Route{Method: "GET", Path: "/admin/workers/lanes", Permission: access.WorkersView, ID: "workers.lanes", Summary: "List the lanes"},
		func(ctx context.Context, _ *struct{}) (api.LaneList, error) {
			usage, err := a.lanes(ctx)
			return api.LaneList{Lanes: usage}, err
		})
	http.Register(r, http.Route{Method: "GET", Path: "/admin/workers/lanes/{name}", Permission: access.WorkersView, ID: "workers.lane", Summary: "Show a lane; its ETag is for If-Match"}, a.showLane)
	http.Register(r, http.Route{Method: "PATCH", Path: "/admin/workers/lanes/{name}", Permission: access.WorkersManage, ID: "workers.update-lane", Summary: "Change a lane's settings; they act at once"}, a.updateLane)
	a.registerLaneRows(r)
}

// lanes returns the lanes with their ETags.
func (a *API) lanes(ctx context.Context) ([]work.LaneUsage, error) {
	usage, err := a.cfg.Lanes.LaneUsage(ctx)
	for i := range usage {
		usage[i].Version, usage[i].BuiltIn = usage[i].ETag(), a.cfg.Types.BuiltIn(usage[i].Name)
	}
	return usage, err
}

func (a *API) showLane(ctx context.Context, in *laneNameInput) (work.LaneUsage, error) {
	usage, err := a.lanes(ctx)
	if err != nil {
		return work.LaneUsage{}, err
	}
	for _, lane := range usage {
		if lane.Name == in.Name {
			http.SetHeader(ctx, "ETag", lane.Version)
			return lane, nil
		}
	}
	return work.LaneUsage{}, errNoLane(in.Name)
}

func errNoLane(name string) error {
	return kappa.NewError(kappa.CodeNotFound, "Lane not found: "+http.Printable(name))
}

// eventSources returns how this server hears of events.
func (a *API) eventSources() []work.EventSource {
	if a.cfg.Sources == nil {
		return []work.EventSource{}
	}
	return a.cfg.Sources()
}

func (a *API) updateLane(ctx context.Context, in *laneInput) (work.LaneChange, error) {
	if !http.Storable(in.Name) {
		return work.LaneChange{}, errNoLane(in.Name)
	}
	var update work.LaneUpdate
	if in.Body != nil {
		update = in.Body.LaneUpdate
	}
	update.Match = in.Match
	if err := update.Validate(a.cfg.MaxLaneSlots); err != nil {
		return work.LaneChange{}, err
	}
	change, err := a.cfg.Lanes.UpdateLane(ctx, in.Name, update)
	if err == nil {
		http.SetHeader(ctx, "ETag", change.Lane.ETag())
	}
	return change, err
}
