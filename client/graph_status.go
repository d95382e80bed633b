package client

import (
	"context"

	"github.com/kappagraph/kappa/knowledge"
)

// GraphStatus returns what the server that answers knows about its graph in memory.
func (c *Client) GraphStatus(ctx context.Context) (knowledge.GraphStatus, error) {
	return fetch[knowledge.GraphStatus](ctx, c, get("/admin/graph/status", nil))
}
