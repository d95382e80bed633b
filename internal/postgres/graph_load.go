package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// LoadGraph gives the whole graph to a sink, types first, as of the moment that it
// returns. It holds one connection, and takes as long as ctx allows. An error of
// the sink ends it and is returned as it is.
func (s GraphStore) LoadGraph(ctx context.Context, sink knowledge.GraphSink) (knowledge.GraphMark, error) {
	mark, err := s.loadGraph(ctx, sink)
	if refused := (*sinkError)(nil); errors.As(err, &refused) {
		return mark, refused.err
	}
	return mark, translate(err, "load the graph")
}

func (s GraphStore) loadGraph(ctx context.Context, sink knowledge.GraphSink) (mark knowledge.GraphMark, err error) {
	if system := s.primary.known(); system != "" {
		if _, err := db.New(s.graph).GraphLogAdopt(ctx, system); err != nil {
			return mark, err
		}
	}
	tx, err := s.graph.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return mark, err
	}
	defer endView(ctx, tx)
	q := db.New(tx)
	if err := q.GraphReadBegin(ctx); err != nil {
		return mark, err
	}
	row, err := q.GraphMark(ctx)
	if err != nil {
		return mark, err
	}
	mark = knowledge.GraphMark{Epoch: row.Epoch, Snapshot: row.Snapshot, Origin: timelineOf(tx.Conn()) + "/" + row.Database + "/" + row.LogTable}
	return mark, loadAll(ctx, tx, sink)
}

// loadAll reads the tables row by row.
func loadAll(ctx context.Context, tx pgx.Tx, sink knowledge.GraphSink) error {
	var t knowledge.GraphType
	if err := each(ctx, tx, db.GraphLoadTypes, func() error { return sink.AddType(t) }, &t.Number, &t.Name); err != nil {
		return err
	}
	var c knowledge.GraphConcept
	if err := each(ctx, tx, db.GraphLoadConcepts, func() error { return sink.AddConcept(c) }, &c.Number, &c.ID); err != nil {
		return err
	}
	var e knowledge.GraphEdge
	return each(ctx, tx, db.GraphLoadEdges, func() error { return sink.AddEdge(e) }, &e.Src, &e.Dst, &e.Type, &e.Confidence)
}

// each calls add after each row, which is then in the variables.
func each(ctx context.Context, tx pgx.Tx, sql string, add func() error, variables ...any) error {
	return eachOf(ctx, tx, sql, nil, add, variables...)
}

// eachOf is each of a statement with parameters.
func eachOf(ctx context.Context, tx pgx.Tx, sql string, args []any, add func() error, variables ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, variables, func() error {
		if err := add(); err != nil {
			return &sinkError{err}
		}
		return nil
	})
	return err
}

// sinkError is an error of a sink, and not of the database.
type sinkError struct{ err error }

func (e *sinkError) Error() string { return e.err.Error() }
