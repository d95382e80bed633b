package migrations_test

import (
	"io/fs"
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/migrations"
)

// shape is the tables, their columns and triggers, and the functions, as one text.
const shape = `SELECT string_agg(line, E'\n' ORDER BY line) FROM (
	SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line FROM information_schema.columns WHERE table_schema = 'kg_api'
	UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND c.relnamespace = 'kg_api'::regnamespace
	UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = 'kg_api'::regnamespace
	UNION ALL SELECT pg_get_constraintdef(k.oid) || k.conrelid::regclass FROM pg_constraint k WHERE k.connamespace = 'kg_api'::regnamespace) all_of_it`

// TestUpFromEarlier migrates a database with a graph, as it was before the graph had a
// log. It has the shape of a new one, keeps what it holds, and the log works.
func TestUpFromEarlier(t *testing.T) {
	t.Parallel()
	const before = "00018"
	earlier := fstest.MapFS{}
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name >= before {
			continue
		}
		text, err := fs.ReadFile(migrations.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		earlier[name] = &fstest.MapFile{Data: text}
	}
	dsn, fresh := pgtest.NewEmptyDSN(t), pgtest.NewEmptyDSN(t)
	if err := migrations.UpFrom(t.Context(), dsn, earlier); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, dsn)
	for _, sql := range []string{
		"INSERT INTO kg_api.relationship_types (name, category) VALUES ('TYPE', 'test')",
		"INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'Concept ' || n, '{}' FROM generate_series(1, 3) n",
		"INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT 1, 2, max(id), 0.5 FROM kg_api.relationship_types",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, to := range []string{dsn, fresh} {
		if err := migrations.Up(t.Context(), to, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
	}
	var got, want string
	if err := conn.QueryRow(t.Context(), shape).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if err := connect(t, fresh).QueryRow(t.Context(), shape).Scan(&want); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("the shape is\n%s\nthat of a new database\n%s", got, want)
	}
	if n := value(t, conn, "SELECT count(*) + (SELECT count(*) FROM kg_api.edges) FROM kg_api.concepts"); n != 4 {
		t.Errorf("%d rows of the graph, want 4", n)
	}
	if _, err := conn.Exec(t.Context(), "DELETE FROM kg_api.concepts WHERE id = 2"); err != nil {
		t.Fatal(err)
	}
	if n := value(t, conn, "SELECT count(*) FROM kg_api.graph_log WHERE op IN ('remove concept', 'remove edge')"); n != 2 {
		t.Errorf("the log has %d rows of a concept that was removed with its edge, want 2", n)
	}
}
