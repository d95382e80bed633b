package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/artifacts"
)

// Dataclips are inputs of jobs that are kept.
type Dataclips struct{ c *Client }

// Upload uploads an object of JSON with so many bytes, at most artifacts.MaxDataclip, as
// a dataclip that the data of a job may refer to. open is called again when the call is
// repeated. An account that has no room left for it gets an Error with kappa.CodeTooLarge.
func (s Dataclips) Upload(ctx context.Context, open func() io.Reader, size int64) (artifacts.Dataclip, error) {
	return fetch[artifacts.Dataclip](ctx, s.c, call{method: http.MethodPost, path: "/dataclips", body: open, bodySize: size, contentType: "application/json", timeout: uploadTimeout})
}

// List lists the caller's dataclips, newest first: limit of them, 1 to 1,000, after the first offset.
func (s Dataclips) List(ctx context.Context, limit, offset int) (artifacts.DataclipList, error) {
	return fetch[artifacts.DataclipList](ctx, s.c, get("/dataclips", url.Values{"limit": {strconv.Itoa(limit)}, "offset": {strconv.Itoa(offset)}}))
}

// Delete deletes a dataclip. One that a job refers to is an Error with
// kappa.CodeConflict.
func (s Dataclips) Delete(ctx context.Context, id string) error {
	return s.c.delete(ctx, "/dataclips/"+url.PathEscape(id))
}
