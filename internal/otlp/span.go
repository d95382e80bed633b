package otlp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/tracing"
)

// kinds are OpenTelemetry's words for ours.
var kinds = [...]trace.SpanKind{
	tracing.Internal: trace.SpanKindInternal, tracing.Server: trace.SpanKindServer, tracing.Client: trace.SpanKindClient,
	tracing.Producer: trace.SpanKindProducer, tracing.Consumer: trace.SpanKindConsumer,
}

// span implements tracing.Recording.
type span struct{ trace.Span }

// Begin implements tracing.Tracer.
func (t *Tracer) Begin(b tracing.Beginning) tracing.Recording {
	ctx := context.Background() //nolint:forbidigo // that of the parent comes as text
	options := [2]trace.SpanStartOption{trace.WithSpanKind(kinds[b.Kind])}
	used := options[:1]
	if parent, ok := parse(b.Parent); ok && (t.adopt || b.Kind != tracing.Server) {
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
	}
	if link, ok := parse(b.Link); ok {
		options[1] = trace.WithLinks(trace.Link{SpanContext: link})
		used = options[:2]
	}
	_, s := t.tracer.Start(ctx, nameOf(b.Operation, b.Target), used...) //nolint:spancheck // Recording.End ends it
	return span{s}                                                      //nolint:spancheck // likewise
}

func nameOf(operation, target string) string {
	if target == "" {
		return operation
	}
	return operation + " " + target
}

// Name implements tracing.Recording.
func (s span) Name(operation, target string) { s.SetName(nameOf(operation, target)) }

// String implements tracing.Recording.
func (s span) String(key tracing.Key, value string) {
	if s.IsRecording() {
		s.SetAttributes(attribute.String(string(key), value))
	}
}

// Int implements tracing.Recording.
func (s span) Int(key tracing.Key, value int64) {
	if s.IsRecording() {
		s.SetAttributes(attribute.Int64(string(key), value))
	}
}

// Float implements tracing.Recording.
func (s span) Float(key tracing.Key, value float64) {
	if s.IsRecording() {
		s.SetAttributes(attribute.Float64(string(key), value))
	}
}

// End implements tracing.Recording. What a failure says of itself for users is the
// description; its cause, which may hold texts of documents, stays in the log.
func (s span) End(err error) {
	if err != nil && s.IsRecording() {
		s.SetStatus(codes.Error, kappa.ErrorMessage(err))
		s.SetAttributes(attribute.String(string(tracing.ErrorType), typeOf(err)))
	}
	s.Span.End()
}

// typeOf returns a word for a failure.
func typeOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, kappa.ErrCancelled), errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return string(kappa.ErrorCode(err))
}

// Sampled implements tracing.Recording.
func (s span) Sampled() bool { return s.SpanContext().IsSampled() }

// Traceparent implements tracing.Recording.
func (s span) Traceparent() string {
	c := s.SpanContext()
	return fmt.Sprintf("00-%s-%s-%s", c.TraceID(), c.SpanID(), c.TraceFlags()&trace.FlagsSampled)
}

// IDs implements tracing.Recording.
func (s span) IDs() (string, string) {
	c := s.SpanContext()
	return c.TraceID().String(), c.SpanID().String()
}

const traceparentBytes = 55 // of version 00; later ones may be longer

// parse reads a traceparent, of any version but ff.
func parse(text string) (c trace.SpanContext, ok bool) {
	if len(text) < traceparentBytes || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
		text[:2] == "ff" || text[:2] == "00" && len(text) > traceparentBytes || len(text) > traceparentBytes && text[traceparentBytes] != '-' {
		return c, false
	}
	traceID, err1 := trace.TraceIDFromHex(text[3:35])
	spanID, err2 := trace.SpanIDFromHex(text[36:52])
	flags, err3 := hex.DecodeString(text[53:55])
	_, err4 := hex.DecodeString(text[:2])
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return c, false
	}
	c = trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, TraceFlags: trace.TraceFlags(flags[0]), Remote: true})
	return c, c.IsValid()
}
