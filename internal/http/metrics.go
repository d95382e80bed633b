package http

import (
	nethttp "net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// metrics are the figures of one Server, in a registry of its own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	events   *prometheus.CounterVec
	ends     *prometheus.CounterVec

	ofEvents map[string]prometheus.Counter // those of events, which are many
	asked    *probe[askedFigures]          // nil when the database is not asked
}

// streamEvents are the names of all server-sent events.
func streamEvents() []string {
	return []string{"ready", "snapshot", "status", "progress", "completed", "failed", "cancelled", "lane", "reset", "error", "keepalive"}
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kappa_http_requests_total", Help: "Requests that were answered.",
		}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kappa_http_request_duration_seconds", Help: "How long requests took, without event streams.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"method", "route"}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kappa_stream_events_total", Help: "Server-sent events that were written for clients.",
		}, []string{"event"}),
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kappa_streams_ended_total", Help: "Event streams that have ended, by why.",
		}, []string{"reason"}),
	}
	m.ofEvents = map[string]prometheus.Counter{}
	for _, name := range streamEvents() {
		m.ofEvents[name] = m.events.WithLabelValues(name)
	}
	open := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "kappa_streams_open", Help: "Event streams that are open."},
		func() float64 { return float64(s.streams.count()) })
	m.registry.MustRegister(m.requests, m.duration, m.events, m.ends, open, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if s.cfg.Sources != nil {
		m.registry.MustRegister(newSourceCollector(s.cfg.Sources))
	}
	if s.cfg.HubStats != nil {
		m.registry.MustRegister(newHubCollector(s.cfg.HubStats))
	}
	m.registerFigures(s)
	return m
}

// countRequest notes an answer. A route that does not exist has no name: names
// that clients make up would fill the memory.
func (m *metrics) countRequest(c *gin.Context, took time.Duration) {
	route, method := exchangeOf(c.Request.Context()).route, c.Request.Method
	if route == "" {
		route, method = "none", "any"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(c.Writer.Status()/100)+"xx").Inc()
	if c.Writer.Header().Get("Content-Type") != eventStreamType {
		m.duration.WithLabelValues(method, route).Observe(took.Seconds())
	}
}

// countEvent notes a server-sent event. One that has no counter is not counted:
// names never come from clients, but they may come from the database.
func (m *metrics) countEvent(event string) {
	if counter := m.ofEvents[event]; counter != nil {
		counter.Inc()
	}
}

// countEnd notes that an event stream has ended.
func (m *metrics) countEnd(why streamEnd) { m.ends.WithLabelValues(string(why)).Inc() }

func (s *Server) registerMetrics() {
	handler := promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{DisableCompression: true})
	s.registerRaw(route{
		method: "GET", path: "/metrics", permission: adminStatus, id: "health.metrics", summary: "Figures of this server for Prometheus", document: documentMetrics,
	}, func(c *gin.Context) error {
		if s.metrics.asked != nil {
			s.metrics.asked.result(c.Request.Context()) // what the collectors show
		}
		r := c.Request.Clone(c.Request.Context())
		r.Header = nethttp.Header{} // one format for all
		handler.ServeHTTP(c.Writer, r)
		return nil
	})
}

func documentMetrics(op *huma.Operation) {
	op.Description = "In Prometheus' text format. Prometheus logs in by itself when its scrape has oauth2 with the id and the secret of a client, and the token_url of POST /auth/oauth/token."
	respond(op, "200", metricsType, "The figures", &huma.Schema{Type: huma.TypeString})
}
