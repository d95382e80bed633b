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
		table = append(table, setting{name: v.Name, def: cmp.Or(v.Default, "none"), rule: v.Rule, help: v.Help, secret: v.Secret, set: func(value string) bool {
			s.Traces[v.Name] = value
			return v.Valid(value)
		}})
	}
	return table
}

// openTracer has traces recorded, if the settings say so.
func (s *server) openTracer(ctx context.Context) error {
	cfg, err := otlp.Read(func(name string) string { return s.settings.Traces[name] })
	if err != nil || !cfg.On() {
		return err
	}
	s.recorder, err = otlp.New(ctx, cfg, otlp.Service{Name: "kappa", Version: s.settings.Version, Instance: s.id}, s.log)
	return err
}

// tracer returns what begins spans, nil when none are recorded.
func (s *server) tracer() tracing.Tracer {
	if s.recorder == nil {
		return nil
	}
	return s.recorder
}
