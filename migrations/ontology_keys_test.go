package migrations_test

import (
	"io/fs"
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/migrations"
)

// TestOntologyKeys migrates ontologies, chunks and moves from before ontologies had keys:
// each ontology gets a key of its own, the chunks keep their ids, and a relationship type
// may have a number beyond 16 bits afterwards.
func TestOntologyKeys(t *testing.T) {
	t.Parallel()
	const before = "00089"
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
	dsn := pgtest.NewEmptyDSN(t)
	if err := migrations.UpFrom(t.Context(), dsn, earlier); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, dsn)
	execute := func(statements ...string) {
		t.Helper()
		for _, sql := range statements {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
	}
	execute(
		"INSERT INTO kg_api.ontologies (name) VALUES ('a'), ('b')",
		"INSERT INTO kg_api.contents (content_hash, body) VALUES ('sha256:' || repeat('0', 64), 'text')",
		"INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id) SELECT 'sha256:' || repeat('0', 64), o.id, 'f', 'text/plain', 'job_' || o.name FROM kg_api.ontologies o",
		`INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
			SELECT 'src_' || d.job_id, d.id, 1, 'text', 0, 4, 0, 4, 1, 'end_of_document', d.job_id FROM kg_api.documents d`,
		`INSERT INTO kg_api.ontology_proposals (kind, ontology, ontology_name, reasoning, status, made_by, epoch) SELECT 'reassignment', o.id, o.name, '', 'executed', 'x', 0 FROM kg_api.ontologies o WHERE o.name = 'a'`,
		"INSERT INTO kg_api.moved_sources (proposal, source, from_document, to_document) SELECT 1, min(s.id), 1, 2 FROM kg_api.sources s",
		"INSERT INTO kg_api.relationship_types (name, category) VALUES ('TYPE', 'test')",
		"INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'Concept ' || n, '{}' FROM generate_series(1, 2) n",
		"INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT 1, 2, max(id), 0.5 FROM kg_api.relationship_types",
	)
	if err := migrations.Up(t.Context(), dsn, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]int64{
		"SELECT count(DISTINCT key) FROM kg_api.ontologies":                                                           2,
		"SELECT count(*) FROM kg_api.sources WHERE source_id IN ('src_job_a', 'src_job_b')":                           2,
		"SELECT count(*) FROM kg_api.moved_sources WHERE job_id IS NULL AND from_job IS NULL AND newest IS NULL":      1,
		"SELECT count(*) FROM kg_api.edges e JOIN kg_api.relationship_types t ON t.id = e.type WHERE t.name = 'TYPE'": 1,
		"SELECT kg_api.current_type(max(id))::bigint - max(id) FROM kg_api.relationship_types":                        0,
	} {
		if got := value(t, conn, sql); got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	execute(
		"ALTER TABLE kg_api.relationship_types ALTER COLUMN id RESTART WITH 32767",
		"INSERT INTO kg_api.relationship_types (name, category) SELECT 'TYPE_' || n, 'test' FROM generate_series(1, 3) n",
		"INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT 2, 1, max(id), 0.5 FROM kg_api.relationship_types",
		"DELETE FROM kg_api.concepts WHERE concept_id = 'c_1'",
	)
	if n := value(t, conn, "SELECT max(type) FROM kg_api.graph_log WHERE op = 'remove edge'"); n != 32769 {
		t.Errorf("the log says that an edge of type %d was removed, want 32769", n)
	}
}
