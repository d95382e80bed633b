package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/storage"
)

// Storage is what the database holds.
type Storage struct{ c *Client }

// Use returns what the database holds, by kind.
func (s Storage) Use(ctx context.Context) (storage.Use, error) {
	return fetch[storage.Use](ctx, s.c, get("/admin/storage/stats", nil))
}

// Objects returns a page of the stored documents, and about how many there are.
func (s Storage) Objects(ctx context.Context, p storage.StoredObjectPage) ([]storage.StoredObject, int, error) {
	query := url.Values{"limit": {strconv.Itoa(p.Limit)}, "offset": {strconv.Itoa(p.Offset)}}
	set(query, "prefix", p.Prefix)
	out, err := fetch[api.ObjectList](ctx, s.c, get("/admin/storage/objects", query))
	return out.Objects, out.Total, err
}

// Retention returns what is kept for how long, and what the next cleanup would remove.
func (s Storage) Retention(ctx context.Context) (storage.Retention, error) {
	return fetch[storage.Retention](ctx, s.c, get("/admin/storage/retention", nil))
}

// Check has a job check all of what is stored, or some parts of it.
func (s Storage) Check(ctx context.Context, parts []string) (api.JobReply, error) {
	return fetchJSON[api.JobReply](ctx, s.c, http.MethodPost, "/admin/storage/check", map[string]any{"parts": parts})
}

// StorageCheckResult is the result of such a job.
type StorageCheckResult struct {
	Consistent bool            `json:"consistent"`
	Checked    map[string]int  `json:"checked"`
	FaultCount int             `json:"fault_count"`
	Faults     []storage.Fault `json:"faults"`
}

// Database returns which database the server uses.
func (s Storage) Database(ctx context.Context) (storage.DatabaseInfo, error) {
	return fetch[storage.DatabaseInfo](ctx, s.c, get("/database/info", nil))
}
