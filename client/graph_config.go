package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa"
)

// GraphSettings returns the settings of queries to the graph.
func (c *Client) GraphSettings(ctx context.Context) (kappa.GraphSettings, error) {
	return fetch[kappa.GraphSettings](ctx, c, get("/admin/graph/config", nil))
}

// UpdateGraphSettings changes settings of queries to the graph. They act at once,
// without a restart.
func (c *Client) UpdateGraphSettings(ctx context.Context, update kappa.GraphSettingsUpdate) (kappa.GraphSettingsChange, error) {
	return fetchJSON[kappa.GraphSettingsChange](ctx, c, http.MethodPatch, "/admin/graph/config", update)
}
