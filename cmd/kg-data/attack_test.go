//go:build cgo && linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// attacks are queries that must not do what they try. SECRET stands for a file that is not
// among the request's, OTHER for a Parquet file that is not, MINE for one that is, DIR for
// the directory of the files, OUT for a file that must not come to be.
var attacks = []string{
	// files
	"SELECT * FROM read_text('SECRET')", "SELECT * FROM read_blob('SECRET')", "SELECT * FROM read_csv('SECRET')", "SELECT * FROM read_csv_auto('SECRET')",
	"SELECT * FROM read_json('SECRET')", "SELECT * FROM read_json_auto('SECRET')", "SELECT * FROM read_json_objects('SECRET')", "SELECT * FROM read_ndjson('SECRET')", "SELECT * FROM 'SECRET'",
	"SELECT * FROM read_parquet('OTHER')", "SELECT * FROM 'OTHER'", "SELECT * FROM parquet_scan('OTHER')", "SELECT * FROM parquet_metadata('OTHER')", "SELECT * FROM parquet_schema('OTHER')",
	"SELECT * FROM parquet_file_metadata('OTHER')", "SELECT * FROM parquet_kv_metadata('OTHER')", "SELECT * FROM parquet_bloom_probe('OTHER', 'x', 1)", "SELECT * FROM read_parquet(['MINE', 'OTHER'])",
	"SELECT * FROM read_parquet('DIR/*')", "SELECT * FROM read_parquet('DIR/**')", "SELECT * FROM glob('DIR/*')", "SELECT * FROM glob('/*')", "SELECT * FROM sniff_csv('SECRET')",
	"SELECT * FROM read_text('DIR/../../etc/passwd')", "SELECT * FROM read_text('/proc/self/environ')", "SELECT * FROM read_text('/proc/self/maps')", "SELECT * FROM read_text('/proc/self/fd/0')", "SELECT * FROM read_text('/dev/stdin')",
	"SELECT * FROM read_text('/dev/fd/3')", "SELECT * FROM read_blob('/proc/self/exe')", "SELECT * FROM read_text('file://SECRET')", "SELECT * FROM read_text('file:SECRET')", "SELECT * FROM read_csv('/dev/zero')",
	"SELECT * FROM read_text('LINK')", "SELECT * FROM read_parquet('LINK')", "SELECT getenv('PATH')", "SELECT * FROM read_text(getenv('HOME') || '/.ssh/id_rsa')",
	"SELECT * FROM read_text('MINE/../secret.txt')", "SELECT * FROM read_text('DIR//secret.txt')", "SELECT * FROM read_text('DIR/./secret.txt')", "SELECT * FROM read_text('~/.bashrc')",
	"SELECT * FROM (SELECT * FROM read_text('SECRET'))", "WITH x AS (SELECT * FROM read_text('SECRET')) SELECT * FROM x", "SELECT (SELECT content FROM read_text('SECRET'))",
	"SELECT * FROM mine, read_text('SECRET')", "SELECT * FROM query('SELECT * FROM read_text(''SECRET'')')", "SELECT * FROM query_table('SECRET')", "SELECT * FROM query_table(['OTHER'])",
	"FROM read_text('SECRET')", "SELECT * FROM read_xlsx('SECRET')", "SELECT * FROM sqlite_scan('SECRET', 'x')", "SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 'x')", "SELECT * FROM iceberg_scan('DIR')", "SELECT * FROM delta_scan('DIR')",
	"SELECT * FROM st_read('SECRET')", "SELECT * FROM read_duckdb('SECRET')", "SELECT * FROM read_avro('SECRET')", "SELECT * FROM 'SECRET' USING SAMPLE 1",
	// networks
	"SELECT * FROM read_parquet('http://127.0.0.1:1/x.parquet')", "SELECT * FROM 'https://127.0.0.1:1/x.parquet'", "SELECT * FROM read_csv('s3://bucket/x.csv')", "SELECT * FROM read_text('http://169.254.169.254/latest/meta-data')", "SELECT * FROM 'hf://datasets/x'",
	// writing
	"COPY mine TO 'OUT'", "COPY (SELECT 1) TO 'OUT' (FORMAT csv)", "EXPORT DATABASE 'OUT'", "COPY (SELECT 1) TO 'MINE'", "COPY FROM DATABASE memory TO other", "IMPORT DATABASE 'DIR'",
	"SELECT * FROM (COPY mine TO 'OUT')", "CREATE TABLE x AS SELECT 1", "INSERT INTO mine SELECT 1", "DELETE FROM mine", "UPDATE mine SET i = 1", "DROP VIEW mine", "ALTER VIEW mine RENAME TO x", "TRUNCATE mine", "CREATE VIEW x AS SELECT 1", "CREATE MACRO f() AS 1",
	"WITH x AS (INSERT INTO mine VALUES (1) RETURNING *) SELECT * FROM x", "SELECT * FROM (DELETE FROM mine RETURNING *)", "MERGE INTO mine USING mine ON true WHEN MATCHED THEN DELETE",
	// databases, extensions, secrets
	"ATTACH 'OUT' AS x", "ATTACH ':memory:' AS x", "ATTACH 'SECRET'", "DETACH memory", "USE x", "CHECKPOINT", "FORCE CHECKPOINT", "VACUUM", "ANALYZE",
	"INSTALL httpfs", "LOAD httpfs", "LOAD 'OUT'", "INSTALL x FROM community", "FORCE INSTALL httpfs", "UPDATE EXTENSIONS", "CREATE SECRET (TYPE s3)", "CREATE PERSISTENT SECRET x (TYPE s3)", "DROP SECRET x", "SELECT * FROM load_aws_credentials()",
	// settings
	"SET enable_external_access = true", "SET lock_configuration = false", "RESET lock_configuration", "RESET enable_external_access", "SET allowed_paths = ['SECRET']", "SET allowed_directories = ['/']", "SET memory_limit = '1TB'", "SET threads = 64", "SET temp_directory = 'DIR'",
	"SET GLOBAL enable_external_access = true", "SET SESSION enable_external_access = true", "SET VARIABLE x = 1", "SET schema = 'x'", "PRAGMA enable_external_access", "PRAGMA threads = 8", "PRAGMA database_list", "/* x */ -- y\n pragma database_list", "PRAGMA enable_profiling", "SET profiling_output = 'OUT'", "SET log_query_path = 'OUT'", "SET secret_directory = 'DIR'",
	"SELECT set_config('enable_external_access', 'true')", "CALL enable_logging('FileSystem')", "CALL enable_logging(storage = 'file', storage_config = {'path': 'OUT'})", "CALL pragma_version()", "CALL force_checkpoint()", "SELECT * FROM pragma_database_list",
	// several statements, and other kinds
	"SELECT 1; COPY (SELECT 1) TO 'OUT'", "COPY (SELECT 1) TO 'OUT'; SELECT 1", "DROP VIEW mine; SELECT 1", "SET threads = 8; SELECT 1", "SELECT 1;;SELECT 2", "ATTACH 'OUT' AS x; SELECT 1", "SELECT 1; -- x\nDROP VIEW mine", "/* x */ DROP VIEW mine; /* y */ SELECT 1",
	"BEGIN; SELECT 1; COMMIT", "BEGIN", "COMMIT", "PREPARE x AS SELECT 1", "EXECUTE x", "DEALLOCATE x", "EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "EXPLAIN ANALYZE COPY (SELECT 1) TO 'OUT'", "SELECT 1 INTO OUTFILE 'OUT'", "SELECT $1", "SELECT ?", "",
	";", "--", "/*", "\x01", "SELECT", "VALUES (1); VALUES (2)", "COMMENT ON VIEW mine IS 'x'",
	// serialised SQL
	"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''SECRET'')'))", "PRAGMA json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "SELECT * FROM from_substrait('x')", "CALL from_substrait_json('{}')",
	"SELECT json_execute_serialized_sql('{}')", "SELECT * FROM json_execute_serialized_sql('{\"statements\":[]}')", "SELECT eval('1')",
}

