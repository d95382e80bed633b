//go:build cgo

package main

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// maxRowBytes bounds the rows of an answer, below the limit of a frame.
const maxRowBytes = 48 << 20

// leadingPragma finds pragmas, some of which the library turns into a SELECT before it says
// what they are.
var leadingPragma = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*pragma\b`)

// checkOne makes sure that sql is one statement: the library would run all but the last of
// several while it prepares them.
func (e *engine) checkOne(sql string) error {
	var statements mapping.ExtractedStatements
	n := mapping.ExtractStatements(e.parser, sql, &statements)
	message := mapping.ExtractStatementsError(statements)
	mapping.DestroyExtracted(&statements)
	switch {
	case n == 0 && message != "":
		return classifySQL(message)
	case n != 1, leadingPragma.MatchString(sql):
		return failure(datasets.ErrSQL, "a query is one SELECT; this text is none, or has several statements", "")
	}
	return nil
}

// prepareSelect returns the prepared statement of sql, which must be one SELECT without
// parameters.
func (e *engine) prepareSelect(ctx context.Context, db *database, sql string) (*duckdb.Stmt, error) {
	if err := e.checkOne(sql); err != nil {
		return nil, err
	}
	if err := db.checkFunctions(ctx, sql); err != nil {
		return nil, err
	}
	prepared, err := db.conn.PrepareContext(ctx, sql)
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by the caller
	}
	statement := prepared.(*duckdb.Stmt)
	if kind, err := statement.StatementType(); err != nil || kind != duckdb.STATEMENT_TYPE_SELECT {
		_ = statement.Close()
		return nil, failure(datasets.ErrSQL, "a query is one SELECT; nothing else is run", "")
	}
	if statement.NumInput() != 0 {
		_ = statement.Close()
		return nil, failure(datasets.ErrSQL, "a query has no parameters: write the values into it", "")
	}
	return statement, nil
}

// query runs a query and returns the first rows of its result, and how many there are.
func (e *engine) query(ctx context.Context, db *database, r frame.Request) (*datasets.Rows, error) {
	statement, err := e.prepareSelect(ctx, db, r.SQL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = statement.Close() }()
	found, err := statement.QueryContext(ctx, nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by the caller
	}
	defer func() { _ = found.Close() }()
	columns, err := columnsOf(statement, found)
	if err != nil {
		return nil, err
	}
	answer := &datasets.Rows{Columns: []datasets.Column{}, Rows: []json.RawMessage{}}
	for _, c := range columns {
		answer.Columns = append(answer.Columns, c.Column)
	}
	return answer, collect(answer, found, columns, r.Limit)
}

// collect reads all rows and keeps the first ones.
func collect(answer *datasets.Rows, found driver.Rows, columns []column, most int) error {
	row := make([]driver.Value, len(columns))
	bytes := 0
	for {
		switch err := found.Next(row); {
		case err == io.EOF: //nolint:errorlint // the driver's contract
			answer.Truncated = answer.TotalRows > int64(len(answer.Rows))
			return checkPromise(found, answer.TotalRows)
		case err != nil:
			return err //nolint:wrapcheck // classified by the caller
		}
		answer.TotalRows++
		if len(answer.Rows) == most {
			continue
		}
		encoded, err := encodeRow(columns, row)
		if err != nil {
			return err
		}
		if bytes += len(encoded); bytes > maxRowBytes {
			return failure(datasets.ErrMemory, "the rows of the answer are larger than 48 MiB; ask for fewer rows or columns, or run it as a job", "")
		}
		answer.Rows = append(answer.Rows, encoded)
	}
}

// export writes the whole result of a query into a file.
func (e *engine) export(ctx context.Context, db *database, r frame.Request) (*datasets.Rows, error) {
	sql := strings.TrimRight(r.SQL, "; \t\r\n")
	statement, err := e.prepareSelect(ctx, db, sql)
	if err != nil {
		return nil, err
	}
	_ = statement.Close()
	columns, err := db.ask(ctx, "SELECT column_name, column_type FROM (DESCRIBE "+sql+"\n)", 2)
	if err != nil {
		return nil, err
	}
	options := "USE_TMP_FILE false, FORMAT parquet, COMPRESSION zstd"
	if r.Format == "csv" {
		options = "USE_TMP_FILE false, FORMAT csv, HEADER true"
	}
	copying := "COPY (\n" + sql + "\n) TO " + literal(r.Output) + " (" + options + ")"
	if err := e.checkOne(copying); err != nil {
		return nil, failure(datasets.ErrSQL, "end the query with its last word: no semicolon or comment behind it", "")
	}
	result, err := db.conn.ExecContext(ctx, copying, nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by the caller
	}
	answer := &datasets.Rows{Columns: []datasets.Column{}, Rows: []json.RawMessage{}, Truncated: false}
	answer.TotalRows, _ = result.RowsAffected()
	for _, c := range columns {
		answer.Columns = append(answer.Columns, datasets.Column{Name: fmt.Sprint(c[0]), Type: fmt.Sprint(c[1]), Nullable: true})
	}
	return answer, nil
}
