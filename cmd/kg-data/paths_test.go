//go:build cgo && linux

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// TestNoPathIsShown asks everything that could show where the server keeps its files: the
// views of the catalogue, what describes tables and plans, settings, and errors.
func TestNoPathIsShown(t *testing.T) {
	p, dir := newPool(t, 1)
	mine := writeParquet(t, p, dir, "mine", "SELECT i, 'x' AS s FROM range(10) t(i)")
	broken := writeParquet(t, p, dir, "broken", "SELECT i FROM range(10) t(i)")
	overwrite(t, broken.Path, 20)
	views, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpQuery, SQL: "SELECT DISTINCT concat(table_schema, '.', table_name) AS v FROM information_schema.views WHERE table_catalog <> 'memory'", Limit: 1000, Tables: []frame.Table{mine}})
	if err != nil || len(views.Rows.Rows) < 20 {
		t.Fatalf("the catalogue has views: %v, %v", views.Rows, err)
	}
	var questions []string
	for _, row := range views.Rows.Rows { // all of them, and so those of a newer DuckDB too
		questions = append(questions, "FROM "+strings.Split(string(row), `"`)[3])
	}
	answered := 0
	for _, sql := range append(questions, []string{
		// The views that do not need the name of their schema.
		"FROM duckdb_views", "FROM duckdb_tables", "FROM duckdb_columns", "FROM duckdb_schemas", "FROM duckdb_types", "FROM duckdb_constraints", "FROM duckdb_indexes", "FROM duckdb_logs",
		"FROM sqlite_master", "FROM sqlite_schema", "FROM sqlite_temp_master", "FROM sqlite_temp_schema", "FROM pragma_database_list",
		// The functions behind them.
		"FROM duckdb_views()", "FROM duckdb_tables()", "FROM duckdb_columns()", "FROM duckdb_databases()", "FROM duckdb_settings()", "FROM duckdb_variables()", "FROM duckdb_dependencies()", "FROM duckdb_secrets()", "FROM duckdb_extensions()", "FROM duckdb_temporary_files()",
		"FROM duckdb_prepared_statements()", "FROM duckdb_external_file_cache()", "FROM duckdb_log_contexts()", "FROM pragma_storage_info('mine')", "FROM pragma_table_info('mine')", "FROM pragma_show('mine')", "FROM pragma_platform()", "FROM sql_auto_complete('SELECT * FROM ')",
		"SELECT current_setting('allowed_paths')", "SELECT current_setting('temp_directory')", "SELECT getvariable('path_0')", "SELECT getvariable('x')", "SELECT current_database(), current_schema(), current_schemas(true)", "SELECT pg_get_viewdef(1)", "SELECT obj_description(1, 'x')",
		// What describes.
		"SHOW TABLES", "SHOW ALL TABLES", "SHOW DATABASES", "SHOW SCHEMAS", "DESCRIBE", "DESCRIBE mine", "DESCRIBE FROM mine", "SUMMARIZE mine", "SHOW allowed_paths", "SHOW mine",
		"EXPLAIN FROM mine", "EXPLAIN ANALYZE FROM mine", "EXPLAIN (FORMAT json) FROM mine", "PRAGMA show_tables", "PRAGMA database_list", "PRAGMA table_info('mine')", "PRAGMA database_size", "CALL duckdb_views()", "SHOW CREATE TABLE mine",
		"SELECT filename FROM mine", "SELECT file_row_number, file_index FROM mine", "SELECT typeof(mine) FROM mine", "SELECT mine FROM mine",
		// Errors.
		"SELECT nothing FROM mine", "FROM broken", "SELECT s::INTEGER FROM mine", "SELECT i FROM broken WHERE i > 3", "FROM missing", "FROM read_parquet('mine')", "SELECT mine.filename FROM mine",
	}...) {
		a, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpQuery, SQL: sql, Limit: 1000, Tables: []frame.Table{mine, broken}})
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			answered++
			for _, row := range a.Rows.Rows {
				said += string(row) + "\n"
			}
		}
		if strings.Contains(said, dir) || strings.Contains(said, "kg-data-files-") {
			at := strings.Index(said, "kg-data-files-")
			t.Errorf("%s shows where the files are: %s", sql, said[max(0, at-100):at+20])
		}
	}
	if answered < 20 {
		t.Errorf("%d questions were answered; most of the catalogue may be asked", answered)
	}
}

// overwrite fills the middle of a file with zeros, of which its footer says nothing.
func overwrite(t *testing.T, path string, from int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(make([]byte, 60), from); err != nil {
		t.Fatal(err)
	}
}
