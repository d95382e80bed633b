package migrations_test

import (
	"io/fs"
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/migrations"
)

// TestUpMendsEdges migrates a graph in which relationships are of types that were merged,
// stored both ways round, and less sure than what shows them: their evidence joins that of
// the relationship that they belong to, and none is lost.
func TestUpMendsEdges(t *testing.T) {
	t.Parallel()
	earlier := fstest.MapFS{}
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if text, err := fs.ReadFile(migrations.Files(), name); err == nil && name < "00092" {
			earlier[name] = &fstest.MapFile{Data: text}
		}
	}
	dsn := pgtest.NewEmptyDSN(t)
	if err := migrations.UpFrom(t.Context(), dsn, earlier); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, dsn)
	for _, sql := range []string{
		"INSERT INTO kg_api.relationship_types (name, category) VALUES ('RELATED_TO', 'semantic'), ('GUARDS', 'test'), ('FENCES', 'test')",
		"UPDATE kg_api.relationship_types f SET merged_into = g.id FROM kg_api.relationship_types g WHERE f.name = 'FENCES' AND g.name = 'GUARDS'",
		"INSERT INTO kg_api.ontologies (name) VALUES ('o')",
		"INSERT INTO kg_api.contents (content_hash, body) VALUES ('sha256:' || repeat('0', 64), '')",
		"INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id) SELECT content_hash, 1, 'f', 'text/plain', 'j' FROM kg_api.contents",
		"INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id) SELECT 's_' || n, 1, n, '', 0, 0, 0, 0, 0, 'end', 'j' FROM generate_series(1, 3) n",
		"INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'C', '{}' FROM generate_series(1, 3) n",
		`INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT v.src, v.dst, t.id, 0.25 FROM (VALUES
			(1, 2, 'RELATED_TO'), (2, 1, 'RELATED_TO'), (3, 2, 'RELATED_TO'), (1, 2, 'GUARDS'), (1, 2, 'FENCES'), (3, 1, 'FENCES')) v (src, dst, type) JOIN kg_api.relationship_types t ON t.name = v.type`,
		`INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, from_kind) SELECT e.src, e.dst, e.type, e.src, 0.25 * e.src, 'q' || e.src || e.dst || e.type, 'name' FROM kg_api.edges e
			WHERE NOT (e.src = 3 AND e.dst = 1)`, // nothing shows the last one
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := migrations.Up(t.Context(), dsn, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	for want, sql := range map[string]string{
		"1 GUARDS 2 0.25, 1 RELATED_TO 2 0.5, 2 RELATED_TO 3 0.75, 3 GUARDS 1 0.25": `SELECT string_agg(concat_ws(' ', e.src, t.name, e.dst, e.confidence), ', ' ORDER BY e.src, t.name) FROM kg_api.edges e JOIN kg_api.relationship_types t ON t.id = e.type`,
		"1 2 GUARDS name , 1 2 RELATED_TO  name, 1 2 RELATED_TO name , 2 3 RELATED_TO  name": `SELECT string_agg(concat(v.src, ' ', v.dst, ' ', t.name, ' ', v.from_kind, ' ', v.to_kind), ', ' ORDER BY v.src, t.name, v.from_kind)
			FROM kg_api.edge_evidence v JOIN kg_api.relationship_types t ON t.id = v.type`,
	} {
		var got string
		if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil || got != want {
			t.Errorf("got %q, want %q, %v", got, want, err)
		}
	}
}
