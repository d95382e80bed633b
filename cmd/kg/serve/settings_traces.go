package serve

import (
	"cmp"
	"context"

	"github.com/kappagraph/kappa/internal/otlp"
	"github.com/kappagraph/kappa/tracing"
)

// tracesTable returns the variables of OpenTelemetry, which are settings like the others.
func (s *Settings) tracesTable() []setting {
	s.Traces = map[string]string{}
	var table []setting
	for _, v := range otlp.Variables() {
		inWords := v.Default == "" || !v.Valid(v.Default)
		table = append(table, setting{name: v.Name, def: cmp.Or(v.Default, "none"), inWords: inWords, rule: v.Rule, help: v.Help, secret: v.Secret, set: func(value string) bool {
			s.Traces[v.Name] = value
			return v.Valid(value)
		}})
	}
	return table
}

// itself is this server, as a collector is told.
func (s *server) itself() otlp.Service {
	return otlp.Service{Name: "kappa", Version: s.settings.Version, Instance: s.id}
}

// openTracer reads where traces and metrics go, and has traces recorded if the settings say so.
func (s *server) openTracer(ctx context.Context) (err error) {
	if s.collector, err = otlp.Read(func(name string) string { return s.settings.Traces[name] }); err != nil || !s.collector.On() {
		return err
	}
	s.recorder, err = otlp.New(ctx, s.collector, s.itself(), s.log)
	return err
}

// tracer returns what begins spans, nil when none are recorded.
func (s *server) tracer() tracing.Tracer {
	if s.recorder == nil {
		return nil
	}
	return s.recorder
}

// pushing is what pushes metrics, nothing unless the settings say so.
func (s *server) pushing() []service {
	if !s.collector.MetricsOn() {
		return nil
	}
	return []service{{"metrics to a collector", otlp.NewMetrics(s.collector, s.itself(), s.web.telemetry.Gather, s.log).Run}}
}
