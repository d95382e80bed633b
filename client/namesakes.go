package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/knowledge"
)

// Namesakes returns concepts that have one name and are two: those of which nobody said that
// they stay two, or with apart those of which somebody did.
func (c *Client) Namesakes(ctx context.Context, apart bool, most int) ([]knowledge.Namesakes, error) {
	out, err := fetch[struct {
		Namesakes []knowledge.Namesakes `json:"namesakes"`
	}](ctx, c, get("/concepts/namesakes", url.Values{"apart": {strconv.FormatBool(apart)}, "limit": {strconv.Itoa(most)}}))
	return out.Namesakes, err
}

// KeepApart says of two concepts of one name that they stay two, so that they are not offered
// again. Unknown ids are an Error with kappa.CodeNotFound.
func (c *Client) KeepApart(ctx context.Context, k knowledge.NewKeptApart) (knowledge.NewKeptApart, error) {
	return fetchJSONOnce[knowledge.NewKeptApart](ctx, c, http.MethodPost, "/concepts/namesakes", k)
}

// OfferAgain takes back that two concepts stay two.
func (c *Client) OfferAgain(ctx context.Context, a, b string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: "/concepts/namesakes", query: url.Values{"a": {a}, "b": {b}}})
	return err
}
