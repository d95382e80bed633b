package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// canary stands in a file that no question may read.
const canary = "canary-7f3a9c"

// escapes are tables that a question must not be able to name. SECRET is a file with the
// canary, OUT one that must not come to be.
var escapes = []string{
	"read_text('SECRET')", "read_blob('SECRET')", "read_csv('SECRET')", "read_csv_auto('SECRET', all_varchar=true)", "read_json('SECRET')", "read_ndjson_objects('SECRET')", "read_parquet('SECRET')", "'SECRET'", "glob('/*')", "sniff_csv('SECRET')",
	"read_text('/etc/passwd')", "read_text('/proc/self/environ')", "read_text('/proc/self/fd/3')", "read_blob('/proc/1/mem')", "read_text(getenv('HOME'))", "read_text('file:SECRET')",
	"enable_logging(level='trace', storage='stdout')", "enable_logging(storage='file', storage_config={'path': 'OUT'})", "enable_logging('FileSystem')", "disable_logging()", "truncate_duckdb_logs()", "enable_profiling()", "disable_profiling()", "set_log_level('trace')",
	"duckdb_secrets()", "duckdb_settings()", "duckdb_views()", "duckdb_logs()", "duckdb_log_contexts()", "duckdb_extensions()", "duckdb_temporary_files()", "pragma_storage_info('t')", "pragma_user_agent()", "pragma_database_size()", "which_secret('x','s3')",
	"sqlite_scan('SECRET','x')", "postgres_scan('host=127.0.0.1','public','x')", "json_execute_serialized_sql('{}')", "query('SELECT * FROM read_text(''SECRET'')')", "query_table('SECRET')",
	"test_all_types()", "checkpoint()", "force_checkpoint()", "load_aws_credentials()", "parquet_metadata('SECRET')", "parquet_kv_metadata('SECRET')", "arrow_scan(1,1,1)", "pandas_scan(1)", "seq_scan('t')",
}

// questions are ways to ask for a table.
var questions = []string{
	"SELECT * FROM %s", "FROM %s", "SELECT count(*) FROM %s", "WITH x AS (SELECT * FROM %s) SELECT * FROM x", "WITH x AS MATERIALIZED (FROM %s) FROM x", "SELECT (SELECT count(*) FROM %s)", "SELECT 1 WHERE EXISTS (SELECT 1 FROM %s)",
	"SELECT * FROM (SELECT 1) a, LATERAL (SELECT * FROM %s) b", "SELECT 1 UNION ALL SELECT 1 FROM %s", "/* a */ SELECT /* b */ * FROM/**/%s -- c", "sElEcT * fRoM %s LIMIT 1", "SUMMARIZE SELECT * FROM %s", "DESCRIBE SELECT * FROM %s", "PIVOT (FROM %s) ON 1 USING count(*)",
}

// statements are what no question is.
var statements = []string{
	"COPY (SELECT 1) TO 'OUT'", "COPY (SELECT 1) TO '/dev/stdout'", "EXPORT DATABASE 'OUT'", "IMPORT DATABASE 'OUT'", "ATTACH 'OUT' AS x", "ATTACH 'SECRET' AS x", "DETACH memory", "INSTALL httpfs", "LOAD httpfs", "FORCE INSTALL httpfs", "CREATE TABLE x (i INT)", "CREATE SECRET (TYPE s3)",
	"CREATE MACRO m() AS TABLE FROM read_text('SECRET')", "SET enable_external_access = true", "SET lock_configuration = false", "RESET lock_configuration", "SET memory_limit = '1TB'", "SET threads = 64", "SET VARIABLE x = 1", "PRAGMA enable_profiling", "PRAGMA database_list", "PRAGMA version",
	"CALL enable_logging('FileSystem')", "CALL pragma_version()", "CHECKPOINT", "VACUUM", "ANALYZE", "BEGIN", "COMMIT", "PREPARE x AS SELECT 1", "EXECUTE x", "EXPLAIN ANALYZE COPY (SELECT 1) TO 'OUT'", "SELECT 1; COPY (SELECT 1) TO 'OUT'", "SELECT 1;;SELECT 2", "USE x",
	"SELECT getenv('PATH')", "SELECT current_setting('home_directory')", "SELECT set_config('threads', '8')", "SELECT write_log('x')", "SELECT parse_path('x'), getvariable('x')", "DROP VIEW t", "INSERT INTO t VALUES (1)", "UPDATE t SET i = 1", "DELETE FROM t", "MERGE INTO t USING t ON true WHEN MATCHED THEN DELETE", "COMMENT ON VIEW t IS 'x'", "UPDATE EXTENSIONS", "\x00", "",
}

// attackSQL asks questions that read files, write, change settings or name what only the
// server may. Each is an error of the question's author; the canary is in no answer, nothing
// comes to be in the directory, and honest questions are answered all along.
func attackSQL(ctx context.Context, t *target, out *tally) error {
	dir := filepath.Join(t.dir, "sql")
	if err := os.Mkdir(dir, 0o777); err != nil { // nothing but the walls may be in the way
		return err
	}
	secret, made := filepath.Join(dir, "secret.csv"), filepath.Join(dir, "out")
	if err := os.WriteFile(secret, []byte("s\n"+canary+"\n"), 0o644); err != nil {
		return err
	}
	fill := strings.NewReplacer("SECRET", secret, "OUT", made)
	asked := statements
	for _, e := range escapes {
		for _, q := range questions {
			asked = append(asked, fmt.Sprintf(q, e))
		}
	}
	for i, q := range asked {
		out.try()
		a, err := t.ask(ctx, fill.Replace(q))
		switch {
		case err != nil:
			out.hole("%s: %v", q, err)
		case a.status >= 500:
			out.hole("%s is answered with %d: %s", q, a.status, a.body)
		case a.status < 400 || strings.Contains(a.body, canary) || strings.Contains(a.body, "root:"):
			out.hole("%s is answered: %s", q, a.body)
		}
		if i%50 == 0 {
			if a, err := t.ask(ctx, "SELECT 41 + 1 AS n"); err != nil || a.status != 200 || !strings.Contains(a.body, "42") {
				out.hole("an honest question after %q: %d %v %s", q, a.status, err, a.body)
			}
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		out.hole("the directory has %d entries, want 1 (%v)", len(list), err)
	}
	return nil
}

// ask asks a question in SQL without any dataset.
func (t *target) ask(ctx context.Context, sql string) (answer, error) {
	body, err := json.Marshal(map[string]any{"sql": sql, "datasets": []any{}})
	if err != nil {
		return answer{}, err
	}
	return t.json(ctx, "POST", "/datasets/query", t.accounts[1].token, string(body))
}
