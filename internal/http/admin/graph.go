package admin

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

func (a *API) registerGraph(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/graph/status", Permission: access.AdminStatus, ID: "graph.status", Summary: "Show the graph that this server keeps in memory"},
		func(ctx context.Context, _ *struct{}) (knowledge.GraphStatus, error) {
			if a.cfg.Graph == nil {
				return knowledge.GraphStatus{State: knowledge.GraphOff}, nil
			}
			return a.cfg.Graph(ctx), nil
		})
}
