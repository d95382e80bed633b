package tracing

import (
	"context"
	"log/slog"
)

// LogHandler adds to the lines of a log the ids of the trace and the span of their
// context, where there is one, as trace_id and span_id.
type LogHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h LogHandler) Handle(ctx context.Context, r slog.Record) error {
	if s := FromContext(ctx); s != nil {
		trace, span := s.IDs()
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", trace), slog.String("span_id", span))
	}
	return h.Handler.Handle(ctx, r) //nolint:wrapcheck // as the handler has it
}

// WithAttrs implements slog.Handler.
func (h LogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return LogHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h LogHandler) WithGroup(name string) slog.Handler { return LogHandler{h.Handler.WithGroup(name)} }
