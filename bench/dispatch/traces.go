package main

import (
	"context"
	"net/http"
	"net/http/httptest"

	"github.com/kappagraph/kappa/internal/otlp"
)

// newTracer returns a tracer that samples one trace in a hundred, and sends to a collector
// that takes all and keeps nothing.
func newTracer(ctx context.Context) (tracer *otlp.Tracer, closeAll func(), err error) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	values := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01",
	}
	cfg, err := otlp.Read(func(name string) string { return values[name] })
	if err == nil {
		tracer, err = otlp.New(ctx, cfg, otlp.Service{Name: "bench"}, quiet)
	}
	return tracer, func() {
		tracer.Close(ctx)
		collector.Close()
	}, err
}
