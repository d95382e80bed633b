package admin

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// graphSettings keeps the settings of queries to the graph.
type graphSettings interface {
	Settings(ctx context.Context) (kappa.GraphSettings, error)
	UpdateSettings(ctx context.Context, u kappa.GraphSettingsUpdate) (kappa.GraphSettingsChange, error)
}

type graphConfigInput struct{ Body *graphConfig }

// graphConfig is a GraphSettingsUpdate that refuses what is no setting.
type graphConfig struct {
	_ struct{} `additionalProperties:"false"`
	kappa.GraphSettingsUpdate
}

func (a *API) registerGraphConfig(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/graph/config", Permission: kappa.SearchConfigRead, ID: "graph.config", Summary: "Show the settings of queries to the graph"},
		func(ctx context.Context, _ *struct{}) (kappa.GraphSettings, error) {
			return a.cfg.GraphSettings.Settings(ctx)
		})
	http.Register(r, http.Route{Method: "PATCH", Path: "/admin/graph/config", Permission: kappa.SearchConfigWrite, ID: "graph.update-config", Summary: "Change the settings of queries to the graph; they act at once"},
		func(ctx context.Context, in *graphConfigInput) (kappa.GraphSettingsChange, error) {
			var update kappa.GraphSettingsUpdate
			if in.Body != nil {
				update = in.Body.GraphSettingsUpdate
			}
			if err := update.Validate(); err != nil {
				return kappa.GraphSettingsChange{}, err
			}
			return a.cfg.GraphSettings.UpdateSettings(ctx, update)
		})
}
