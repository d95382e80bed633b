package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa"
)

// pool is a pgxpool.Pool whose callers wait only so long for a connection: a
// busy pool is an answer, after which the caller may try again.
type pool struct {
	*pgxpool.Pool
	wait time.Duration
	hook Hook         // nil: nothing is traced
	died atomic.Int64 // when a connection was last found dead, Unix nanoseconds
}

// needsTest reports whether a connection is to be tested before its use: after a
// long rest, and when another one has died since it was last used. A server that
// goes takes all of them, and each would fail a caller of its own.
func (p *pool) needsTest(rested time.Duration) bool {
	return rested > pingIdle || time.Now().Add(-rested).UnixNano() <= p.died.Load()
}

// answers reports whether the server answers on a connection. One that does not is
// closed, and the pool's own test finds it so: that would be a transaction each time.
// The caller's end does not cut it off, as it would close a good connection.
func (p *pool) answers(ctx context.Context, conn *pgx.Conn) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.wait)
	defer cancel()
	return answers(ctx, conn) == nil
}

// lease is a connection of a pool in somebody's use.
type lease struct {
	*pgxpool.Conn
	pool *pool
}

// Release gives the connection back, once.
func (l *lease) Release() {
	if l.Conn.Conn().IsClosed() {
		l.pool.died.Store(time.Now().UnixNano())
	}
	l.Conn.Release()
}

// begin starts a transaction that gives the connection back at its end. A failure
// gives it back at once.
func (l *lease) begin(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	tx, err := l.BeginTx(ctx, options)
	if err != nil {
		l.Release()
		return nil, err
	}
	return &pooledTx{Tx: traceTx(tx, l.pool.hook), conn: l}, nil
}

// errBusy is what a caller gets who has waited in vain.
func errBusy() error {
	return &kappa.Error{
		Code: kappa.CodeUnavailable, Message: "all connections to the database are busy; try again", RetryAfter: retryAfterUnavailability,
	}
}

// acquire takes a connection. It returns CodeUnavailable when none came free in
// time.
func (p *pool) acquire(ctx context.Context) (*lease, error) {
	waitCtx, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	conn, err := p.Acquire(waitCtx)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) && p.Stat().IdleConns() == 0 {
		return nil, errBusy()
	}
	return &lease{conn, p}, err
}

// BeginTx starts a transaction; its connection goes back at the end.
func (p *pool) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	conn, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	return conn.begin(ctx, options)
}

// Begin starts a transaction with the default options.
func (p *pool) Begin(ctx context.Context) (pgx.Tx, error) { return p.BeginTx(ctx, pgx.TxOptions{}) }

// Exec runs a statement without rows.
func (p *pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	conn, err := p.acquire(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer conn.Release()
	return trace(conn, p.hook).Exec(ctx, sql, args...)
}

// Query runs a statement; the connection goes back when the rows are closed.
func (p *pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	conn, err := p.acquire(ctx)
	if err != nil {
		return failedRows{err: err}, err
	}
	rows, err := trace(conn, p.hook).Query(ctx, sql, args...)
	if err != nil {
		conn.Release()
		return rows, err
	}
	return &pooledRows{Rows: rows, conn: conn}, nil
}

// QueryRow runs a statement of one row.
func (p *pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := p.Query(ctx, sql, args...)
	return pooledRow{rows: rows, err: err}
}

// SendBatch sends statements together; the connection goes back when the
// results are closed.
func (p *pool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	conn, err := p.acquire(ctx)
	if err != nil {
		return failedBatch{err: err}
	}
	return &pooledBatch{BatchResults: trace(conn, p.hook).SendBatch(ctx, b), conn: conn}
}

// pooledTx gives its connection back when it ends, once.
type pooledTx struct {
	pgx.Tx
	conn *lease
}

func (t *pooledTx) release() {
	if t.conn != nil {
		t.conn.Release()
		t.conn = nil
	}
}

// Commit ends the transaction and gives the connection back.
func (t *pooledTx) Commit(ctx context.Context) error {
	defer t.release()
	return t.Tx.Commit(ctx)
}

// Rollback ends the transaction, if it has not ended, and gives the connection
// back.
func (t *pooledTx) Rollback(ctx context.Context) error {
	defer t.release()
	return t.Tx.Rollback(ctx)
}

// pooledRows gives its connection back when it is closed or read to the end.
type pooledRows struct {
	pgx.Rows
	conn *lease
}

// Close ends the reading.
func (r *pooledRows) Close() {
	r.Rows.Close()
	if r.conn != nil {
		r.conn.Release()
		r.conn = nil
	}
}

// Next moves to the next row; after the last one the rows are closed.
func (r *pooledRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// pooledRow is the row of QueryRow.
type pooledRow struct {
	rows pgx.Rows
	err  error
}

// Scan reads the row, and returns pgx.ErrNoRows when there is none.
func (r pooledRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// pooledBatch gives its connection back when it is closed.
type pooledBatch struct {
	pgx.BatchResults
	conn *lease
}

// Close ends the batch.
func (b *pooledBatch) Close() error {
	err := b.BatchResults.Close()
	if b.conn != nil {
		b.conn.Release()
		b.conn = nil
	}
	return err
}

// failedRows are the rows of a query that got no connection.
type failedRows struct {
	pgx.Rows
	err error
}

func (r failedRows) Close()     {}
func (r failedRows) Err() error { return r.err }
func (r failedRows) Next() bool { return false }

// failedBatch are the results of a batch that got no connection.
type failedBatch struct {
	pgx.BatchResults
	err error
}

func (b failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }
func (b failedBatch) Query() (pgx.Rows, error)         { return failedRows{err: b.err}, b.err }
func (b failedBatch) QueryRow() pgx.Row                { return pooledRow{err: b.err} }
func (b failedBatch) Close() error                     { return b.err }
