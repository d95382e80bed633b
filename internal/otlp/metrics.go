package otlp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	dto "github.com/prometheus/client_model/go"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/kappagraph/kappa"
)

// Metrics pushes metrics to a collector.
type Metrics struct {
	cfg    Config
	of     Service
	began  time.Time // when what counts without saying since when began to
	gather func(ctx context.Context) ([]*dto.MetricFamily, error)
	client *client
	log    *slog.Logger
	told   once
}

// NewMetrics returns what pushes to the collector of cfg, whose MetricsOn is true, what gather
// returns. gather may return metrics and an error; the metrics are pushed then.
func NewMetrics(cfg Config, of Service, gather func(ctx context.Context) ([]*dto.MetricFamily, error), log *slog.Logger) *Metrics {
	return &Metrics{
		cfg: cfg, of: of, began: time.Now(), gather: gather, client: newClient(cfg, cfg.metrics),
		log: log.With("collector", cfg.metrics.String()),
	}
}

// Run pushes at each interval until ctx ends, and then once more, for three seconds at most.
// A push that fails loses nothing but a point of each metric: the next one has the sums of
// all time. It returns nil.
func (m *Metrics) Run(ctx context.Context) error {
	defer m.client.http.CloseIdleConnections()
	m.log.InfoContext(ctx, "pushing metrics", "interval", m.cfg.interval)
	for kappa.Sleep(ctx, m.cfg.interval) {
		m.push(ctx)
	}
	lastCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	m.push(lastCtx)
	return nil
}

// push sends what the metrics are now.
func (m *Metrics) push(ctx context.Context) {
	families, err := m.gather(ctx)
	if err != nil {
		m.log.DebugContext(ctx, "metrics not gathered", "err", err)
	}
	err = m.client.upload(ctx, m.message(families, time.Now()))
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled): // the last push follows
	case err == nil && m.told.worked():
		m.log.InfoContext(ctx, "metrics arrive at the collector again")
	case err != nil && m.told.failed():
		m.log.WarnContext(ctx, "metrics do not arrive at the collector; sums go on, and nothing else is touched", "err", err)
	}
}

// message returns the metrics as OTLP has them: its request is encoded as MetricsData is.
func (m *Metrics) message(families []*dto.MetricFamily, now time.Time) *metrics.MetricsData {
	c := conversion{began: nanoseconds(m.began), now: nanoseconds(now)}
	scope := &metrics.ScopeMetrics{Scope: &common.InstrumentationScope{Name: scopeName, Version: m.of.Version}}
	for _, f := range families {
		scope.Metrics = append(scope.Metrics, c.metrics(f)...)
	}
	var attributes []*common.KeyValue
	for _, a := range m.cfg.resource(m.of).Attributes() {
		attributes = append(attributes, attributeOf(string(a.Key), a.Value.AsString()))
	}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource: &resource.Resource{Attributes: attributes}, ScopeMetrics: []*metrics.ScopeMetrics{scope},
	}}}
}

func attributeOf(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func nanoseconds(t time.Time) uint64 { return uint64(t.UnixNano()) }
