package otlp

import (
	dto "github.com/prometheus/client_model/go"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
)

// The schemas of native histograms that are the scales of OTLP: a power of two has
// 2^schema buckets.
const (
	coarsest = -4
	finest   = 8
)

// exponential returns a native histogram.
func (c conversion) exponential(m *dto.Metric) *metrics.ExponentialHistogramDataPoint {
	h := m.GetHistogram()
	sum := h.GetSampleSum()
	return &metrics.ExponentialHistogramDataPoint{
		Attributes: labels(m), StartTimeUnixNano: c.since(h.GetCreatedTimestamp()), TimeUnixNano: c.now,
		Count: h.GetSampleCount(), Sum: &sum, Scale: h.GetSchema(), ZeroCount: h.GetZeroCount(), ZeroThreshold: h.GetZeroThreshold(),
		Positive: dense(h.GetPositiveSpan(), h.GetPositiveDelta()), Negative: dense(h.GetNegativeSpan(), h.GetNegativeDelta()),
	}
}

// dense returns buckets one after the other. Prometheus has spans of them with gaps between,
// each count as the difference to the one before; its bucket i ends where that of OTLP
// begins, which is the one with the number i-1 there.
func dense(spans []*dto.BucketSpan, deltas []int64) *metrics.ExponentialHistogramDataPoint_Buckets {
	buckets := &metrics.ExponentialHistogramDataPoint_Buckets{}
	count := int64(0)
	for i, s := range spans {
		if i == 0 {
			buckets.Offset = s.GetOffset() - 1
		} else {
			buckets.BucketCounts = append(buckets.BucketCounts, make([]uint64, s.GetOffset())...)
		}
		for range s.GetLength() {
			count += deltas[0]
			deltas = deltas[1:]
			buckets.BucketCounts = append(buckets.BucketCounts, uint64(count))
		}
	}
	return buckets
}
