//go:build cgo && linux

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

var update = flag.Bool("update", false, "write functions.txt")

// refusedFunctions are no tables, and not for questions, each with its reason.
var refusedFunctions = map[string]string{
	"write_log": "writes", "parse_duckdb_log_message": "reads logs",
	"current_setting": "shows the paths of files", "getvariable": "nobody sets one", "nextval": "writes", "currval": "there are no sequences",
	"sleep_ms": "holds a worker", "pg_sleep": "likewise",
	"json_serialize_plan": "plans SQL that was not looked through", "json_execute_serialized_sql": "runs it",
	"stats": "inside of DuckDB", "vector_type": "likewise", "create_sort_key": "likewise", "remap_struct": "likewise", "cast_to_type": "likewise", "replace_type": "likewise",
	"get_block_size": "likewise", "timetz_byte_comparable": "likewise", "variant_bytes_to_variant": "likewise", "variant_to_parquet_variant": "likewise",
}

// allowedTables are the functions that return tables and that a question may call.
var allowedTables = []string{
	"range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree", "histogram", "histogram_values", "summary", "icu_calendar_names", "pg_timezone_names",
}

// TestFunctions compares the list with the catalogue. A version of DuckDB with other
// functions makes it fail: read what is new, and write the list with -update.
func TestFunctions(t *testing.T) {
	e := newTestEngine(t)
	if err := e.take(); err != nil {
		t.Fatal(err)
	}
	defer e.ahead()
	defer e.db.Close()
	rows, err := e.db.ask(t.Context(), "SELECT DISTINCT lower(function_name), function_type FROM duckdb_functions()", 2)
	if err != nil {
		t.Fatal(err)
	}
	allowed, known := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		name, kind := fmt.Sprint(r[0]), fmt.Sprint(r[1])
		known[name] = true
		switch kind {
		case "scalar", "aggregate", "macro":
			if refusedFunctions[name] == "" && !strings.HasPrefix(name, "__internal") {
				allowed[name] = true
			}
		case "table", "table_macro":
			if slices.Contains(allowedTables, name) {
				allowed[name] = true
			}
		}
	}
	for _, name := range append(slices.Collect(maps.Keys(refusedFunctions)), allowedTables...) {
		if !known[name] {
			t.Errorf("DuckDB has no function %s any more", name)
		}
	}
	want := strings.Join(slices.Sorted(maps.Keys(allowed)), "\n") + "\n"
	if *update {
		if err := os.WriteFile("functions.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != functionList {
		t.Error("functions.txt is not of this DuckDB: go test -run TestFunctions -update ./cmd/kg-data writes it")
	}
}

// TestRefusedFunctions calls what must not be called, in many places of a question.
func TestRefusedFunctions(t *testing.T) {
	p, dir := newPool(t, 1)
	mine := writeParquet(t, p, dir, "mine", "SELECT i FROM range(10) t(i)")
	for i, sql := range []string{
		"SELECT * FROM enable_logging(level='trace', storage='stdout')", "FROM enable_logging()", "FROM ENABLE_LOGGING()", "SELECT * FROM system.main.enable_logging()",
		"SELECT * FROM enable_profiling()", "SELECT * FROM truncate_duckdb_logs()", "SELECT * FROM disable_logging()", "SELECT * FROM force_checkpoint()", "SELECT * FROM checkpoint()",
		"SELECT (SELECT count(*) FROM enable_logging())", "WITH x AS (FROM enable_logging()) FROM x", "SELECT 1 WHERE EXISTS (FROM enable_logging())", "SELECT 1 ORDER BY (SELECT count(*) FROM enable_logging())",
		"SELECT i FROM mine LIMIT (SELECT count(*) FROM enable_logging())", "DESCRIBE FROM enable_logging()", "SUMMARIZE FROM enable_logging()", "FROM mine, LATERAL (FROM enable_logging())", "FROM mine JOIN enable_logging() ON true",
		"SELECT list_transform([1], lambda x: write_log('x'))", "SELECT * REPLACE (write_log('x') AS i) FROM mine", "SELECT sum(i) FILTER (write_log('x') IS NULL) FROM mine", "SELECT sum(i) OVER (ORDER BY write_log('x')) FROM mine",
		"SELECT write_log('x')", "SELECT i.write_log() FROM mine", "SELECT main.write_log('x')", "SELECT current_setting('allowed_paths')", "SELECT * FROM duckdb_settings()", "SELECT * FROM duckdb_logs()",
		"SELECT * FROM query('SELECT 1')", "SELECT * FROM query_table('mine')", "SELECT json_serialize_plan('FROM enable_logging()')", "SELECT * FROM test_all_types()", "SELECT * FROM check_peg_parser('x')",
		"(SELECT 1) UNION ALL (SELECT count(*) FROM enable_logging())", "PIVOT (FROM enable_logging()) ON Success IN (true) USING count(*)", "VALUES ((SELECT count(*) FROM enable_logging()))",
	} {
		a, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpQuery, SQL: sql, Limit: 10, Tables: []frame.Table{mine}})
		if class(err) != datasets.ErrSQL || !strings.Contains(err.Error(), "cannot call the function") {
			t.Errorf("%s: got %v, %v", sql, a.Rows, err)
		}
		if i%8 != 0 {
			continue
		}
		if _, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpExport, SQL: sql, Format: "csv", Output: mine.Path + "x", Tables: []frame.Table{mine}}); class(err) != datasets.ErrSQL {
			t.Errorf("exported: %s: %v", sql, err)
		}
	}
	if s := p.Stats(); s.Crashed != 0 || s.Started > 2 {
		t.Errorf("workers died: %+v", s)
	}
}

