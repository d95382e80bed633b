package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

// counters count what the graph holds.
type counters interface {
	// Counters returns how many there are, and how many more than at the last Refresh.
	Counters(ctx context.Context) (knowledge.GraphCounters, error)
	// Refresh remembers what there is now, and returns what has changed.
	Refresh(ctx context.Context) ([]knowledge.CounterChange, error)
}

func (a *API) registerCounters(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/database/counters", Permission: access.DatabaseRead, ID: "graph.counters", Summary: "Show the counters, and how much they have changed"}, a.counters)
	http.Register(r, http.Route{Method: "POST", Path: "/database/counters/refresh", Permission: access.DatabaseExecute, ID: "graph.refresh-counters", Summary: "Have the counters say what changes from now on"}, a.refreshCounters)
}

func (a *API) counters(ctx context.Context, _ *struct{}) (api.GraphCounters, error) {
	counters, err := a.cfg.Counters.Counters(ctx)
	out := api.GraphCounters{Counters: counters}
	for _, c := range counters.Snapshot {
		switch c.Name {
		case knowledge.CounterConcepts:
			out.Now.Concepts = c.Value
		case knowledge.CounterEdges:
			out.Now.Edges = c.Value
		case knowledge.CounterSources:
			out.Now.Sources = c.Value
		case knowledge.CounterTypes:
			out.Now.Types = c.Value
		}
	}
	out.Now.Total = out.Now.Concepts + out.Now.Edges + out.Now.Sources + out.Now.Types
	return out, err
}

func (a *API) refreshCounters(ctx context.Context, _ *struct{}) (api.CountersRefreshed, error) {
	changes, err := a.cfg.Counters.Refresh(ctx)
	out := api.CountersRefreshed{Success: true, Changes: changes}
	var changed []string
	for _, c := range changes {
		if c.Changed {
			changed = append(changed, c.Name)
		}
	}
	out.Count, out.Message = len(changed), "Nothing has changed"
	if out.Count > 0 {
		out.Message = fmt.Sprintf("%d of %d counters have changed: %s", out.Count, len(changes), strings.Join(changed, ", "))
	}
	return out, err
}
