package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/tracing"
)

// statementSpans has each statement that has a name be a span, where there is a sampled one
// to be a part of. Neither the text of a statement nor what it carries is said.
type statementSpans struct{}

var (
	_ pgx.QueryTracer = statementSpans{}
	_ pgx.BatchTracer = statementSpans{}
)

type statementKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (statementSpans) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	return startStatement(ctx, d.SQL)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (statementSpans) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryEndData) {
	endStatement(ctx, d.Err)
}

// TraceBatchStart implements pgx.BatchTracer. A batch is one span, with the name of its first
// statement that has one.
func (statementSpans) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, q := range d.Batch.QueuedQueries {
		if nameOf(q.SQL) != "" {
			return startStatement(ctx, q.SQL)
		}
	}
	return context.WithValue(ctx, statementKey{}, (*tracing.Span)(nil))
}

// TraceBatchQuery implements pgx.BatchTracer.
func (statementSpans) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (statementSpans) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchEndData) {
	endStatement(ctx, d.Err)
}

func startStatement(ctx context.Context, sql string) context.Context {
	parent := tracing.FromContext(ctx)
	if parent == nil || !parent.Sampled() {
		return ctx
	}
	name := nameOf(sql)
	if name == "" {
		return context.WithValue(ctx, statementKey{}, (*tracing.Span)(nil))
	}
	started, span := tracing.Start(ctx, tracing.Client, name, "")
	span.String(tracing.DatabaseSystem, tracing.DatabaseName)
	span.String(tracing.DatabaseQuery, name)
	return context.WithValue(started, statementKey{}, span)
}

func endStatement(ctx context.Context, err error) {
	span, _ := ctx.Value(statementKey{}).(*tracing.Span)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		span.String(tracing.DatabaseStatus, refused.Code)
	}
	if isNoRows(err) {
		err = nil
	}
	span.End(translate(err, "run the statement"))
}

// submitting has insert store a job as a part of the span of ctx, if there is one. The job
// gets the traceparent that insert is called with, so that what works on it is a part of the
// same trace.
func submitting(ctx context.Context, jobID, jobType string, insert func(ctx context.Context, traceparent *string) error) error {
	if tracing.FromContext(ctx) == nil {
		return insert(ctx, nil)
	}
	ctx, span := tracing.Start(ctx, tracing.Producer, tracing.OperationSubmit, jobType)
	span.Job(tracing.OperationSubmit, tracing.TypeSend, jobID, jobType)
	err := insert(ctx, new(tracing.Traceparent(ctx)))
	span.End(err)
	return err
}
