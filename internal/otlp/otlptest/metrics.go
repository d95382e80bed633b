package otlptest

import (
	"context"
	"slices"

	metricscollector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
)

// Metric is a metric that has arrived, as OTLP has it.
type Metric struct {
	*metrics.Metric

	Resource map[string]string // of the process that sent it
}

// Metrics returns what has arrived, in its order.
func (c *Collector) Metrics() []Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.metrics)
}

// metricsService is the service of metrics over gRPC.
type metricsService struct {
	metricscollector.UnimplementedMetricsServiceServer

	c *Collector
}

// Export implements the service.
func (s metricsService) Export(ctx context.Context, r *metricscollector.ExportMetricsServiceRequest) (*metricscollector.ExportMetricsServiceResponse, error) {
	if !s.c.take(ctx, r, keyOf(ctx)) {
		return nil, errRefused
	}
	return &metricscollector.ExportMetricsServiceResponse{}, nil
}

func (c *Collector) takeMetricsLocked(r *metricscollector.ExportMetricsServiceRequest) {
	for _, of := range r.GetResourceMetrics() {
		resource := attributes(of.GetResource().GetAttributes())
		for _, scope := range of.GetScopeMetrics() {
			for _, m := range scope.GetMetrics() {
				c.metrics = append(c.metrics, Metric{m, resource})
			}
		}
	}
}
