package admin

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// threshold is the similarity from which on searches show concepts.
type threshold interface {
	Show(ctx context.Context) (questions.SearchThreshold, error)
	Set(ctx context.Context, threshold float64) (questions.SearchThreshold, error)
}

type thresholdInput struct{ Body thresholdRequest }

type thresholdRequest struct {
	_         struct{} `additionalProperties:"false"`
	Threshold float64  `json:"threshold" doc:"0 to 1"`
}

func (a *API) registerThreshold(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/config/search-threshold", Permission: access.SearchConfigRead, ID: "query.threshold", Summary: "Show from which similarity on searches show concepts"},
		func(ctx context.Context, _ *struct{}) (questions.SearchThreshold, error) {
			return a.cfg.Threshold.Show(ctx)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/config/search-threshold", Permission: access.SearchConfigWrite, ID: "query.set_threshold", Summary: "Set from which similarity on searches show concepts"}, a.setThreshold)
}

func (a *API) setThreshold(ctx context.Context, in *thresholdInput) (api.SearchThresholdSet, error) {
	if err := questions.CheckSearchThreshold(in.Body.Threshold); err != nil {
		return api.SearchThresholdSet{}, err
	}
	set, err := a.cfg.Threshold.Set(ctx, in.Body.Threshold)
	return api.SearchThresholdSet{Key: set.Key, Threshold: set.InForce()}, err
}
