package client

import (
	"context"
	"net/http"
	"time"

	"github.com/kappagraph/kappa/api"
)

// Health says whether the server and what it depends on are well.
type Health struct {
	Status     string               `json:"status"` // healthy or degraded
	Components map[string]Component `json:"components"`
}

// Component is one thing that a server depends on.
type Component struct {
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

// Health returns how the server is. It needs no token.
func (c *Client) Health(ctx context.Context) (Health, error) {
	in := get("/health", nil)
	in.public = true
	return fetch[Health](ctx, c, in)
}

// Settings returns how the server is set, and where each setting comes from.
func (c *Client) Settings(ctx context.Context) ([]api.ServerSetting, error) {
	out, err := fetch[api.ServerSettings](ctx, c, get("/admin/settings", nil))
	return out.Settings, err
}

// ServerInfo is what a server says of itself.
type ServerInfo struct {
	Service string         `json:"service"`
	Version string         `json:"version"`
	Status  string         `json:"status"`
	Epoch   int64          `json:"epoch"` // counts the changes of the graph
	Queue   map[string]any `json:"queue"`
	// Clock is the server's clock to the second; zero when it did not say.
	Clock time.Time `json:"-"`
}

// Info returns what the server says of itself. It needs no token.
func (c *Client) Info(ctx context.Context) (ServerInfo, error) {
	in := get("/", nil)
	in.public = true
	body, header, err := c.exchange(ctx, in)
	if err != nil {
		return ServerInfo{}, err
	}
	var out ServerInfo
	if err := decode(in, body, &out); err != nil {
		return out, err
	}
	out.Clock, _ = http.ParseTime(header.Get("Date")) // zero when it cannot be read
	return out, nil
}
