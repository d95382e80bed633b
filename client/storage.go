package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa"
)

// StorageUse returns what the database holds, by kind.
func (c *Client) StorageUse(ctx context.Context) (kappa.StorageUse, error) {
	return fetch[kappa.StorageUse](ctx, c, get("/admin/storage/stats", nil))
}

// StoredObjects returns a page of the stored documents, and about how many there are.
func (c *Client) StoredObjects(ctx context.Context, p kappa.StoredObjectPage) ([]kappa.StoredObject, int, error) {
	query := url.Values{"limit": {strconv.Itoa(p.Limit)}, "offset": {strconv.Itoa(p.Offset)}}
	set(query, "prefix", p.Prefix)
	out, err := fetch[struct {
		Objects []kappa.StoredObject `json:"objects"`
		Total   int                  `json:"total"`
	}](ctx, c, get("/admin/storage/objects", query))
	return out.Objects, out.Total, err
}

// StorageRetention returns what is kept for how long, and what the next cleanup would remove.
func (c *Client) StorageRetention(ctx context.Context) (kappa.StorageRetention, error) {
	return fetch[kappa.StorageRetention](ctx, c, get("/admin/storage/retention", nil))
}

// CheckStorage has a job check all of what is stored, or some parts of it.
func (c *Client) CheckStorage(ctx context.Context, parts []string) (JobReply, error) {
	return fetchJSON[JobReply](ctx, c, http.MethodPost, "/admin/storage/check", map[string]any{"parts": parts})
}

// StorageCheckResult is the result of such a job.
type StorageCheckResult struct {
	Consistent bool                 `json:"consistent"`
	Checked    map[string]int       `json:"checked"`
	FaultCount int                  `json:"fault_count"`
	Faults     []kappa.StorageFault `json:"faults"`
}
