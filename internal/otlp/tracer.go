package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/kappagraph/kappa/tracing"
)

// scopeName is what records, of all that may in a process.
const scopeName = "github.com/kappagraph/kappa"

// Service is who records.
type Service struct {
	Name, Version string // Name unless OTEL_SERVICE_NAME says another one
	Instance      string // differs between processes
}

// Tracer records spans. It implements tracing.Tracer.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	adopt    bool
}

var _ tracing.Tracer = (*Tracer)(nil)

// New returns a Tracer that sends to the collector of cfg, which is On. It does not wait for
// it. Close it.
func New(ctx context.Context, cfg Config, of Service, log *slog.Logger) (*Tracer, error) {
	exporter, err := otlptrace.New(ctx, newClient(cfg, cfg.traces))
	if err != nil {
		return nil, fmt.Errorf("prepare to send spans to %s: %w", cfg.traces, err)
	}
	sender := &saying{SpanExporter: exporter, log: log.With("collector", cfg.traces.String())}
	// The library has one handler for the whole process; without ours each failure would be
	// a line on the standard error.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(sender.failed))
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(sender),
		sdktrace.WithSampler(cfg.chosen()), sdktrace.WithResource(cfg.resource(of)),
	)
	log.InfoContext(ctx, "recording traces", "collector", cfg.traces.String(), "sampler", cfg.sampler, "ratio", cfg.ratio)
	return &Tracer{provider: provider, tracer: provider.Tracer(scopeName, trace.WithInstrumentationVersion(of.Version)), adopt: cfg.adopt}, nil
}

// closeLimit is how long a stop waits for the collector.
const closeLimit = 3 * time.Second

// Close sends what is left, for three seconds at most: what a collector that is away does
// not take is lost. A nil Tracer has nothing to send.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // the exporter has said what went wrong
}

// chosen returns the sampler.
func (c Config) chosen() sdktrace.Sampler {
	switch c.sampler {
	case "always_on":
		return sdktrace.AlwaysSample()
	case "always_off":
		return sdktrace.NeverSample()
	case "traceidratio":
		return sdktrace.TraceIDRatioBased(c.ratio)
	case "parentbased_always_off":
		return sdktrace.ParentBased(sdktrace.NeverSample())
	case "parentbased_traceidratio":
		return sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.ratio))
	}
	return sdktrace.ParentBased(sdktrace.AlwaysSample())
}

// resource says who sends.
func (c Config) resource(of Service) *resource.Resource {
	list := []attribute.KeyValue{attribute.String(string(tracing.ServiceVersion), of.Version), attribute.String(string(tracing.ServiceInstance), of.Instance)}
	name := of.Name
	for key, value := range c.attributes {
		if key == string(tracing.ServiceName) {
			name = value
			continue
		}
		list = append(list, attribute.String(key, value))
	}
	if c.service != "" {
		name = c.service
	}
	return resource.NewSchemaless(append(list, attribute.String(string(tracing.ServiceName), name))...)
}

// saying says once that spans do not arrive.
type saying struct {
	sdktrace.SpanExporter
	log  *slog.Logger
	told once
}

// ExportSpans implements sdktrace.SpanExporter. Its failure is said here.
func (s *saying) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := s.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err == nil && s.told.worked():
		s.log.InfoContext(ctx, "traces arrive at the collector again")
	case !errors.Is(err, context.Canceled): // the end of the process
		s.failed(err)
	}
	return nil
}

func (s *saying) failed(err error) {
	if err != nil && s.told.failed() {
		s.log.Warn("traces do not arrive at the collector and are dropped; jobs are not touched", "err", err)
	}
}
