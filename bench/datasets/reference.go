//go:build cgo && linux

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // the driver
)

// million makes the rows of the questions, and groups is the question.
const (
	million = `SELECT range AS id, 'city ' || (range * 7919 % 100) AS city, (range * 31 % 10000)::DECIMAL(10,2) / 100 AS fare FROM range(1000000)`
	groups  = "SELECT city, count(*) AS n, sum(fare) AS fare FROM %s GROUP BY city ORDER BY city"
)

// reference is DuckDB in this process, with the threads and memory of a worker.
type reference struct{ db *sql.DB }

func newReference() (*reference, error) {
	db, err := sql.Open("duckdb", "?threads=2&memory_limit=1024MiB")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &reference{db}, nil
}

func (r *reference) close() { _ = r.db.Close() }

// write stores the result of a query as a Parquet file.
func (r *reference) write(ctx context.Context, query, path string) error {
	_, err := r.db.ExecContext(ctx, "COPY ("+query+") TO '"+path+"' (FORMAT parquet)")
	return err
}

// ask reads all rows of the answer and returns how long that took.
func (r *reference) ask(ctx context.Context, query string) (time.Duration, int, error) {
	began := time.Now()
	rows, err := r.db.QueryContext(ctx, query)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var city string
		var count int64
		var fare any
		if err := rows.Scan(&city, &count, &fare); err != nil {
			return 0, 0, err
		}
		n++
	}
	return time.Since(began), n, rows.Err()
}

// questionTo is the question to a file of this machine.
func questionTo(path string) string { return fmt.Sprintf(groups, "read_parquet('"+path+"')") }

var errRows = errors.New("the answers have different numbers of rows")
