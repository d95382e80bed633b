package otlp

import (
	"math"

	dto "github.com/prometheus/client_model/go"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// conversion makes metrics of OTLP from those of Prometheus. Names, labels and values stay
// as they are; whatever counts is cumulative.
type conversion struct {
	began uint64 // since when counts what does not say it, in nanoseconds since 1970
	now   uint64
}

const cumulative = metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE

// metrics returns a family: one metric, or two when some of its histograms are native ones
// and some are not.
func (c conversion) metrics(f *dto.MetricFamily) []*metrics.Metric {
	named := func() *metrics.Metric { return &metrics.Metric{Name: f.GetName(), Description: f.GetHelp()} }
	one := named()
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		one.Data = &metrics.Metric_Sum{Sum: &metrics.Sum{
			AggregationTemporality: cumulative, IsMonotonic: true,
			DataPoints: c.numbers(f, func(m *dto.Metric) (float64, *timestamppb.Timestamp) {
				return m.GetCounter().GetValue(), m.GetCounter().GetCreatedTimestamp()
			}),
		}}
	case dto.MetricType_GAUGE, dto.MetricType_UNTYPED:
		points := c.numbers(f, func(m *dto.Metric) (float64, *timestamppb.Timestamp) {
			if m.GetUntyped() != nil {
				return m.GetUntyped().GetValue(), nil
			}
			return m.GetGauge().GetValue(), nil
		})
		for _, p := range points {
			p.StartTimeUnixNano = 0 // a gauge is of a moment
		}
		one.Data = &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: points}}
	case dto.MetricType_SUMMARY:
		summary := &metrics.Summary{}
		for _, m := range f.GetMetric() {
			summary.DataPoints = append(summary.DataPoints, c.summary(m))
		}
		one.Data = &metrics.Metric_Summary{Summary: summary}
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		return c.histograms(f, named)
	}
	return []*metrics.Metric{one}
}

// numbers returns the values of a family.
func (c conversion) numbers(f *dto.MetricFamily, value func(*dto.Metric) (float64, *timestamppb.Timestamp)) (points []*metrics.NumberDataPoint) {
	for _, m := range f.GetMetric() {
		v, since := value(m)
		points = append(points, &metrics.NumberDataPoint{
			Attributes: labels(m), StartTimeUnixNano: c.since(since), TimeUnixNano: c.now, Value: &metrics.NumberDataPoint_AsDouble{AsDouble: v},
		})
	}
	return points
}

func (c conversion) summary(m *dto.Metric) *metrics.SummaryDataPoint {
	s := m.GetSummary()
	point := &metrics.SummaryDataPoint{
		Attributes: labels(m), StartTimeUnixNano: c.since(s.GetCreatedTimestamp()), TimeUnixNano: c.now,
		Count: s.GetSampleCount(), Sum: s.GetSampleSum(),
	}
	for _, q := range s.GetQuantile() {
		point.QuantileValues = append(point.QuantileValues, &metrics.SummaryDataPoint_ValueAtQuantile{Quantile: q.GetQuantile(), Value: q.GetValue()})
	}
	return point
}

// histograms returns the native ones of a family as exponential ones, without the buckets
// that they have besides, and the others with their buckets.
func (c conversion) histograms(f *dto.MetricFamily, named func() *metrics.Metric) (list []*metrics.Metric) {
	explicit, exponential := &metrics.Histogram{AggregationTemporality: cumulative}, &metrics.ExponentialHistogram{AggregationTemporality: cumulative}
	for _, m := range f.GetMetric() {
		if h := m.GetHistogram(); h.Schema != nil && h.GetSchema() >= coarsest && h.GetSchema() <= finest {
			exponential.DataPoints = append(exponential.DataPoints, c.exponential(m))
			continue
		}
		explicit.DataPoints = append(explicit.DataPoints, c.explicit(m))
	}
	if len(explicit.DataPoints) > 0 {
		one := named()
		one.Data = &metrics.Metric_Histogram{Histogram: explicit}
		list = append(list, one)
	}
	if len(exponential.DataPoints) > 0 {
		one := named()
		one.Data = &metrics.Metric_ExponentialHistogram{ExponentialHistogram: exponential}
		list = append(list, one)
	}
	return list
}

// explicit returns a classic histogram: Prometheus counts in each bucket what is in those
// below it too, and OTLP does not.
func (c conversion) explicit(m *dto.Metric) *metrics.HistogramDataPoint {
	h := m.GetHistogram()
	sum := h.GetSampleSum()
	point := &metrics.HistogramDataPoint{
		Attributes: labels(m), StartTimeUnixNano: c.since(h.GetCreatedTimestamp()), TimeUnixNano: c.now, Count: h.GetSampleCount(), Sum: &sum,
	}
	below := uint64(0)
	for _, b := range h.GetBucket() {
		if math.IsInf(b.GetUpperBound(), 1) {
			continue // it is what is left
		}
		point.ExplicitBounds = append(point.ExplicitBounds, b.GetUpperBound())
		point.BucketCounts = append(point.BucketCounts, b.GetCumulativeCount()-below)
		below = b.GetCumulativeCount()
	}
	point.BucketCounts = append(point.BucketCounts, h.GetSampleCount()-below)
	return point
}

// since returns when a count began.
func (c conversion) since(created *timestamppb.Timestamp) uint64 {
	if created == nil {
		return c.began
	}
	return nanoseconds(created.AsTime())
}

func labels(m *dto.Metric) (attributes []*common.KeyValue) {
	for _, l := range m.GetLabel() {
		attributes = append(attributes, attributeOf(l.GetName(), l.GetValue()))
	}
	return attributes
}