// harmless are the queries among them that are answered, without harm.
var harmless = map[string]bool{"SELECT * FROM pragma_database_list": true}

func TestX06_NothingEscapes(t *testing.T) {
	const canary = "canary-7f3a9c"
	p, dir := newPool(t, 1)
	mine := writeParquet(t, p, dir, "mine", "SELECT i FROM range(10) t(i)")
	other := writeParquet(t, p, dir, "other", "SELECT '"+canary+"' AS s")
	secret, link, out := filepath.Join(dir, "secret.txt"), filepath.Join(dir, "link"), filepath.Join(dir, "out.txt")
	if err := os.WriteFile(secret, []byte(canary), 0o644); err != nil { // the worker may read it if nothing else stops it
		t.Fatal(err)
	}
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	fill := strings.NewReplacer("SECRET", secret, "OTHER", other.Path, "MINE", mine.Path, "LINK", link, "OUT", out, "DIR", dir)
	for _, attack := range attacks {
		a, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpQuery, SQL: fill.Replace(attack), Limit: 100, Tables: []frame.Table{mine}})
		if err != nil {
			if c := class(err); c != datasets.ErrSQL {
				t.Errorf("%q: class %s: %v", attack, c, err)
			}
			if strings.Contains(err.Error(), canary) {
				t.Errorf("%q: the canary is in the error: %v", attack, err)
			}
			continue
		}
		if !harmless[attack] {
			t.Errorf("%q was answered: %s", attack, a.Rows.Rows)
		}
		for _, row := range a.Rows.Rows {
			if strings.Contains(string(row), canary) || strings.Contains(string(row), "root:") {
				t.Errorf("%q read %s", attack, row)
			}
		}
	}
	if after := listing(t, dir); after != before {
		t.Errorf("files changed:\n%s\nbefore:\n%s", after, before)
	}
	a, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpQuery, SQL: "SELECT count(*) AS n FROM mine", Limit: 1, Tables: []frame.Table{mine}})
	if err != nil || string(a.Rows.Rows[0]) != `{"n":10}` {
		t.Errorf("the file is not as it was: %v, %v", a.Rows, err)
	}
}

// listing is what a directory holds, with sizes.
func listing(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(e.Name() + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
	}
	return b.String()
}
