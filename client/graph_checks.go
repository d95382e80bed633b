package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/kappagraph/kappa/knowledge"
)

// checkTimeout is for one rule of a large graph.
const checkTimeout = 15 * time.Minute

// GraphChecks returns the rules that the server's graph keeps, in the order in which they
// are to be checked.
func (c *Client) GraphChecks(ctx context.Context) ([]knowledge.GraphCheck, error) {
	out, err := fetch[struct {
		Checks []knowledge.GraphCheck `json:"checks"`
	}](ctx, c, call{path: "/admin/graph/checks"})
	return out.Checks, err
}

// CheckGraph checks a rule, which takes minutes for a large graph. It returns a
// CodeNotFound Error for an unknown one.
func (c *Client) CheckGraph(ctx context.Context, name string) (knowledge.GraphChecked, error) {
	return fetch[knowledge.GraphChecked](ctx, c, call{path: "/admin/graph/checks/" + url.PathEscape(name), timeout: checkTimeout})
}

// RepairGraph repairs what breaks a rule. It returns a CodeConflict Error for a rule whose
// repair is not safe.
func (c *Client) RepairGraph(ctx context.Context, name string) (knowledge.GraphRepaired, error) {
	return fetch[knowledge.GraphRepaired](ctx, c, call{method: http.MethodPost, path: "/admin/graph/checks/" + url.PathEscape(name) + "/repair", timeout: checkTimeout})
}
