package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// countedAnew is what every ontology holds, as a count of all rows finds it.
const countedAnew = `SELECT format('%s: %s files, %s chunks, %s concepts, %s quotes, %s relationships', o.name,
	(SELECT count(*) FROM kg_api.documents d WHERE d.ontology_id = o.id),
	(SELECT count(*) FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id WHERE d.ontology_id = o.id),
	(SELECT count(DISTINCT i.concept) FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id JOIN kg_api.instances i ON i.source = s.id WHERE d.ontology_id = o.id),
	(SELECT count(*) FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id JOIN kg_api.instances i ON i.source = s.id WHERE d.ontology_id = o.id),
	(SELECT count(*) FROM (SELECT DISTINCT v.src, v.dst, v.type FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id
		JOIN kg_api.edge_evidence v ON v.source = s.id WHERE d.ontology_id = o.id) e))
	FROM kg_api.ontologies o ORDER BY o.name`

const countsKept = `SELECT format('%s: %s files, %s chunks, %s concepts, %s quotes, %s relationships', o.name, t.documents, t.sources, t.concepts, t.quotes, t.relationships)
	FROM kg_api.ontology_totals t JOIN kg_api.ontologies o ON o.id = t.ontology ORDER BY o.name`

const sharedAnew = `WITH shown AS (SELECT DISTINCT d.ontology_id AS ontology, i.concept FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document)
	SELECT format('%s and %s share %s', a.ontology, b.ontology, count(*)) FROM shown a JOIN shown b ON b.concept = a.concept AND b.ontology <> a.ontology
	GROUP BY a.ontology, b.ontology ORDER BY a.ontology, b.ontology`

// countedChanges are the ways in which what an ontology holds changes, in any place of the
// tables. Each takes a random number.
var countedChanges = []string{
	`INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
		SELECT c.content_hash, 1 + $1::int % 3, 'f', 'text/plain', 'j' FROM kg_api.contents c ORDER BY md5(c.content_hash || $1) LIMIT 1 ON CONFLICT DO NOTHING`,
	`INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 'src_' || gen_random_uuid(), d.id, 1, '', 0, 0, 0, 0, 0, '', 'j' FROM kg_api.documents d ORDER BY md5(d.id::text || $1::int) LIMIT 2`,
	`INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
		SELECT c.id, s.id, $1::int::text, 0, 0 FROM kg_api.concepts c, kg_api.sources s ORDER BY md5(c.id || '-' || s.id || $1::int) LIMIT 4 ON CONFLICT DO NOTHING`,
	`INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence)
		SELECT e.src, e.dst, e.type, s.id, 0.5 FROM kg_api.edges e, kg_api.sources s ORDER BY md5(e.src || '-' || e.dst || '-' || s.id || $1::int) LIMIT 3
		ON CONFLICT (src, dst, type, source) DO UPDATE SET confidence = 0.25`,
	`DELETE FROM kg_api.instances WHERE id IN (SELECT i.id FROM kg_api.instances i ORDER BY md5(i.id::text || $1::int) LIMIT 2)`,
	`DELETE FROM kg_api.edge_evidence WHERE source IN (SELECT v.source FROM kg_api.edge_evidence v ORDER BY md5(v.source::text || $1::int) LIMIT 1)`,
	`UPDATE kg_api.instances SET concept = (SELECT c.id FROM kg_api.concepts c ORDER BY md5(c.id::text || $1::int) LIMIT 1), quote = gen_random_uuid()::text
		WHERE id IN (SELECT i.id FROM kg_api.instances i ORDER BY md5(i.id::text || $1::int) LIMIT 3)`,
	`UPDATE kg_api.edge_evidence v SET source = n.id FROM (SELECT s.id FROM kg_api.sources s ORDER BY md5(s.id::text || $1::int) LIMIT 1) n
		WHERE v.source = (SELECT o.source FROM kg_api.edge_evidence o ORDER BY md5(o.source::text || $1::int) LIMIT 1)
			AND NOT EXISTS (SELECT FROM kg_api.edge_evidence x WHERE (x.src, x.dst, x.type, x.source) = (v.src, v.dst, v.type, n.id))`,
	`UPDATE kg_api.sources SET document = (SELECT d.id FROM kg_api.documents d ORDER BY md5(d.id::text || $1::int) LIMIT 1)
		WHERE id IN (SELECT s.id FROM kg_api.sources s ORDER BY md5(s.id::text || $1::int) LIMIT 2)`,
	`UPDATE kg_api.documents d SET ontology_id = 1 + $1::int % 3 WHERE d.id IN (SELECT x.id FROM kg_api.documents x ORDER BY md5(x.id::text || $1) LIMIT 1)
		AND NOT EXISTS (SELECT FROM kg_api.documents o WHERE o.document_id = d.document_id AND o.ontology_id = 1 + $1::int % 3)`,
	`DELETE FROM kg_api.documents WHERE id IN (SELECT d.id FROM kg_api.documents d WHERE $1::int % 3 = 0 ORDER BY md5(d.id::text || $1) LIMIT 1)`,
	`DELETE FROM kg_api.sources WHERE id IN (SELECT s.id FROM kg_api.sources s WHERE $1::int % 2 = 0 ORDER BY md5(s.id::text || $1) LIMIT 1)`,
	`DELETE FROM kg_api.concepts WHERE id IN (SELECT c.id FROM kg_api.concepts c WHERE $1::int % 9 = 0 ORDER BY md5(c.id::text || $1) LIMIT 1)`,
	`DELETE FROM kg_api.edges WHERE (src, dst, type) IN (SELECT e.src, e.dst, e.type FROM kg_api.edges e WHERE $1::int % 9 = 0 ORDER BY md5(e.src::text || $1) LIMIT 1)`,
}

