package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// Workers are the lanes of a server, and those who work in them on this machine and others.
type Workers struct{ c *Client }

// Status returns who runs what, and what waits.
func (s Workers) Status(ctx context.Context) (work.WorkerStatus, error) {
	return fetch[work.WorkerStatus](ctx, s.c, get("/admin/workers/status", nil))
}

// Stats returns how long attempts waited and ran that have ended within f.Since, up to
// work.StatsKept.
func (s Workers) Stats(ctx context.Context, f work.StatsFilter) (work.AttemptStats, error) {
	query := url.Values{"since": {f.Since.String()}}
	if f.Lane != "" {
		query.Set("lane", f.Lane)
	}
	if f.JobType != "" {
		query.Set("job_type", f.JobType)
	}
	return fetch[work.AttemptStats](ctx, s.c, get("/admin/workers/stats", query))
}

// Lanes returns the lanes by name, and how busy they are.
func (s Workers) Lanes(ctx context.Context) ([]work.LaneUsage, error) {
	out, err := fetch[api.LaneList](ctx, s.c, get("/admin/workers/lanes", nil))
	return out.Lanes, err
}

// UpdateLane changes a lane's settings. They act at once, without a restart. With a Match,
// the Version of the lane as it was read, it returns an Error with kappa.CodePrecondition
// when the lane has changed since.
func (s Workers) UpdateLane(ctx context.Context, name string, update work.LaneUpdate) (work.LaneChange, error) {
	in, err := withJSON(http.MethodPatch, "/admin/workers/lanes/"+url.PathEscape(name), update)
	if err != nil {
		return work.LaneChange{}, err
	}
	if update.Match != "" {
		in.header = http.Header{"If-Match": {update.Match}}
	}
	return fetch[work.LaneChange](ctx, s.c, in)
}

// CreateLane makes a lane, and moves its job types into it. It returns an Error with
// kappa.CodeConflict for a name that is taken. What n.Known says is not sent.
func (s Workers) CreateLane(ctx context.Context, n work.NewLane) (work.LaneMoved, error) {
	return fetchJSON[work.LaneMoved](ctx, s.c, http.MethodPost, "/admin/workers/lanes", struct {
		Name     string   `json:"name"`
		JobTypes []string `json:"job_types,omitempty"`
		work.LaneUpdate
	}{n.Name, n.JobTypes, n.Settings})
}

// MoveTypes puts job types into a lane, and takes them out of all others.
func (s Workers) MoveTypes(ctx context.Context, lane string, types []string) (work.LaneMoved, error) {
	return fetchJSON[work.LaneMoved](ctx, s.c, http.MethodPost, "/admin/workers/lanes/"+url.PathEscape(lane)+"/types", map[string]any{"job_types": types})
}

// DeleteLane deletes a lane, and moves its job types to the lane moveTo, unless that is "". It
// returns an Error with kappa.CodeConflict for a lane that is built in, and while jobs wait that
// no lane would claim.
func (s Workers) DeleteLane(ctx context.Context, name, moveTo string) (work.LaneDeleted, error) {
	in := call{method: http.MethodDelete, path: "/admin/workers/lanes/" + url.PathEscape(name)}
	if moveTo != "" {
		in.query = url.Values{"move_to": {moveTo}}
	}
	return fetch[work.LaneDeleted](ctx, s.c, in)
}

// JobTypes returns the job types of the server, with how they are retried and their deadlines.
func (s Workers) JobTypes(ctx context.Context) ([]work.JobTypePolicy, error) {
	out, err := fetch[api.JobTypeList](ctx, s.c, get("/admin/job-types", nil))
	return out.JobTypes, err
}

// SetPolicy changes how jobs of a type are retried, and its deadline. It acts at once.
func (s Workers) SetPolicy(ctx context.Context, jobType string, change work.PolicyChange) (work.JobTypePolicy, error) {
	return fetchJSON[work.JobTypePolicy](ctx, s.c, http.MethodPatch, "/admin/job-types/"+url.PathEscape(jobType), change)
}

// Regroup gives a remote worker slot groups in place of its own, or those back without
// any.
func (s Workers) Regroup(ctx context.Context, workerID string, groups []work.SlotGroup) error {
	_, err := fetchJSON[struct{}](ctx, s.c, http.MethodPut, "/admin/workers/remote/"+url.PathEscape(workerID)+"/groups", map[string]any{"groups": groups})
	return err
}

// Operate has a remote worker drain, undrain, disconnect or be blocked.
func (s Workers) Operate(ctx context.Context, workerID, what string) error {
	_, err := fetchJSON[struct{}](ctx, s.c, http.MethodPost, "/admin/workers/remote/"+url.PathEscape(workerID)+"/"+what, nil)
	return err
}
