package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// GraphAdmin keeps the graph: its state, checks, counters and settings.
type GraphAdmin struct{ c *Client }

// checkTimeout is for one rule of a large graph.
const checkTimeout = 15 * time.Minute

// Checks returns the rules that the server's graph keeps, in the order in which they
// are to be checked.
func (s GraphAdmin) Checks(ctx context.Context) ([]knowledge.GraphCheck, error) {
	out, err := fetch[api.GraphCheckList](ctx, s.c, call{path: "/admin/graph/checks"})
	return out.Checks, err
}

// Check checks a rule, which takes minutes for a large graph. It returns a
// CodeNotFound Error for an unknown one.
func (s GraphAdmin) Check(ctx context.Context, name string) (knowledge.GraphChecked, error) {
	return fetch[knowledge.GraphChecked](ctx, s.c, call{path: "/admin/graph/checks/" + url.PathEscape(name), timeout: checkTimeout})
}

// Repair repairs what breaks a rule. It returns a CodeConflict Error for a rule whose
// repair is not safe.
func (s GraphAdmin) Repair(ctx context.Context, name string) (knowledge.GraphRepaired, error) {
	return fetch[knowledge.GraphRepaired](ctx, s.c, call{method: http.MethodPost, path: "/admin/graph/checks/" + url.PathEscape(name) + "/repair", timeout: checkTimeout})
}

// Settings returns the settings of queries to the graph.
func (s GraphAdmin) Settings(ctx context.Context) (knowledge.GraphSettings, error) {
	return fetch[knowledge.GraphSettings](ctx, s.c, get("/admin/graph/config", nil))
}

// UpdateSettings changes settings of queries to the graph. They act at once,
// without a restart.
func (s GraphAdmin) UpdateSettings(ctx context.Context, update knowledge.GraphSettingsUpdate) (knowledge.GraphSettingsChange, error) {
	return fetchJSON[knowledge.GraphSettingsChange](ctx, s.c, http.MethodPatch, "/admin/graph/config", update)
}

// Status returns what the server that answers knows about its graph in memory.
func (s GraphAdmin) Status(ctx context.Context) (knowledge.GraphStatus, error) {
	return fetch[knowledge.GraphStatus](ctx, s.c, get("/admin/graph/status", nil))
}

// Counters returns what the server counts, and how much that has changed since the
// counters were refreshed.
func (s GraphAdmin) Counters(ctx context.Context) (knowledge.GraphCounters, error) {
	out, err := fetch[api.GraphCounters](ctx, s.c, get("/database/counters", nil))
	return out.Counters, err
}

// RefreshCounters has the counters say what changes from now on, and returns what has
// changed until now.
func (s GraphAdmin) RefreshCounters(ctx context.Context) ([]knowledge.CounterChange, error) {
	out, err := fetch[api.CountersRefreshed](ctx, s.c, call{method: http.MethodPost, path: "/database/counters/refresh"})
	return out.Changes, err
}

const thresholdPath = "/admin/config/search-threshold"

// SearchThreshold returns the similarity from which on searches show concepts.
func (s GraphAdmin) SearchThreshold(ctx context.Context) (questions.SearchThreshold, error) {
	return fetch[questions.SearchThreshold](ctx, s.c, get(thresholdPath, nil))
}

// SetSearchThreshold sets it, 0 to 1, and returns what holds now.
func (s GraphAdmin) SetSearchThreshold(ctx context.Context, threshold float64) (float64, error) {
	set, err := fetchJSON[api.SearchThresholdSet](ctx, s.c, http.MethodPut, thresholdPath, map[string]float64{"threshold": threshold})
	return set.Threshold, err
}
