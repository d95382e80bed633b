package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// fillLarge adds documents to an ontology, with so many chunks that show concepts of their own
// and one that all show.
func fillLarge(t *testing.T, conn *pgx.Conn, ontology string, chunks int) {
	t.Helper()
	run(t, conn, `INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || md5('l' || n) || md5('m' || n), '' FROM generate_series(1, 3) n`)
	run(t, conn, `INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
		SELECT 'sha256:' || md5('l' || n) || md5('m' || n), o.id, 'f', 'text/plain', 'job_1' FROM kg_api.ontologies o, generate_series(1, 3) n WHERE o.name = $1`, ontology)
	run(t, conn, `INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 'src_large_' || n, (SELECT min(id) FROM kg_api.documents WHERE filename = 'f') + n % 3, n, 'text', n, n + 1, n, n + 1, 1, 'hard_cut', 'job_1' FROM generate_series(1, $1::int) n`, chunks)
	run(t, conn, `INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'own_' || n, 'Own ' || n, '{}' FROM generate_series(1, $1::int) n`, chunks)
	for _, pick := range []string{"c.concept_id = replace(s.source_id, 'src_large', 'own')", "c.label = 'lease'"} {
		run(t, conn, `INSERT INTO kg_api.mentions (concept, source, place, label, description, search_terms)
			SELECT c.id, s.id, c.id, 'said in ' || s.chunk_number, '', '{}' FROM kg_api.sources s JOIN kg_api.concepts c ON `+pick+` WHERE s.source_id LIKE 'src\_large%'`)
		run(t, conn, `INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
			SELECT c.id, s.id, 'q', s.start_byte, s.end_byte FROM kg_api.sources s JOIN kg_api.concepts c ON `+pick+` WHERE s.source_id LIKE 'src\_large%'`)
	}
}

// removeParts deletes an ontology under a claim, and returns after how many parts. stop is
// asked before each.
func removeParts(t *testing.T, s *postgres.DB, c work.Claim, job ontologies.RemovalJob, step *ontologies.RemovalStep, most int) (parts int, err error) {
	t.Helper()
	embedded := knowledge.NewEmbeddings{Model: "test", ByText: map[string]models.Embedding{}}
	for !step.Finished && parts < most {
		next, missing, err := s.Ontologies().RemoveOntologyPart(t.Context(), c, job, *step, embedded, func(ontologies.RemovalStep) work.Checkpoint { return work.Checkpoint{} })
		if err != nil {
			return parts, err
		}
		for _, text := range missing {
			embedded.ByText[text] = vector(text)
		}
		if len(missing) == 0 {
			*step = next
			parts++
		}
	}
	return parts, nil
}

// TestLargeOntology deletes an ontology part by part: others write between the parts, an
// attempt after another one goes on, and what is left is as if it had never been there.
func TestLargeOntology(t *testing.T) {
	t.Parallel()
	testLargeOntology(t, 2, 100)
}

// TestLargeOntology_Slow deletes one of 2,500 chunks, which all show one concept.
func TestLargeOntology_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	testLargeOntology(t, 3, 500)
}

