package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa/knowledge"
)

// GraphSettings returns the settings of queries to the graph.
func (c *Client) GraphSettings(ctx context.Context) (knowledge.GraphSettings, error) {
	return fetch[knowledge.GraphSettings](ctx, c, get("/admin/graph/config", nil))
}

// UpdateGraphSettings changes settings of queries to the graph. They act at once,
// without a restart.
func (c *Client) UpdateGraphSettings(ctx context.Context, update knowledge.GraphSettingsUpdate) (knowledge.GraphSettingsChange, error) {
	return fetchJSON[knowledge.GraphSettingsChange](ctx, c, http.MethodPatch, "/admin/graph/config", update)
}
