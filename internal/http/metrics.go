package http

import (
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are the figures of one Server, in a registry of its own, to which its
// resources add theirs.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kappa_http_requests_total", Help: "Requests that were answered.",
		}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kappa_http_request_duration_seconds", Help: "How long requests took, without event streams.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"method", "route"}),
	}
	m.registry.MustRegister(m.requests, m.duration, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// countRequest counts an answer. A route that does not exist has no name: names
// that clients make up would fill the memory.
func (m *metrics) countRequest(c *gin.Context, took time.Duration) {
	route, method := exchangeOf(c.Request.Context()).route, c.Request.Method
	if route == "" {
		route, method = "none", "any"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(c.Writer.Status()/100)+"xx").Inc()
	if c.Writer.Header().Get("Content-Type") != EventStreamType {
		m.duration.WithLabelValues(method, route).Observe(took.Seconds())
	}
}
