package client

import (
	"context"

	"github.com/kappagraph/kappa/corpus"
)

// ReadingStatus returns how the server reads documents, and behind which walls.
func (c *Client) ReadingStatus(ctx context.Context) (corpus.ReadingStatus, error) {
	out, err := fetch[struct {
		Reading corpus.ReadingStatus `json:"reading"`
	}](ctx, c, get("/admin/status", nil))
	return out.Reading, err
}
