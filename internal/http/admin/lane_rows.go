package admin

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

type newLaneInput struct{ Body newLaneBody }

// newLaneBody asks for a new lane. What it does not know it refuses.
type newLaneBody struct {
	_        struct{} `additionalProperties:"false"`
	Name     string   `json:"name" doc:"Unique: a lower-case letter, then lower-case letters, digits and _, 50 at most"`
	JobTypes []string `json:"job_types,omitempty" doc:"They are taken out of the lanes that have them; default: none"`
	work.LaneUpdate
}

type moveTypesInput struct {
	Name string `path:"name" doc:"The name of a lane"`
	Body struct {
		_        struct{} `additionalProperties:"false"`
		JobTypes []string `json:"job_types" doc:"They are taken out of the lanes that have them"`
	}
}

type deleteLaneInput struct {
	Name   string `path:"name" doc:"The name of a lane"`
	MoveTo string `query:"move_to" doc:"The lane that gets its job types"`
}

func (a *API) registerLaneRows(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/admin/workers/lanes", Submits: true, Permission: access.WorkersManage, ID: "workers.create-lane", Summary: "Make a lane; every server claims for it at once", Status: 201}, a.createLane)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/workers/lanes/{name}/types", Permission: access.WorkersManage, ID: "workers.move-types", Summary: "Move job types into a lane, out of all others"}, a.moveTypes)
	http.Register(r, http.Route{Method: "DELETE", Path: "/admin/workers/lanes/{name}", Permission: access.WorkersManage, ID: "workers.delete-lane", Summary: "Delete a lane; what runs in it goes on"}, a.deleteLane)
}

func (a *API) createLane(ctx context.Context, in *newLaneInput) (work.LaneMoved, error) {
	n := work.NewLane{Name: in.Body.Name, JobTypes: in.Body.JobTypes, Settings: in.Body.LaneUpdate, Known: a.cfg.Types.Handled()}
	if err := n.Validate(a.cfg.MaxLaneSlots); err != nil {
		return work.LaneMoved{}, err
	}
	created, err := a.cfg.Lanes.CreateLane(ctx, n)
	if err == nil {
		http.SetHeader(ctx, "ETag", created.Lane.ETag())
	}
	return created, err
}

func (a *API) moveTypes(ctx context.Context, in *moveTypesInput) (work.LaneMoved, error) {
	if !http.Storable(in.Name) {
		return work.LaneMoved{}, errNoLane(in.Name)
	}
	m := work.TypeMove{Lane: in.Name, JobTypes: in.Body.JobTypes, Known: a.cfg.Types.Handled()}
	if err := m.Validate(); err != nil {
		return work.LaneMoved{}, err
	}
	moved, err := a.cfg.Lanes.MoveTypes(ctx, m)
	if err == nil {
		http.SetHeader(ctx, "ETag", moved.Lane.ETag())
	}
	return moved, err
}

// deleteLane deletes a lane that is not built in: a later release of Kappa looks for those, to
// put its new job types into them.
func (a *API) deleteLane(ctx context.Context, in *deleteLaneInput) (work.LaneDeleted, error) {
	if !http.Storable(in.Name) {
		return work.LaneDeleted{}, errNoLane(in.Name)
	}
	if a.cfg.Types.BuiltIn(in.Name) {
		return work.LaneDeleted{}, kappa.NewError(kappa.CodeConflict, "The lane "+in.Name+" is built in and cannot be deleted; move its job types away, or disable it")
	}
	deleted, err := a.cfg.Lanes.DeleteLane(ctx, work.LaneDeletion{Name: in.Name, MoveTo: in.MoveTo, Home: a.cfg.Types.Homes()})
	if err == nil {
		slices.Sort(deleted.Unclaimed)
	}
	return deleted, err
}
