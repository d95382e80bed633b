package streams

import "github.com/prometheus/client_golang/prometheus"

// streamMetrics are the figures of the event streams.
type streamMetrics struct {
	events *prometheus.CounterVec
	ends   *prometheus.CounterVec

	ofEvents map[string]prometheus.Counter // those of events, which are many
}

// streamEvents are the names of all server-sent events.
func streamEvents() []string {
	return []string{"ready", "snapshot", "status", "progress", "completed", "failed", "cancelled", "lane", "reset", "error", "keepalive"}
}

// newStreamMetrics adds the figures of streams to a registry. open returns how
// many are open.
func newStreamMetrics(registry prometheus.Registerer, open func() int) *streamMetrics {
	m := &streamMetrics{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kappa_stream_events_total", Help: "Server-sent events that were written for clients.",
		}, []string{"event"}),
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kappa_streams_ended_total", Help: "Event streams that have ended, by why.",
		}, []string{"reason"}),
		ofEvents: map[string]prometheus.Counter{},
	}
	for _, name := range streamEvents() {
		m.ofEvents[name] = m.events.WithLabelValues(name)
	}
	gauge := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "kappa_streams_open", Help: "Event streams that are open."},
		func() float64 { return float64(open()) })
	registry.MustRegister(m.events, m.ends, gauge)
	return m
}

// countEvent records a server-sent event. One that has no counter is not counted:
// names never come from clients, but they may come from the database.
func (m *streamMetrics) countEvent(event string) {
	if counter := m.ofEvents[event]; counter != nil {
		counter.Inc()
	}
}

// countEnd records that an event stream has ended.
func (m *streamMetrics) countEnd(why streamEnd) { m.ends.WithLabelValues(string(why)).Inc() }
