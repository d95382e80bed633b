package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/storage"
)

// DatabaseInfo returns which database the server uses.
func (c *Client) DatabaseInfo(ctx context.Context) (storage.DatabaseInfo, error) {
	return fetch[storage.DatabaseInfo](ctx, c, get("/database/info", nil))
}

// Counters returns what the server counts, and how much that has changed since the
// counters were refreshed.
func (c *Client) Counters(ctx context.Context) (knowledge.GraphCounters, error) {
	out, err := fetch[struct {
		Counters knowledge.GraphCounters `json:"counters"`
	}](ctx, c, get("/database/counters", nil))
	return out.Counters, err
}

// RefreshCounters has the counters say what changes from now on, and returns what has
// changed until now.
func (c *Client) RefreshCounters(ctx context.Context) ([]knowledge.CounterChange, error) {
	out, err := fetch[struct {
		Changes []knowledge.CounterChange `json:"changes"`
	}](ctx, c, call{method: http.MethodPost, path: "/database/counters/refresh"})
	return out.Changes, err
}
