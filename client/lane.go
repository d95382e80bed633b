package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa"
)

// WorkerStatus returns who runs what, and what waits.
func (c *Client) WorkerStatus(ctx context.Context) (kappa.WorkerStatus, error) {
	return fetch[kappa.WorkerStatus](ctx, c, get("/admin/workers/status", nil))
}

// Lanes returns the lanes by name, and how busy they are.
func (c *Client) Lanes(ctx context.Context) ([]kappa.LaneUsage, error) {
	out, err := fetch[struct {
		Lanes []kappa.LaneUsage `json:"lanes"`
	}](ctx, c, get("/admin/workers/lanes", nil))
	return out.Lanes, err
}

// UpdateLane changes a lane's settings. They act at once, without a restart. With a Match,
// the Version of the lane as it was read, it returns an Error with kappa.CodePrecondition
// when the lane has changed since.
func (c *Client) UpdateLane(ctx context.Context, name string, update kappa.LaneUpdate) (kappa.LaneChange, error) {
	in, err := withJSON(http.MethodPatch, "/admin/workers/lanes/"+url.PathEscape(name), update)
	if err != nil {
		return kappa.LaneChange{}, err
	}
	if update.Match != "" {
		in.header = http.Header{"If-Match": {update.Match}}
	}
	return fetch[kappa.LaneChange](ctx, c, in)
}