// TestAllowedFunctions asks what questions ask.
func TestAllowedFunctions(t *testing.T) {
	p, dir := newPool(t, 1)
	mine := writeParquet(t, p, dir, "mine", "SELECT i, i % 3 AS g, 'x' || i AS s, DATE '2024-01-01' + i::INTEGER AS d FROM range(10) t(i)")
	for _, sql := range []string{
		"SELECT g, count(*), avg(i), median(i), string_agg(s, ',' ORDER BY i), list(s), max_by(s, i) FROM mine GROUP BY ALL ORDER BY ALL", "FROM mine", "DESCRIBE mine", "SUMMARIZE mine", "SHOW TABLES", "TABLE mine",
		"SELECT row_number() OVER (), lag(i) OVER w, ntile(2) OVER w, sum(i) OVER w, first_value(s) OVER w FROM mine WINDOW w AS (PARTITION BY g ORDER BY i)", "SELECT rank() OVER (ORDER BY i), percent_rank() OVER (ORDER BY i) FROM mine QUALIFY row_number() OVER () = 1",
		"SELECT date_trunc('month', d), extract(year FROM d), strftime(d, '%Y'), d + INTERVAL 1 DAY, age(d) FROM mine", "SELECT i::VARCHAR, TRY_CAST(s AS INTEGER), CASE WHEN i > 1 THEN 1 ELSE 2 END, coalesce(s, 'x'), nullif(i, 1), i BETWEEN 1 AND 3, s LIKE 'x%', s ILIKE 'X%', s SIMILAR TO 'x.', s GLOB 'x*', NOT i = 1, i IN (1, 2), i IS NULL, -i FROM mine",
		"SELECT list_transform([1, 2], lambda x: x + 1), [x * 2 FOR x IN [1, 2]], {'a': 1}.a, MAP {'k': 1}['k'], [1, 2][1], [1, 2, 3][1:2], struct_pack(a := 1)", "SELECT unnest([1, 2]), * FROM range(3), generate_series(1, 2)", "SELECT * FROM unnest([1, 2])",
		"SELECT regexp_extract(s, '[0-9]+'), upper(s), s || 'x', s[1], substring(s, 1, 1), trim(s), position('1' IN s), overlay FROM (SELECT *, 1 AS overlay FROM mine)", "SELECT json_extract('{\"a\": 1}', '$.a'), '{\"a\": 1}'::JSON->>'a'", "SELECT * FROM json_each('[1, 2]')",
		"PIVOT mine ON g IN (0, 1) USING sum(i)", "UNPIVOT (SELECT i, g FROM mine) ON i, g INTO NAME n VALUE v", "SELECT COLUMNS('i|g') FROM mine", "SELECT * EXCLUDE (s) REPLACE (i + 1 AS i) FROM mine", "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
		"SELECT * FROM mine a ASOF JOIN mine b ON a.i >= b.i", "SELECT * FROM mine POSITIONAL JOIN mine b", "SELECT * FROM mine USING SAMPLE 5", "SELECT g, GROUPING(g), sum(i) FROM mine GROUP BY ROLLUP (g)", "VALUES (1), (2)", "SELECT (SELECT max(i) FROM mine), EXISTS (SELECT 1)", "SELECT s.upper() FROM mine", "SELECT i ** 2, i ^ 2, i // 2, i & 1, ~i, i << 1, @i, 5! FROM mine",
		"SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00' AT TIME ZONE 'Europe/Berlin'", "SELECT current_date, now(), current_timestamp, uuid(), random(), version(), typeof(1), hash(1), md5('x')", "SELECT quantile_cont(i, 0.5), approx_quantile(i, 0.5), histogram(g), mode(g), arg_max(s, i), bool_and(true), corr(i, g), stddev(i) FROM mine", "FROM histogram(mine, g)",
	} {
		if _, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpQuery, SQL: sql, Limit: 100, Tables: []frame.Table{mine}}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
