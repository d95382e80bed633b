// Package tracing has the words of traces: what a span is, how a part of the work begins
// one, and the names that spans bear. What records spans and sends them to a collector is
// internal/otlp. Without a Tracer there are no spans: to begin one then costs a look into
// the context and allocates nothing.
package tracing

import "context"

// Kind says on which side of a call or a job a span is.
type Kind int

// The kinds of spans.
const (
	Internal Kind = iota // a part of the work
	Server               // answers a request
	Client               // makes a request and waits for the answer
	Producer             // submits a job
	Consumer             // works on a job
)

// Beginning is what is known of a span when it begins.
type Beginning struct {
	Kind      Kind
	Operation string // the first word of its name
	Target    string // what comes after it in the name; "" is nothing
	// Parent is the traceparent of the span that it is a part of, as W3C writes it. ""
	// begins a trace; so does one that cannot be read.
	Parent string
	// Link is the traceparent of a span that led to this one; "" is none.
	Link string
}

// Tracer begins spans. It may be used by many goroutines.
type Tracer interface {
	Begin(b Beginning) Recording
}

// Recording is a span as a Tracer keeps it. One goroutine at a time uses it.
type Recording interface {
	// Name replaces the name that the span began with.
	Name(operation, target string)
	String(key Key, value string)
	Int(key Key, value int64)
	Float(key Key, value float64)
	// End ends the span, which failed with err unless that is nil. It is called once.
	End(err error)
	// Sampled reports whether the span is recorded at all.
	Sampled() bool
	Traceparent() string
	// IDs returns the ids of the trace and the span in hexadecimal digits.
	IDs() (trace, span string)
}

// Span is a part of a trace. All methods of a nil Span do nothing.
type Span struct {
	Recording
	tracer Tracer
}

type spanKey struct{}

// Begin begins a span with a Tracer, and returns a context in which Start begins parts of
// it. Without a Tracer it returns ctx and no span.
func Begin(ctx context.Context, t Tracer, b Beginning) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	s := &Span{Recording: t.Begin(b), tracer: t}
	return context.WithValue(ctx, spanKey{}, s), s
}

// Start begins a part of the span of ctx. Where there is none, or it is not sampled, it
// returns ctx and no span.
func Start(ctx context.Context, kind Kind, operation, target string) (context.Context, *Span) {
	s := FromContext(ctx)
	if s == nil || !s.Sampled() {
		return ctx, nil
	}
	return Begin(ctx, s.tracer, Beginning{Kind: kind, Operation: operation, Target: target, Parent: s.Traceparent()})
}

// FromContext returns the span of a context, or nil.
func FromContext(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Traceparent returns the traceparent of the span of a context, sampled or not; "" without
// one.
func Traceparent(ctx context.Context) string {
	s := FromContext(ctx)
	if s == nil {
		return ""
	}
	return s.Traceparent()
}

// Name replaces the name of the span.
func (s *Span) Name(operation, target string) {
	if s != nil {
		s.Recording.Name(operation, target)
	}
}

// String says something of the span, unless value is "".
func (s *Span) String(key Key, value string) {
	if s != nil && value != "" {
		s.Recording.String(key, value)
	}
}

// Int says a number of the span.
func (s *Span) Int(key Key, value int64) {
	if s != nil {
		s.Recording.Int(key, value)
	}
}

// Float says a number of the span.
func (s *Span) Float(key Key, value float64) {
	if s != nil {
		s.Recording.Float(key, value)
	}
}

// Job says which job the span submits or works on.
func (s *Span) Job(operation, operationType, jobID, jobType string) {
	s.String(MessagingSystem, System)
	s.String(MessagingOperation, operation)
	s.String(MessagingOperationType, operationType)
	s.String(MessagingMessage, jobID)
	s.String(MessagingDestination, jobType)
}

// End ends the span, which failed with err unless that is nil.
func (s *Span) End(err error) {
	if s != nil {
		s.Recording.End(err)
	}
}
