package admin

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerServer(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/settings", Permission: access.AdminStatus, ID: "health.settings", Summary: "Show how this server is set, and where each setting comes from; no secret is shown"},
		func(context.Context, *struct{}) (api.ServerSettings, error) {
			if a.cfg.Settings == nil {
				return api.ServerSettings{}, errNotReported()
			}
			return api.ServerSettings{Settings: a.cfg.Settings()}, nil
		})
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/admin/doctor", Permission: access.AdminStatus, ID: "health.doctor", Summary: "Check this server and its lanes, and say what to do",
		Document: func(op *huma.Operation) {
			http.Respond(op, "200", "application/json", "What each check says", http.SchemaOf[api.Findings](r))
		},
	}, a.examine)
}

// examine answers with what the checks say that the caller may read of.
func (a *API) examine(c *gin.Context) error {
	if a.cfg.Examine == nil {
		return errNotReported()
	}
	http.WriteJSON(c, nethttp.StatusOK, api.Findings{Findings: a.cfg.Examine(c.Request)})
	return nil
}

func errNotReported() error {
	return kappa.NewError(kappa.CodeNotFound, "This server does not say that")
}
