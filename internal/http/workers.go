package http

import (
	"context"

	"github.com/kappagraph/kappa"
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

func (s *Server) registerWorkers(r *Router) {
	Register(r, Route{Method: "GET", Path: "/admin/workers/status", Permission: kappa.WorkersView, ID: "workers.status", Summary: "Who runs what, and what waits"},
		func(ctx context.Context, _ *struct{}) (kappa.WorkerStatus, error) {
			w, err := s.cfg.Lanes.WorkerStatus(ctx)
			w.RunningJobs, w.QueuedByType, w.Lanes = NotNil(w.RunningJobs), NotNil(w.QueuedByType), NotNil(w.Lanes)
			w.Unclaimed, w.Workers, w.EventSources, w.Orphans = NotNil(w.Unclaimed), NotNil(w.Workers), s.eventSources(), NotNil(w.Orphans)
			w.OverCeiling, w.Unhandled = NotNil(w.OverCeiling), NotNil(w.Unhandled)
			return w, err
		})
	Register(r, Route{Method: "GET", Path: "/admin/workers/lanes", Permission: kappa.WorkersView, ID: "workers.lanes", Summary: "List the lanes"},
		func(ctx context.Context, _ *struct{}) (laneList, error) {
			usage, err := s.cfg.Lanes.LaneUsage(ctx)
			return laneList{Lanes: NotNil(usage)}, err
		})
	Register(r, Route{Method: "PATCH", Path: "/admin/workers/lanes/{name}", Permission: kappa.WorkersManage, ID: "workers.update-lane", Summary: "Change a lane's settings; they act at once"}, s.updateLane)
}

// eventSources returns how this server hears of events.
func (s *Server) eventSources() []kappa.EventSource {
	if s.cfg.Sources == nil {
		return []kappa.EventSource{}
	}
	return NotNil(s.cfg.Sources())
}

func (s *Server) updateLane(ctx context.Context, in *laneInput) (kappa.LaneChange, error) {
	if !Storable(in.Name) {
		return kappa.LaneChange{}, kappa.NewError(kappa.CodeNotFound, "Lane not found: "+Printable(in.Name))
	}
	var update kappa.LaneUpdate
	if in.Body != nil {
		update = in.Body.LaneUpdate
	}
	if err := update.Validate(s.cfg.Limits.MaxLaneSlots); err != nil {
		return kappa.LaneChange{}, err
	}
	return s.cfg.Lanes.UpdateLane(ctx, in.Name, update)
}
