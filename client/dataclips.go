package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/work/artifacts"
)

// UploadDataclip uploads an object of JSON with so many bytes, at most artifacts.MaxDataclip, as
// a dataclip that the data of a job may refer to. open is called again when the call is
// repeated. An account that has no room left for it gets an Error with kappa.CodeTooLarge.
func (c *Client) UploadDataclip(ctx context.Context, open func() io.Reader, size int64) (artifacts.Dataclip, error) {
	return fetch[artifacts.Dataclip](ctx, c, call{method: http.MethodPost, path: "/dataclips", body: open, bodySize: size, contentType: "application/json", timeout: uploadTimeout})
}

// Dataclips lists the caller's dataclips, newest first: limit of them, 1 to 1,000, after the first offset.
func (c *Client) Dataclips(ctx context.Context, limit, offset int) (artifacts.DataclipList, error) {
	return fetch[artifacts.DataclipList](ctx, c, get("/dataclips", url.Values{"limit": {strconv.Itoa(limit)}, "offset": {strconv.Itoa(offset)}}))
}

// DeleteDataclip deletes a dataclip. One that a job refers to is an Error with
// kappa.CodeConflict.
func (c *Client) DeleteDataclip(ctx context.Context, id string) error {
	return c.delete(ctx, "/dataclips/"+url.PathEscape(id))
}