// TestOntologyCounts changes the tables in every way, several changes before the counts are
// folded: what is kept is what counting everything anew finds, after each of them.
func TestOntologyCounts(t *testing.T) {
	t.Parallel()
	checkOntologyCounts(t, 150)
}

func TestOntologyCounts_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkOntologyCounts(t, 400)
}

func checkOntologyCounts(t *testing.T, steps int) {
	t.Helper()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	run(t, conn, `INSERT INTO kg_api.ontologies (name) SELECT 'o' || n FROM generate_series(1, 3) n;
		INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || lpad(n::text, 64, '0'), '' FROM generate_series(1, 6) n;
		INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'c' || n, '{}' FROM generate_series(1, 12) n;
		INSERT INTO kg_api.relationship_types (name, category) VALUES ('T', 'test');
		INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT n, n + 1, (SELECT id FROM kg_api.relationship_types WHERE name = 'T'), 1 FROM generate_series(1, 11) n`)
	random := rand.New(rand.NewPCG(36, 10))
	for step := range steps {
		n := random.IntN(len(countedChanges))
		if step < 60 {
			n %= 4 // first of all there has to be something
		}
		_, err := conn.Exec(t.Context(), countedChanges[n], pgx.QueryExecModeSimpleProtocol, random.IntN(1000))
		must(t, err)
		if random.IntN(3) == 0 {
			_, err := s.Retention().FoldOntologyCounts(t.Context())
			must(t, err)
		}
		if is, want := lines(t, conn, countsKept), lines(t, conn, countedAnew); !slices.Equal(is, want) {
			t.Fatalf("step %d, after %s\nthe counts are %q\nand should be   %q", step, countedChanges[n], is, want)
		}
		near, err := s.Annealing().Affinities(t.Context(), 0)
		must(t, err)
		var shared []string
		for _, a := range near {
			shared = append(shared, fmt.Sprintf("%d and %d share %d", a.Ontology, a.Other, a.Shared))
		}
		slices.Sort(shared)
		if want := lines(t, conn, sharedAnew); !slices.Equal(shared, want) {
			t.Fatalf("step %d, after %s\nthe ontologies share %q\nand should share    %q", step, countedChanges[n], shared, want)
		}
		if step%20 == 0 {
			found, err := s.Checks().CheckGraph(t.Context(), "ontology-counts")
			must(t, err)
			if found.Broken > 0 {
				t.Fatalf("step %d: the check finds %q", step, found.Examples)
			}
		}
	}
}

// grownGraph fills a graph with as many documents, of which each has 3 chunks and 12 quotes.
func grownGraph(t *testing.T, documents int) *pgx.Conn {
	t.Helper()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	run(t, conn, fmt.Sprintf(`INSERT INTO kg_api.ontologies (name) SELECT 'o' || n FROM generate_series(1, 4) n;
		INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || lpad(n::text, 64, '0'), '' FROM generate_series(1, %[1]d) n;
		INSERT INTO kg_api.documents (document_id, ontology_id, filename, source_path, content_type, job_id)
			SELECT 'sha256:' || lpad(n::text, 64, '0'), 1 + n %% 4, 'f' || n, '/in/f' || n, 'text/plain', 'j' FROM generate_series(1, %[1]d) n;
		INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
			SELECT 'src_' || d || '_' || n, d, n, repeat('word ', 50), 0, 0, 0, 0, 0, '', 'j' FROM generate_series(1, %[1]d) d, generate_series(1, 3) n;
		INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'c' || n, '{}' FROM generate_series(1, %[1]d * 2) n;
		INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
			SELECT 1 + (s * 7919 + q * 104729) %% (%[1]d * 2), s, 'quote ' || q, 0, 0 FROM generate_series(1, %[1]d * 3) s, generate_series(1, 4) q`, documents))
	_, err := s.Retention().FoldOntologyCounts(t.Context())
	must(t, err)
	run(t, conn, "ANALYZE") // but no vacuum: the pages of the folded changes are still there
	return conn
}

