package workers

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/work"
)

// collector shows the figures of the remote workers of this server.
type collector struct{ read func() work.RemoteFigures }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("kg_remote_"+name, help, labels, nil)
}

var (
	workersDesc  = desc("workers", "Remote workers that are connected to this server.", "state", "profile")
	slotsDesc    = desc("slots", "Slots of the remote workers that are connected to this server.", "kind")
	claimsDesc   = desc("claims_total", "Claims of remote workers, by how they were answered.", "result")
	claimDesc    = desc("claim_seconds", "How long claims took that reached the database.")
	startDesc    = desc("start_seconds", "From the approval of a job to its confirmation by a remote worker.")
	lateDesc     = desc("late_events_total", "Ends of runs that were another worker's by then.")
	wakeupsDesc  = desc("wakeups_total", "Times that a remote worker was told of work.")
	expiredDesc  = desc("reservations_expired_total", "Reservations that were taken back because nobody confirmed them, by this server.")
	repliesDesc  = desc("replies_seconds", "How long events of remote workers took to be handled.", "event")
	descriptions = []*prometheus.Desc{workersDesc, slotsDesc, claimsDesc, claimDesc, startDesc, lateDesc, wakeupsDesc, expiredDesc, repliesDesc}
)

// Describe implements prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range descriptions {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	f := c.read()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}
	histogram := func(d *prometheus.Desc, h work.Histogram, labels ...string) {
		out <- prometheus.MustNewConstHistogram(d, h.Count, h.Sum, h.Buckets, labels...)
	}
	for key, n := range f.Workers {
		gauge(workersDesc, float64(n), key[0], key[1])
	}
	for kind, n := range f.Slots {
		gauge(slotsDesc, float64(n), kind)
	}
	for result, n := range f.Claims {
		counter(claimsDesc, n, result)
	}
	histogram(claimDesc, f.ClaimSeconds)
	histogram(startDesc, f.StartSeconds)
	counter(lateDesc, f.Late)
	counter(wakeupsDesc, f.Wakeups)
	counter(expiredDesc, f.Expired)
	for event, h := range f.Replies {
		histogram(repliesDesc, h, event)
	}
}
