package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/kappagraph/kappa/api"
)

// Backups are archives of a server, or of one ontology.
type Backups struct{ c *Client }

// backupTimeout is for the largest archive over a slow line.
const backupTimeout = 2 * time.Hour

// Download writes an archive of an ontology, "" for all of them, to w and returns how many
// bytes it has. One that ends early lacks its trailer, which is how that is noticed.
func (s Backups) Download(ctx context.Context, ontology string, w io.Writer) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, backupTimeout)
	defer cancel()
	query := url.Values{}
	if ontology != "" {
		query.Set("ontology", ontology)
	}
	resp, err := s.c.send(ctx, call{method: http.MethodPost, path: "/admin/backup", query: query})
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(w, resp.Body)
	if err != nil {
		return n, fmt.Errorf("download the archive: %w", err)
	}
	return n, nil
}

// Restore sends an archive, and returns the job that restores it; see storage.RestoreMerge.
func (s Backups) Restore(ctx context.Context, path, mode string) (api.Restored, error) {
	return s.restore(ctx, path, url.Values{"mode": {mode}})
}

// PreviewRestore sends an archive, and returns a job that changes nothing: its result says
// what Restore would add and remove.
func (s Backups) PreviewRestore(ctx context.Context, path, mode string) (api.Restored, error) {
	return s.restore(ctx, path, url.Values{"mode": {mode}, "dry_run": {"true"}})
}

func (s Backups) restore(ctx context.Context, path string, query url.Values) (api.Restored, error) {
	form, err := newFileForm(nil, []DatasetFile{{Path: path, TableName: "file"}})
	if err != nil {
		return api.Restored{}, err
	}
	return fetchOnce[api.Restored](ctx, s.c, call{
		method: http.MethodPost, path: "/admin/restore", query: query,
		body: form.open, bodySize: form.size, contentType: form.contentType, timeout: backupTimeout,
	})
}
