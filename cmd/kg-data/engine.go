//go:build cgo

package main

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

const threads = 2

// engine answers requests, each with a database of its own.
type engine struct {
	memory uint64 // for DuckDB: a courtesy, the walls hold
	parser mapping.Connection
	db     *database   // of the request that is being answered
	next   chan opened // the database of the request after that
	rows   []byte      // of the answer that was made last
}

// open starts DuckDB and returns its version.
func (e *engine) open() (version string, err error) {
	var config mapping.Config
	var db mapping.Database
	var message string
	mapping.CreateConfig(&config)
	defer mapping.DestroyConfig(&config)
	for name, value := range e.resources() {
		mapping.SetConfig(config, name, value)
	}
	if mapping.OpenExt(":memory:", &db, config, &message) != mapping.StateSuccess || mapping.Connect(db, &e.parser) != mapping.StateSuccess {
		return "", fmt.Errorf("DuckDB does not start within %d bytes: %s", e.memory, message)
	}
	e.ahead()
	return mapping.LibraryVersion(), nil
}

// resources are given to a database when it is opened: it would look for them in files of
// the system that it may not read.
func (e *engine) resources() map[string]string {
	return map[string]string{"memory_limit": strconv.FormatUint(e.memory>>20, 10) + "MiB", "threads": strconv.Itoa(threads)}
}

// answer does what is asked, after take. A panic of the library is the query's failure: the
// walls bound what it may have left behind, and the server ends this worker.
func (e *engine) answer(r frame.Request) (a frame.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = frame.Answer{Error: failure(datasets.ErrSQL, "DuckDB could not answer this query", fmt.Sprint(p))}
		}
	}()
	a, err := e.do(r)
	if err != nil {
		return frame.Answer{Error: classify(err)}
	}
	return a
}

// answerApart is answer, with the rows apart; see takeRows.
func (e *engine) answerApart(r frame.Request) frame.Answer {
	a := e.answer(r)
	if a.Rows == nil {
		return a
	}
	size := 0
	for _, row := range a.Rows.Rows {
		size += len(row) + 1
	}
	e.rows = make([]byte, 0, size)
	for _, row := range a.Rows.Rows {
		e.rows = append(append(e.rows, row...), '\n')
	}
	a.Rows.Rows = nil
	return a
}

// takeRows returns the rows of the last answer, each on a line.
func (e *engine) takeRows() []byte {
	rows := e.rows
	e.rows = nil
	return rows
}

func (e *engine) do(r frame.Request) (frame.Answer, error) {
	begin := time.Now()
	ctx := context.Background()
	db := e.db
	defer db.Close()
	if err := db.prepare(ctx, r); err != nil {
		return frame.Answer{}, err
	}
	switch r.Op {
	case frame.OpValidate:
		_, err := db.schema(ctx, r.Tables[0])
		return frame.Answer{}, notParquet(err)
	case frame.OpSchema:
		schema, err := db.schema(ctx, r.Tables[0])
		return frame.Answer{Schema: schema}, notParquet(err)
	case frame.OpQuery:
		rows, err := e.query(ctx, db, r)
		if rows != nil {
			rows.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
		}
		return frame.Answer{Rows: rows}, err
	case frame.OpExport:
		rows, err := e.export(ctx, db, r)
		return frame.Answer{Rows: rows}, err
	}
	return frame.Answer{}, failure(datasets.ErrInternal, "unknown operation "+strconv.Quote(string(r.Op)), "")
}

// database is a fresh, locked database.
type database struct {
	connector *duckdb.Connector
	conn      *duckdb.Conn
}

// ahead opens the next database, while nobody waits.
func (e *engine) ahead() {
	e.next = make(chan opened, 1)
	go func(next chan opened) {
		db, err := e.fresh()
		next <- opened{db, err}
	}(e.next)
}

// opened is a fresh database, or why there is none.
type opened struct {
	db  *database
	err error
}

