package admin

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// checks check the rules that the graph keeps; see the store's methods for the errors.
type checks interface {
	CheckGraph(ctx context.Context, name string) (kappa.GraphChecked, error)
	RepairGraph(ctx context.Context, name string) (kappa.GraphRepaired, error)
}

// checkWithin is how long one check, or one repair, of a large graph may take.
const checkWithin = 15 * time.Minute

type checkList struct {
	Checks []kappa.GraphCheck `json:"checks" doc:"In the order in which they are to be checked, and repaired"`
}

type checkPath struct {
	Name string `path:"name" doc:"Of a check"`
}

func (a *API) registerChecks(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/graph/checks", Permission: kappa.DatabaseRead, ID: "graph.checks", Summary: "List the rules that the graph keeps"},
		func(context.Context, *struct{}) (checkList, error) { return checkList{kappa.GraphChecks()}, nil })
	http.Register(r, http.Route{
		Method: "GET", Path: "/admin/graph/checks/{name}", Permission: kappa.DatabaseRead, ID: "graph.check", Summary: "Check a rule that the graph keeps", AnswerWithin: checkWithin,
	}, func(ctx context.Context, in *checkPath) (kappa.GraphChecked, error) {
		return a.cfg.Checks.CheckGraph(ctx, in.Name)
	})
	http.Register(r, http.Route{
		Method: "POST", Path: "/admin/graph/checks/{name}/repair", Permission: kappa.DatabaseExecute, ID: "graph.repair", Summary: "Repair what breaks a rule", AnswerWithin: checkWithin,
	}, func(ctx context.Context, in *checkPath) (kappa.GraphRepaired, error) {
		return a.cfg.Checks.RepairGraph(ctx, in.Name)
	})
}
