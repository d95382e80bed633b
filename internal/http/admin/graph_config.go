package admin

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

// graphSettings keeps the settings of queries to the graph.
type graphSettings interface {
	Settings(ctx context.Context) (knowledge.GraphSettings, error)
	UpdateSettings(ctx context.Context, u knowledge.GraphSettingsUpdate) (knowledge.GraphSettingsChange, error)
}

type graphConfigInput struct{ Body *graphConfig }

// graphConfig is a GraphSettingsUpdate that refuses what is no setting.
type graphConfig struct {
	_ struct{} `additionalProperties:"false"`
	knowledge.GraphSettingsUpdate
}

func (a *API) registerGraphConfig(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/graph/config", Permission: access.SearchConfigRead, ID: "graph.config", Summary: "Show the settings of queries to the graph"},
		func(ctx context.Context, _ *struct{}) (knowledge.GraphSettings, error) {
			return a.cfg.GraphSettings.Settings(ctx)
		})
	http.Register(r, http.Route{Method: "PATCH", Path: "/admin/graph/config", Permission: access.SearchConfigWrite, ID: "graph.update-config", Summary: "Change the settings of queries to the graph; they act at once"},
		func(ctx context.Context, in *graphConfigInput) (knowledge.GraphSettingsChange, error) {
			var update knowledge.GraphSettingsUpdate
			if in.Body != nil {
				update = in.Body.GraphSettingsUpdate
			}
			if err := update.Validate(); err != nil {
				return knowledge.GraphSettingsChange{}, err
			}
			return a.cfg.GraphSettings.UpdateSettings(ctx, update)
		})
}
