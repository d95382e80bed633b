package client

import (
	"context"

	"github.com/kappagraph/kappa"
)

// ReadingStatus returns how the server reads documents, and behind which walls.
func (c *Client) ReadingStatus(ctx context.Context) (kappa.ReadingStatus, error) {
	out, err := fetch[struct {
		Reading kappa.ReadingStatus `json:"reading"`
	}](ctx, c, get("/admin/status", nil))
	return out.Reading, err
}
