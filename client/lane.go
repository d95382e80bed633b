package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/work"
)

// WorkerStatus returns who runs what, and what waits.
func (c *Client) WorkerStatus(ctx context.Context) (work.WorkerStatus, error) {
	return fetch[work.WorkerStatus](ctx, c, get("/admin/workers/status", nil))
}

// Lanes returns the lanes by name, and how busy they are.
func (c *Client) Lanes(ctx context.Context) ([]work.LaneUsage, error) {
	out, err := fetch[struct {
		Lanes []work.LaneUsage `json:"lanes"`
	}](ctx, c, get("/admin/workers/lanes", nil))
	return out.Lanes, err
}

// UpdateLane changes a lane's settings. They act at once, without a restart. With a Match,
// the Version of the lane as it was read, it returns an Error with kappa.CodePrecondition
// when the lane has changed since.
func (c *Client) UpdateLane(ctx context.Context, name string, update work.LaneUpdate) (work.LaneChange, error) {
	in, err := withJSON(http.MethodPatch, "/admin/workers/lanes/"+url.PathEscape(name), update)
	if err != nil {
		return work.LaneChange{}, err
	}
	if update.Match != "" {
		in.header = http.Header{"If-Match": {update.Match}}
	}
	return fetch[work.LaneChange](ctx, c, in)
}
