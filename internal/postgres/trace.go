package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// Hook is called at points of what a connection does: "before X" and "after X"
// for each statement X that has a name, and for COMMIT. It may take its time. Its
// error becomes that of the statement. Before a statement it keeps it from being
// sent; after it, the statement has been done, and the caller does not know.
//
// A statement outside a transaction, and a batch, are committed when "after" is
// reached.
type Hook func(ctx context.Context, point string) error

// commit is the name of the end of a transaction.
const commit = "COMMIT"

// nameOf returns the name of a statement, as sqlc marks it; "" for one without.
func nameOf(sql string) string {
	rest, named := strings.CutPrefix(sql, "-- name: ")
	if !named {
		return ""
	}
	name, _, _ := strings.Cut(rest, " ")
	return name
}

// traced calls a Hook around the statements of a connection or a transaction.
type traced struct {
	db.DBTX
	hook Hook
}

// trace returns conn as it is without a hook, so that nothing costs anything.
func trace(conn db.DBTX, hook Hook) db.DBTX {
	if hook == nil {
		return conn
	}
	return traced{conn, hook}
}

// before calls the hook before the named statement.
func (h Hook) before(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	return h(ctx, "before "+name)
}

// after calls the hook after the named statement.
func (h Hook) after(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	return h(ctx, "after "+name)
}

// Exec runs a statement without rows.
func (t traced) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	name := nameOf(sql)
	if err := t.hook.before(ctx, name); err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := t.DBTX.Exec(ctx, sql, args...)
	if err == nil {
		err = t.hook.after(ctx, name)
	}
	return tag, err
}

// Query runs a statement; it is over when its rows are closed.
func (t traced) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	name := nameOf(sql)
	if err := t.hook.before(ctx, name); err != nil {
		return failedRows{err: err}, err
	}
	rows, err := t.DBTX.Query(ctx, sql, args...)
	if err != nil {
		return rows, err
	}
	return &tracedRows{Rows: rows, over: func() error { return t.hook.after(ctx, name) }}, nil
}

// QueryRow runs a statement of one row.
func (t traced) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := t.Query(ctx, sql, args...)
	return pooledRow{rows: rows, err: err}
}

// SendBatch runs statements together; they are over when the results are closed.
func (t traced) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	names := make([]string, len(b.QueuedQueries))
	for i, q := range b.QueuedQueries {
		names[i] = nameOf(q.SQL)
		if err := t.hook.before(ctx, names[i]); err != nil {
			return failedBatch{err: err}
		}
	}
	return &tracedBatch{BatchResults: t.DBTX.SendBatch(ctx, b), over: func() error {
		for _, name := range names {
			if err := t.hook.after(ctx, name); err != nil {
				return err
			}
		}
		return nil
	}}
}

// tracedRows call over when they have been read to the end or closed, once.
type tracedRows struct {
	pgx.Rows
	over func() error
	err  error // of over
}

// Next moves to the next row; after the last one the rows are closed.
func (r *tracedRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Close ends the reading.
func (r *tracedRows) Close() {
	r.Rows.Close()
	if over := r.over; over != nil && r.Rows.Err() == nil {
		r.over = nil
		r.err = over()
	}
}

// Err returns what went wrong with the statement, or after it.
func (r *tracedRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

// tracedBatch calls over when it has been closed without an error, once.
type tracedBatch struct {
	pgx.BatchResults
	over func() error
	err  error // of over
}

// Close ends the batch.
func (b *tracedBatch) Close() error {
	if err := b.BatchResults.Close(); err != nil {
		return err
	}
	if over := b.over; over != nil {
		b.over = nil
		b.err = over()
	}
	return b.err
}

// tracedTx calls a Hook around the statements of a transaction and its COMMIT.
// What is traced hides the rest by its depth.
type tracedTx struct {
	traced
	untracedTx
}

type untracedTx struct{ pgx.Tx }

// traceTx returns tx as it is without a hook.
func traceTx(tx pgx.Tx, hook Hook) pgx.Tx {
	if hook == nil {
		return tx
	}
	return tracedTx{traced{tx, hook}, untracedTx{tx}}
}

// Commit ends the transaction. One whose COMMIT is not to be sent is rolled
// back.
func (t tracedTx) Commit(ctx context.Context) error {
	if err := t.hook.before(ctx, commit); err != nil {
		_ = t.Rollback(ctx) // the error of the hook is the one to return
		return err
	}
	if err := t.Tx.Commit(ctx); err != nil {
		return err
	}
	return t.hook.after(ctx, commit)
}
