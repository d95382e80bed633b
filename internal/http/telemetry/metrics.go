package telemetry

import (
	"context"
	nethttp "net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// Gather returns the figures that GET /metrics shows. Together with an error it returns those
// that could be had. It must not be called before Register.
func (a *API) Gather(ctx context.Context) ([]*dto.MetricFamily, error) {
	a.askFigures(ctx)
	return a.registry.Gather()
}

// askFigures asks for what the collectors show.
func (a *API) askFigures(ctx context.Context) {
	if a.asked != nil {
		a.asked.result(ctx)
	}
}

func (a *API) registerMetrics(r *http.Router) {
	handler := promhttp.HandlerFor(r.Metrics(), promhttp.HandlerOpts{DisableCompression: true})
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/metrics", Permission: access.AdminStatus, Unrecorded: true, ID: "health.metrics", Summary: "Figures of this server for Prometheus", Document: documentMetrics,
	}, func(c *gin.Context) error {
		a.askFigures(c.Request.Context())
		bare := c.Request.Clone(c.Request.Context())
		bare.Header = nethttp.Header{} // one format for all
		handler.ServeHTTP(c.Writer, bare)
		return nil
	})
}

func documentMetrics(op *huma.Operation) {
	http.Respond(op, "200", metricsType, "The figures", &huma.Schema{Type: huma.TypeString})
}
