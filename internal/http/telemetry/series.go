package telemetry

import "github.com/prometheus/client_golang/prometheus"

// series is a metric with any number of label values, whose values are taken from
// a T at each scrape.
type series[T any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	each func(from T, emit func(value float64, labels ...string))
}

// newSeries returns a series. Its labels must not take values that clients make
// up.
func newSeries[T any](kind prometheus.ValueType, name, help string, labels []string, each func(from T, emit func(value float64, labels ...string))) series[T] {
	return series[T]{prometheus.NewDesc("kappa_"+name, help, labels, nil), kind, each}
}

// seriesCollector shows series of one source.
type seriesCollector[T any] struct {
	read func() T
	all  []series[T]
}

// Describe implements prometheus.Collector.
func (c seriesCollector[T]) Describe(out chan<- *prometheus.Desc) {
	for _, s := range c.all {
		out <- s.desc
	}
}

// Collect implements prometheus.Collector.
func (c seriesCollector[T]) Collect(out chan<- prometheus.Metric) {
	from := c.read()
	for _, s := range c.all {
		s.each(from, func(value float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(s.desc, s.kind, value, labels...)
		})
	}
}