// TestOntologyPages reads the plans of what shows ontologies and pages of documents, in a
// graph and in one that is ten times as large: a page reads what it shows.
func TestOntologyPages(t *testing.T) {
	t.Parallel()
	small, large := grownGraph(t, 200), grownGraph(t, 2000)
	for name, read := range map[string]struct {
		sql  string
		args []any
		most int
	}{
		"an ontology":           {db.OntologyStatistics, []any{1}, 60},
		"all ontologies":        {db.OntologyList, nil, 60},
		"what ontologies share": {db.OntologyAffinities, []any{1}, 200},
		"files of an ontology":  {db.OntologyFiles, []any{1, "/in/f1", 50, 50}, 2500},
		"paths of an ontology":  {db.OntologyPaths, []any{1, 50}, 100},
		"documents":             {db.DocumentList, []any{"", 1 << 40, 0, 50}, 2500},
		"older documents":       {db.DocumentList, []any{"o1", 150, 0, 30}, 2500},
		"how many documents":    {db.DocumentCount, []any{""}, 60},
	} {
		t.Run(name, func(t *testing.T) {
			few, many := pagesIn(explain(t, small, read.sql, read.args...)), pagesIn(explain(t, large, read.sql, read.args...))
			t.Logf("%d pages, and %d in the larger graph", few, many)
			if many > read.most || float64(many) > 1.5*float64(few)+10 {
				t.Errorf("it reads %d pages, and %d in a graph that is ten times as large; want at most %d", few, many, read.most)
			}
		})
	}
}

// TestOntologyFiles reads the files of an ontology page by page: they are those of the whole
// list, in the order of their paths, also the paths that begin alike.
func TestOntologyFiles(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	run(t, connect(t, dsn), `INSERT INTO kg_api.ontologies (name) VALUES ('o'), ('other');
		INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || lpad(n::text, 64, '0'), '' FROM generate_series(1, 23) n;
		INSERT INTO kg_api.documents (document_id, ontology_id, filename, source_path, content_type, job_id)
			SELECT 'sha256:' || lpad(n::text, 64, '0'), o, 'f' || n, CASE n % 3 WHEN 0 THEN repeat('long/', 200) || n % 2 WHEN 1 THEN 'p' || n % 5 END, 'text/plain', 'j'
			FROM generate_series(1, 23) n, generate_series(1, 2) o`)
	store := s.Ontologies()
	all, total, err := store.OntologyFiles(t.Context(), ontologies.FilesQuery{Ontology: "o"})
	must(t, err)
	if !slices.IsSortedFunc(all, func(a, b ontologies.File) int { return strings.Compare(a.FilePath, b.FilePath) }) || len(all) != 23 || total != 23 {
		t.Errorf("%d of %d files: %+v", len(all), total, all)
	}
	var paged []ontologies.File
	q := ontologies.FilesQuery{Ontology: "o", Limit: 4}
	for range 6 {
		page, _, err := store.OntologyFiles(t.Context(), q)
		must(t, err)
		paged = append(paged, page...)
		q.Cursor = page[len(page)-1].Place.String()
	}
	if !reflect.DeepEqual(paged, all) {
		t.Errorf("the pages have %+v\nand the list %+v", paged, all)
	}
	d, err := store.OntologyDetails(t.Context(), "o", 2)
	must(t, err)
	if want := []string{all[0].FilePath, all[1].FilePath}; !slices.Equal(d.Files, want) || d.Statistics.Files != 23 {
		t.Errorf("it names %q of %d files, want %q", d.Files, d.Statistics.Files, want)
	}
	run(t, connect(t, dsn), "DELETE FROM kg_api.documents WHERE id = $1", all[22].Place.Keys[0])
	if _, _, err := store.OntologyFiles(t.Context(), q); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("from a place that is gone: %v", err)
	}
}
