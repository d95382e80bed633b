package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/storage"
)

// StorageUse returns what the database holds, by kind.
func (c *Client) StorageUse(ctx context.Context) (storage.Use, error) {
	return fetch[storage.Use](ctx, c, get("/admin/storage/stats", nil))
}

// StoredObjects returns a page of the stored documents, and about how many there are.
func (c *Client) StoredObjects(ctx context.Context, p storage.StoredObjectPage) ([]storage.StoredObject, int, error) {
	query := url.Values{"limit": {strconv.Itoa(p.Limit)}, "offset": {strconv.Itoa(p.Offset)}}
	set(query, "prefix", p.Prefix)
	out, err := fetch[struct {
		Objects []storage.StoredObject `json:"objects"`
		Total   int                    `json:"total"`
	}](ctx, c, get("/admin/storage/objects", query))
	return out.Objects, out.Total, err
}

// StorageRetention returns what is kept for how long, and what the next cleanup would remove.
func (c *Client) StorageRetention(ctx context.Context) (storage.Retention, error) {
	return fetch[storage.Retention](ctx, c, get("/admin/storage/retention", nil))
}

// CheckStorage has a job check all of what is stored, or some parts of it.
func (c *Client) CheckStorage(ctx context.Context, parts []string) (JobReply, error) {
	return fetchJSON[JobReply](ctx, c, http.MethodPost, "/admin/storage/check", map[string]any{"parts": parts})
}

// StorageCheckResult is the result of such a job.
type StorageCheckResult struct {
	Consistent bool            `json:"consistent"`
	Checked    map[string]int  `json:"checked"`
	FaultCount int             `json:"fault_count"`
	Faults     []storage.Fault `json:"faults"`
}
