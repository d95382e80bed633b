package graph

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// explorer shows parts of the graph. Unknown concepts are CodeNotFound.
type explorer interface {
	ConnectBySearch(ctx context.Context, q kappa.ConnectBySearchQuery) (kappa.ConnectBySearchResult, error)
}

type connectBySearchInput struct{ Body connectBySearchRequest }

type connectBySearchRequest struct {
	FromQuery       string   `json:"from_query" doc:"A phrase, or the id of a concept"`
	ToQuery         string   `json:"to_query" doc:"Likewise"`
	MaxHops         *int     `json:"max_hops,omitempty" default:"5" doc:"1 to 10"`
	Threshold       *float64 `json:"threshold,omitempty" default:"0.5" doc:"0 to 1: how near a concept must be to its phrase"`
	IncludeEvidence *bool    `json:"include_evidence,omitempty" default:"false"`
	MinEpoch        *int64   `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`
	EpistemicFilters
	GroundingOptions
}

func (a *API) registerExplorer(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/query/connect-by-search", Permission: kappa.GraphRead, ID: "query.connect-by-search", Summary: "Find paths between the concepts that two phrases mean"}, a.connectBySearch)
}

func (a *API) connectBySearch(ctx context.Context, in *connectBySearchInput) (kappa.ConnectBySearchResult, error) {
	b := in.Body
	q := kappa.ConnectBySearchQuery{
		FromQuery: b.FromQuery, ToQuery: b.ToQuery, MaxHops: *b.MaxHops, Threshold: *b.Threshold, IncludeEvidence: *b.IncludeEvidence, MinEpoch: b.MinEpoch,
	}
	if err := q.Validate(); err != nil {
		return kappa.ConnectBySearchResult{}, err
	}
	if err := b.check(); err != nil {
		return kappa.ConnectBySearchResult{}, err
	}
	found, err := a.cfg.Explorer.ConnectBySearch(ctx, q)
	found.Paths = http.NotNil(found.Paths)
	return found, err
}