// testLargeOntology deletes an ontology of so many parts, the last one of so many chunks.
func testLargeOntology(t *testing.T, parts, last int) {
	t.Helper()
	chunks := (parts-1)*ontologies.RemovedAtOnce + last
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ingestDrawn(t, s, conn, twoChunks("paper", "kept"))
	_, err := s.Ontologies().CreateOntology(t.Context(), ontologies.NewOntology{Name: "large", UserID: access.SystemUserID})
	must(t, err)
	before := content(t, conn)
	fillLarge(t, conn, "large", chunks)
	r := ontologies.Removal{Name: "large", RemovedBy: "anna", KeepTombstone: true}
	if job, _, err := s.Ontologies().BeginRemoval(t.Context(), ontologies.Removal{Name: "kept"}); job != nil || err != nil {
		t.Errorf("a small one: %+v, %v", job, err)
	}
	dry := r
	dry.DryRun = true
	if _, out, err := s.Ontologies().BeginRemoval(t.Context(), dry); err != nil || out.SourcesDeleted != chunks || out.ConceptsDeleted != chunks {
		t.Errorf("a dry run counts %+v, %v", out, err)
	}
	job, _, err := s.Ontologies().BeginRemoval(t.Context(), r)
	must(t, err)
	if err := submitTo(t, s, "large"); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("a document while it is deleted: %v", err)
	}
	c := restoreClaim(t, s)
	run(t, conn, "SET lock_timeout = '1s'")
	run(t, conn, "SET statement_timeout = '30s'")
	var step ontologies.RemovalStep
	if n, err := removeParts(t, s, c, *job, &step, 1); n != 1 || err != nil || step.Sources != ontologies.RemovedAtOnce || step.Total != chunks || step.Finished {
		t.Fatalf("%d parts, %+v, %v", n, step, err)
	}
	ingestDrawn(t, s, conn, twoChunks("written meanwhile", "kept"))
	remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash([]byte("written meanwhile"))})
	if n, err := removeParts(t, s, c, *job, &step, 10); n != parts-1 || err != nil || step.Sources != chunks || step.Concepts != chunks || !step.Finished {
		t.Fatalf("%d parts, %+v, %v", n, step, err)
	}
	if want := strings.Replace(before, "\nontology large active", "", 1); content(t, conn) != want {
		t.Errorf("left is\n%s\nwant\n%s", content(t, conn), want)
	}
	if list, err := s.Ontologies().Tombstones(t.Context()); err != nil || len(list) != 1 || *list[0].RemovedBy != "anna" {
		t.Errorf("tombstones %+v, %v", list, err)
	}
	again := ontologies.RemovalStep{}
	if _, err := removeParts(t, s, c, *job, &again, 10); err != nil || !again.Finished {
		t.Errorf("another attempt: %+v, %v", again, err)
	}
	stale := c
	stale.Token++
	if _, err := removeParts(t, s, stale, *job, &ontologies.RemovalStep{}, 1); !errors.Is(err, kappa.ErrStale) {
		t.Errorf("under an old claim: %v", err)
	}
}

// TestRemovalWritesAConceptOnce takes out a document of which each chunk has a name of its own
// for one concept, as the documents beside it do: however many there are, the concept is
// written with all names that are left, and not once for each of them.
func TestRemovalWritesAConceptOnce(t *testing.T) {
	t.Parallel()
	for _, chunks := range []int{30, 120} {
		s, dsn := newStore(t)
		register(t, s, workerA)
		conn := connect(t, dsn)
		ingestDrawn(t, s, conn, twoChunks("paper", "kept"))
		_, err := s.Ontologies().CreateOntology(t.Context(), ontologies.NewOntology{Name: "large", UserID: access.SystemUserID})
		must(t, err)
		fillLarge(t, conn, "large", chunks)
		run(t, conn, "CREATE SEQUENCE kg_api.written")
		run(t, conn, `CREATE FUNCTION kg_api.write_down() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('kg_api.written'); RETURN NULL; END $$`)
		run(t, conn, "CREATE TRIGGER written AFTER UPDATE ON kg_api.concepts FOR EACH ROW EXECUTE FUNCTION kg_api.write_down()")
		remove(t, s, corpus.Removal{DocumentID: removedOf(t, conn), Ontology: "large"})
		var written, keys int
		must(t, conn.QueryRow(t.Context(), "SELECT last_value, (SELECT cardinality(term_keys) FROM kg_api.concepts WHERE label = 'lease') FROM kg_api.written").Scan(&written, &keys))
		if want := 2; written > want || keys < chunks {
			t.Errorf("of %d chunks: concepts were written %d times, want %d at most; the one that all show has %d names", chunks, written, want, keys)
		}
	}
}

// removedOf returns a document of fillLarge.
func removedOf(t *testing.T, conn *pgx.Conn) (document string) {
	t.Helper()
	must(t, conn.QueryRow(t.Context(), "SELECT document_id FROM kg_api.documents WHERE filename = 'f' ORDER BY id LIMIT 1").Scan(&document))
	return document
}

// TestLargeOntologyUnfrozen gives a deletion up by unfreezing the ontology.
func TestLargeOntologyUnfrozen(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ingestDrawn(t, s, conn, twoChunks("paper", "large"))
	fillLarge(t, conn, "large", ontologies.RemovedAtOnce)
	job, _, err := s.Ontologies().BeginRemoval(t.Context(), ontologies.Removal{Name: "large"})
	must(t, err)
	c := restoreClaim(t, s)
	var step ontologies.RemovalStep
	_, err = removeParts(t, s, c, *job, &step, 1)
	must(t, err)
	_, err = s.Ontologies().SetLifecycle(t.Context(), "large", ontologies.LifecycleActive)
	must(t, err)
	if _, err := removeParts(t, s, c, *job, &step, 10); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("unfrozen: %v", err)
	}
	if left := len(sourceIDs(t, conn, "large")); left != 2 {
		t.Errorf("%d chunks are left, want 2", left)
	}
}
