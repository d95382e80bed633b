// Package telemetry is the part of the HTTP API that says how the server is: health,
// liveness, readiness, and figures for Prometheus.
package telemetry

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// Config is what an API needs. Health, Graph and Log are required.
type Config struct {
	Health  health
	Graph   graph
	Version string           // of this program
	Now     func() time.Time // the database's time, as far as it is known; nil = not reported

	Sources   func() []work.EventSource  // how this server hears of events; nil = not reported
	HubStats  func() work.HubStats       // for the metrics; nil = not reported
	Figures   Figures                    // for the metrics
	GraphWork func() knowledge.GraphWork // for the metrics; nil = not reported
	Readiness Readiness                  // for the probes

	Log *slog.Logger
}

// API says how the server is. It is a http.Drainer.
type API struct {
	cfg      Config
	asked    *probe[askedFigures] // nil when the database is not asked
	registry prometheus.Gatherer
	draining atomic.Bool // a stop is to come, or has begun
	unready  atomic.Bool // the last check found that the server is not ready
}

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes, and the figures that are asked for at each scrape.
func (a *API) Register(r *http.Router) error {
	if err := http.CheckConfig("http/telemetry", a.cfg); err != nil {
		return err
	}
	a.registry = r.Metrics()
	a.registerCollectors(r.Metrics())
	a.registerHealth(r)
	a.registerReady(r)
	a.registerLive(r)
	a.registerMetrics(r)
	return nil
}
