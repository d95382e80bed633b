package client

import (
	"context"

	"github.com/kappagraph/kappa"
)

// GraphStatus returns what the server that answers knows about its graph in memory.
func (c *Client) GraphStatus(ctx context.Context) (kappa.GraphStatus, error) {
	return fetch[kappa.GraphStatus](ctx, c, get("/admin/graph/status", nil))
}
