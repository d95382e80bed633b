package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// following runs queries of many rows after another statement each: both go to the
// server together, and are one transaction, which has committed when the rows have
// been read to the end without an error. Each statement sees what is committed when
// it begins.
type following struct {
	*pool
	first string
	args  []any
}

// laneLocked runs a query after the lane has been locked: it sees what the last
// holder of the lock wrote.
func laneLocked(p *pool, lane string) following { return following{p, db.LaneLock, []any{lane}} }

// limitsLocked runs a claim of remote workers after the limits of these types have been locked,
// if there are any.
func limitsLocked(p *pool, types []string) following {
	return following{p, db.RemoteClaimLock, []any{types}}
}

// plannedOnce runs a query without planning it for its arguments, see db.PlanOnce.
func plannedOnce(p *pool) following { return following{p, db.PlanOnce, nil} }

// Query sends both statements.
func (f following) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	var both pgx.Batch
	both.Queue(f.first, f.args...)
	both.Queue(sql, args...)
	results := f.SendBatch(ctx, &both)
	rows, err := firstThenQuery(results)
	if err != nil {
		_ = results.Close() // err says more
		return failedRows{err: err}, err
	}
	return &batchRows{Rows: rows, batch: results}, nil
}

func firstThenQuery(results pgx.BatchResults) (pgx.Rows, error) {
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	return results.Query()
}

// batchRows are the rows of the last statement of a batch. The batch ends with
// them, and its end is the commit.
type batchRows struct {
	pgx.Rows
	batch  pgx.BatchResults
	closed bool
	err    error // of the commit
}

// Next moves to the next row; after the last one the batch has ended.
func (r *batchRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Close ends the batch.
func (r *batchRows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.Rows.Close()
	r.err = r.batch.Close()
}

// Err returns why the rows or the commit failed.
func (r *batchRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}
