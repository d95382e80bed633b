package admin

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

// checks check the rules that the graph keeps; see the store's methods for the errors.
type checks interface {
	CheckGraph(ctx context.Context, name string) (knowledge.GraphChecked, error)
	RepairGraph(ctx context.Context, name string) (knowledge.GraphRepaired, error)
}

// checkWithin is how long one check, or one repair, of a large graph may take.
const checkWithin = 15 * time.Minute

type checkPath struct {
	Name string `path:"name" doc:"Of a check"`
}

func (a *API) registerChecks(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/graph/checks", Permission: access.DatabaseRead, ID: "graph.checks", Summary: "List the rules that the graph keeps"},
		func(context.Context, *struct{}) (api.GraphCheckList, error) {
			return api.GraphCheckList{Checks: knowledge.GraphChecks()}, nil
		})
	http.Register(r, http.Route{
		Method: "GET", Path: "/admin/graph/checks/{name}", Permission: access.DatabaseRead, ID: "graph.check", Summary: "Check a rule that the graph keeps", AnswerWithin: checkWithin,
	}, func(ctx context.Context, in *checkPath) (knowledge.GraphChecked, error) {
		return a.cfg.Checks.CheckGraph(ctx, in.Name)
	})
	http.Register(r, http.Route{
		Method: "POST", Path: "/admin/graph/checks/{name}/repair", Permission: access.DatabaseExecute, ID: "graph.repair", Summary: "Repair what breaks a rule", AnswerWithin: checkWithin,
	}, func(ctx context.Context, in *checkPath) (knowledge.GraphRepaired, error) {
		return a.cfg.Checks.RepairGraph(ctx, in.Name)
	})
}
