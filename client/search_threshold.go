package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa/knowledge/questions"
)

const thresholdPath = "/admin/config/search-threshold"

// SearchThreshold returns the similarity from which on searches show concepts.
func (c *Client) SearchThreshold(ctx context.Context) (questions.SearchThreshold, error) {
	return fetch[questions.SearchThreshold](ctx, c, get(thresholdPath, nil))
}

// SetSearchThreshold sets it, 0 to 1, and returns what holds now.
func (c *Client) SetSearchThreshold(ctx context.Context, threshold float64) (float64, error) {
	set, err := fetchJSON[struct {
		Threshold float64 `json:"threshold"`
	}](ctx, c, http.MethodPut, thresholdPath, map[string]float64{"threshold": threshold})
	return set.Threshold, err
}