// fresh opens a database and makes the settings that no request changes.
func (e *engine) fresh() (*database, error) {
	ctx := context.Background()
	values := url.Values{}
	for name, value := range e.resources() {
		values.Set(name, value)
	}
	connector, err := duckdb.NewConnector("?"+values.Encode(), nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by the caller
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		_ = connector.Close()
		return nil, err //nolint:wrapcheck // classified by the caller
	}
	db := &database{connector, conn.(*duckdb.Conn)}
	if err := db.set(ctx, fixed); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// take makes the database that was opened ahead that of the next answer. Until then no
// request is to blame for what happens here, and opening is never done beside a query,
// whose failure it would look like.
func (e *engine) take() error {
	ready := <-e.next
	e.db = ready.db
	return ready.err
}

func (d *database) Close() {
	_ = d.conn.Close()
	_ = d.connector.Close()
}

// fixed are the settings that are the same for every request.
var fixed = [][2]string{
	{"temp_directory", "''"},
	{"max_temp_directory_size", "'0MiB'"},
	{"autoinstall_known_extensions", "false"},
	{"autoload_known_extensions", "false"},
	{"allow_community_extensions", "false"},
	{"allow_persistent_secrets", "false"},
}

// lock are the last settings: after them nothing can be set.
func lock(paths []string) [][2]string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = literal(p)
	}
	return [][2]string{
		{"allowed_paths", "[" + strings.Join(quoted, ", ") + "]"},
		{"enable_external_access", "false"},
		{"lock_configuration", "true"},
	}
}

func (d *database) set(ctx context.Context, settings [][2]string) error {
	for _, s := range settings {
		if err := d.exec(ctx, "SET "+s[0]+" = "+s[1]); err != nil {
			return fmt.Errorf("set %s: %w", s[0], err)
		}
	}
	return nil
}

// prepare makes the views and then locks the database: from there on nothing but the files
// of the request can be read, and no setting changed. What was set is read back. The
// catalogue shows what a view is made of to whoever asks: so the paths are in variables,
// which no question can read.
func (d *database) prepare(ctx context.Context, r frame.Request) error {
	var paths []string
	for i, t := range r.Tables {
		paths = append(paths, t.Path)
		if r.Op == frame.OpQuery || r.Op == frame.OpExport {
			path := "path_" + strconv.Itoa(i)
			if err := d.exec(ctx, "SET VARIABLE "+path+" = "+literal(t.Path)); err != nil {
				return err
			}
			view := "CREATE VIEW " + identifier(t.Name) + " AS SELECT * FROM read_parquet(getvariable(" + literal(path) + "))"
			if err := d.exec(ctx, view); err != nil {
				return notParquet(err)
			}
		}
	}
	if r.Output != "" {
		paths = append(paths, r.Output)
	}
	if err := d.set(ctx, lock(paths)); err != nil {
		return err
	}
	rows, err := d.ask(ctx, "SELECT current_setting('enable_external_access')::VARCHAR, current_setting('lock_configuration')::VARCHAR", 2)
	if err != nil || len(rows) != 1 || rows[0][0] != "false" || rows[0][1] != "true" {
		return failure(datasets.ErrInternal, "the database could not be locked", fmt.Sprint(rows, err))
	}
	return nil
}

func (d *database) exec(ctx context.Context, sql string) error {
	_, err := d.conn.ExecContext(ctx, sql, nil)
	return err //nolint:wrapcheck // classified by the caller
}

// ask returns the values of a query of ours.
func (d *database) ask(ctx context.Context, sql string, columns int) ([][]driver.Value, error) {
	rows, err := d.conn.QueryContext(ctx, sql, nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by the caller
	}
	defer func() { _ = rows.Close() }()
	var all [][]driver.Value
	for {
		row := make([]driver.Value, columns)
		if err := rows.Next(row); err == io.EOF { //nolint:errorlint // the driver's contract
			return all, checkPromise(rows, int64(len(all)))
		} else if err != nil {
			return nil, err //nolint:wrapcheck // classified by the caller
		}
		all = append(all, row)
	}
}

// schema reads what a Parquet file says of itself.
func (d *database) schema(ctx context.Context, t frame.Table) (*datasets.Schema, error) {
	columns, err := d.ask(ctx, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet("+literal(t.Path)+"))", 2)
	if err != nil {
		return nil, err
	}
	required, err := d.ask(ctx, "SELECT name FROM parquet_schema("+literal(t.Path)+") WHERE repetition_type = 'REQUIRED'", 1)
	if err != nil {
		return nil, err
	}
	never := map[string]bool{} // columns that are never NULL
	for _, r := range required {
		never[fmt.Sprint(r[0])] = true
	}
	counts, err := d.ask(ctx, "SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata("+literal(t.Path)+")", 1)
	if err != nil {
		return nil, err
	}
	s := &datasets.Schema{Columns: []datasets.Column{}}
	if n, ok := counts[0][0].(int64); ok {
		s.RowCount = n
	}
	for _, c := range columns {
		name := fmt.Sprint(c[0])
		s.Columns = append(s.Columns, datasets.Column{Name: name, Type: fmt.Sprint(c[1]), Nullable: !never[name]})
	}
	return s, nil
}

// literal writes a string for SQL, identifier a name.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
