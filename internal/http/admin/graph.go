package admin

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerGraph(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/graph/status", Permission: kappa.AdminStatus, ID: "graph.status", Summary: "Show the graph that this server keeps in memory"},
		func(ctx context.Context, _ *struct{}) (kappa.GraphStatus, error) {
			if a.cfg.Graph == nil {
				return kappa.GraphStatus{State: kappa.GraphOff}, nil
			}
			return a.cfg.Graph(ctx), nil
		})
}
