package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// figure is one metric whose value is asked for at each scrape.
type figure[T any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(T) (float64, bool) // false when there is none
}

// sourceCollector shows how this server hears of events.
type sourceCollector struct {
	sources func() []work.EventSource
	figures []figure[work.EventSource]
}

func newSourceCollector(sources func() []work.EventSource) *sourceCollector {
	c := &sourceCollector{sources: sources}
	add := func(name, help string, kind prometheus.ValueType, value func(work.EventSource) (float64, bool)) {
		desc := prometheus.NewDesc("kappa_event_source_"+name, help, []string{"source"}, nil)
		c.figures = append(c.figures, figure[work.EventSource]{desc, kind, value})
	}
	add("connected", "1 when the source is connected.", prometheus.GaugeValue, func(s work.EventSource) (float64, bool) { return oneIf(s.Connected), true })
	add("active", "1 when the source is used, 0 when another stands in for it.", prometheus.GaugeValue, func(s work.EventSource) (float64, bool) { return oneIf(s.Active), true })
	add("reconnects_total", "Connections that were lost.", prometheus.CounterValue, func(s work.EventSource) (float64, bool) { return float64(s.Reconnects), true })
	add("lag_seconds", "How long the last message of the source to itself took.", prometheus.GaugeValue, func(s work.EventSource) (float64, bool) { return http.Or(s.LagMS, 0) / 1000, s.LagMS != nil })
	add("lag_bytes", "How much of the write-ahead log was not yet read.", prometheus.GaugeValue, func(s work.EventSource) (float64, bool) { return float64(http.Or(s.LagBytes, 0)), s.LagBytes != nil })
	return c
}

// Describe implements prometheus.Collector.
func (c *sourceCollector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range c.figures {
		out <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c *sourceCollector) Collect(out chan<- prometheus.Metric) {
	for _, source := range c.sources() {
		for _, f := range c.figures {
			if v, ok := f.value(source); ok {
				out <- prometheus.MustNewConstMetric(f.desc, f.kind, v, source.Name)
			}
		}
	}
}

// hubCollector shows the hub's figures.
type hubCollector struct {
	stats   func() work.HubStats
	figures []figure[work.HubStats]
}

func newHubCollector(stats func() work.HubStats) *hubCollector {
	c := &hubCollector{stats: stats}
	add := func(name, help string, kind prometheus.ValueType, value func(work.HubStats) float64) {
		desc := prometheus.NewDesc("kappa_hub_"+name, help, nil, nil)
		c.figures = append(c.figures, figure[work.HubStats]{desc, kind, func(s work.HubStats) (float64, bool) { return value(s), true }})
	}
	add("watched_jobs", "Jobs with subscribers.", prometheus.GaugeValue, func(s work.HubStats) float64 { return float64(s.Watched) })
	add("subscribers", "Open subscriptions.", prometheus.GaugeValue, func(s work.HubStats) float64 { return float64(s.Subscribers) })
	add("delivered_total", "Events put into mailboxes.", prometheus.CounterValue, func(s work.HubStats) float64 { return float64(s.Delivered) })
	add("coalesced_total", "Progress events that took the place of earlier ones.", prometheus.CounterValue, func(s work.HubStats) float64 { return float64(s.Coalesced) })
	add("ended_slow_total", "Subscriptions whose reader was too slow.", prometheus.CounterValue, func(s work.HubStats) float64 { return float64(s.EndedSlow) })
	add("reads_total", "Statements sent to the database.", prometheus.CounterValue, func(s work.HubStats) float64 { return float64(s.Reads) })
	return c
}

// Describe implements prometheus.Collector.
func (c *hubCollector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range c.figures {
		out <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c *hubCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	for _, f := range c.figures {
		v, _ := f.value(stats)
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, v)
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
