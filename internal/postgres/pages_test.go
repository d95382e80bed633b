package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// page is something that is read to show a page or a status.
type page struct {
	name string
	read func(ctx context.Context, d *DB) error
}

// viewed returns how a page is read of the graph as of a moment.
func viewed(read func(ctx context.Context, s *GraphSnapshot) error) func(context.Context, *DB) error {
	return func(ctx context.Context, d *DB) error {
		return d.Graph().View(ctx, func(s *GraphSnapshot) error { return read(ctx, s) })
	}
}

func listConcepts(f questions.ConceptFilter) func(context.Context, *DB) error {
	return viewed(func(ctx context.Context, s *GraphSnapshot) error {
		list, total, err := s.ConceptsByEvidence(ctx, f)
		if len(list) == 0 || total < len(list) {
			return errors.Join(fmt.Errorf("%d of %d concepts", len(list), total), err)
		}
		return err
	})
}

func listEdges(f questions.EdgeFilter) func(context.Context, *DB) error {
	return viewed(func(ctx context.Context, s *GraphSnapshot) error {
		list, total, err := s.ListEdges(ctx, f, 0, 0)
		if err == nil && (len(list) < f.Limit || total < len(list)) {
			return fmt.Errorf("%d of %d relationships", len(list), total)
		}
		return err
	})
}

// listAround lists relationships that begin or end at a concept, often enough that PostgreSQL
// plans the statement for any concept.
func listAround(from, to int) func(context.Context, *DB) error {
	return viewed(func(ctx context.Context, s *GraphSnapshot) error {
		for range 6 {
			list, total, err := s.ListEdges(ctx, questions.EdgeFilter{Limit: 50}, from, to)
			if err != nil || len(list) == 0 || total != len(list) {
				return errors.Join(fmt.Errorf("%d of %d relationships", len(list), total), err)
			}
		}
		return nil
	})
}

func listCatalog(parent string) func(context.Context, *DB) error {
	return func(ctx context.Context, d *DB) error {
		page, err := d.Catalog().CatalogChildren(ctx, questions.CatalogQuery{Parent: parent, Sort: questions.CatalogByName, Limit: 3})
		if err == nil && (len(page.Nodes) != 3 || page.Nodes[0].ChildCount == 0 || page.Total < 3) {
			return fmt.Errorf("%d of %d nodes", len(page.Nodes), page.Total)
		}
		return err
	}
}

func listSources(p corpus.PageQuery) func(context.Context, *DB) error {
	return func(ctx context.Context, d *DB) error {
		list, total, err := d.Library().ListSources(ctx, p)
		if err == nil && (len(list) < p.Limit || total < len(list)) {
			return fmt.Errorf("%d of %d chunks", len(list), total)
		}
		return err
	}
}

// showConcepts reads what the first concepts are shown with. Each chunk has a quote of one.
func showConcepts(ctx context.Context, d *DB) error {
	return d.Graph().View(ctx, func(s *GraphSnapshot) error {
		list, _, err := s.ConceptsByEvidence(ctx, questions.ConceptFilter{Limit: 20})
		if err != nil {
			return err
		}
		ids := make([]int, len(list))
		for i, c := range list {
			ids[i] = c.ID
		}
		names, err := s.ConceptOntologies(ctx, ids)
		if err != nil {
			return err
		}
		quotes, err := s.ConceptEvidence(ctx, ids, questions.SampleEvidence)
		if err == nil && (ids[0] != 1 || len(names[1]) != 3 || len(quotes[1]) != questions.SampleEvidence) {
			return fmt.Errorf("concept %d is shown by %q and by %+v", ids[0], names[1], quotes[1])
		}
		return err
	})
}

// showConceptsIn reads what an ontology says of the first concepts. Each of its chunks has a
// quote and a mention of one, and other documents call another one otherwise.
func showConceptsIn(ctx context.Context, d *DB) error {
	return d.Graph().View(ctx, func(s *GraphSnapshot) error {
		list, _, err := s.ConceptsByEvidence(ctx, questions.ConceptFilter{Limit: 20, Ontology: "ontology 1"})
		if err != nil {
			return err
		}
		said, err := s.NarrowedCounted(ctx, list, "ontology 1", questions.SampleEvidence)
		one := said[list[0].ID]
		if err == nil && (list[0].ID != 1 || one.Label != "Concept 1" || one.Instances < 500 || len(one.Evidence) != questions.SampleEvidence) {
			return fmt.Errorf("concept %d is %+v", list[0].ID, one)
		}
		return err
	})
}

// pagesThatDoNotGrow are read at two sizes of the graph by TestPagesDoNotGrow.
func pagesThatDoNotGrow() []page {
	return []page{
		{"the first concepts", listConcepts(questions.ConceptFilter{Limit: 50})},
		{"what is shown of the first concepts", showConcepts},
		{"what an ontology says of the first concepts", showConceptsIn},
		{"concepts further on", listConcepts(questions.ConceptFilter{Limit: 50, Offset: 1000})},
		{"concepts of an ontology", listConcepts(questions.ConceptFilter{Limit: 50, Ontology: "ontology 1"})},
		{"concepts with a part in their label", listConcepts(questions.ConceptFilter{Limit: 20, LabelContains: "ePt 12"})},
		{"concepts that people made", listConcepts(questions.ConceptFilter{Limit: 20, CreationMethod: knowledge.CreatedByHuman})},
		{"what the graph holds", viewed(func(ctx context.Context, s *GraphSnapshot) error {
			stats, err := s.GraphStats(ctx)
			if err == nil && (stats.Relationships.Total == 0 || stats.Nodes.Sources == 0 || len(stats.Relationships.ByType) != 11) {
				err = fmt.Errorf("nothing is counted: %+v", stats)
			}
			return err
		})},
		{"counters", func(ctx context.Context, d *DB) error { _, err := d.Counters().Counters(ctx); return err }},
		{"relationship types", func(ctx context.Context, d *DB) error {
			_, _, err := d.Vocabulary().VocabularyTypes(ctx, true)
			return err
		}},
		{"the first relationships", listEdges(questions.EdgeFilter{Limit: 50})},
		{"relationships of a type", listEdges(questions.EdgeFilter{Limit: 50, Type: "TYPE_4"})},
		{"relationships of a rare type", listEdges(questions.EdgeFilter{Limit: 5, Type: "RARE"})},
		{"relationships that are sure", listEdges(questions.EdgeFilter{Limit: 50, MinConfidence: 0.5})},
		{"relationships of an ontology", listEdges(questions.EdgeFilter{Limit: 50, Ontology: "ontology 1"})},
		{"sure relationships of an ontology", listEdges(questions.EdgeFilter{Limit: 50, Ontology: "ontology 1", MinConfidence: 0.5})},
		{"relationships of a type in an ontology", listEdges(questions.EdgeFilter{Limit: 50, Ontology: "ontology 1", Type: "TYPE_4"})},
		{"relationships of a concept", listAround(5, 0)},
		{"relationships with a concept", listAround(0, 5)},
		{"relationship types as they are compared", func(ctx context.Context, d *DB) error {
			words, err := d.Vocabulary().VocabularyWords(ctx, "model")
			if err == nil && (len(words) < 11 || words[len(words)-1].Edges == 0) {
				return fmt.Errorf("%d types", len(words))
			}
			return err
		}},
		{"the newest chunks", listSources(corpus.PageQuery{Limit: 50})},
		{"chunks further on", listSources(corpus.PageQuery{Limit: 50, Offset: 200})},
		{"chunks of an ontology", listSources(corpus.PageQuery{Limit: 50, Ontology: "ontology 1"})},
		{"candidates of an ontology", func(ctx context.Context, d *DB) error {
			var id int
			if err := d.graph.QueryRow(ctx, "SELECT min(id) FROM kg_api.ontologies").Scan(&id); err != nil {
				return err
			}
			list, err := d.Annealing().Degrees(ctx, id, 20)
			if err == nil && len(list) != 20 {
				return fmt.Errorf("%d concepts", len(list))
			}
			return err
		}},
		{"concepts of one name", func(ctx context.Context, d *DB) error {
			list, err := d.Notes().Namesakes(ctx, false, 20)
			if err == nil && len(list) != 1 {
				return fmt.Errorf("%d pairs", len(list))
			}
			return err
		}},
		{"ontologies in the catalogue", listCatalog("")},
		{"documents in the catalogue", listCatalog("ontology 1")},
		{"the newest concepts of an ontology", func(ctx context.Context, d *DB) error {
			for range 6 {
				list, err := d.Catalog().NewestConcepts(ctx, "ontology 2", 20)
				if err != nil || len(list) != 20 {
					return errors.Join(fmt.Errorf("%d concepts", len(list)), err)
				}
			}
			return nil
		}},
		{"concepts by their ids", func(ctx context.Context, d *DB) error {
			list, err := d.Catalog().ConceptsByID(ctx, []string{"c_1", "c_2"}, "ontology 2")
			if err == nil && len(list) == 0 {
				return errors.New("no concepts")
			}
			return err
		}},
		{"open jobs", func(ctx context.Context, d *DB) error { _, err := d.Figures().QueueCounts(ctx); return err }},
		{"jobs in each status", func(ctx context.Context, d *DB) error {
			counts, err := d.Figures().JobCounts(ctx)
			if err == nil && counts[work.StatusCompleted] < 300 {
				return fmt.Errorf("%d jobs have completed", counts[work.StatusCompleted])
			}
			return err
		}},
		{"what waits", func(ctx context.Context, d *DB) error { _, err := d.Figures().QueueFigures(ctx); return err }},
		{"the lanes", func(ctx context.Context, d *DB) error { _, err := d.Lanes().WorkerStatus(ctx); return err }},
		{"stored documents", func(ctx context.Context, d *DB) error {
			_, err := d.Storage().StoredObjects(ctx, storage.StoredObjectPage{Limit: 50})
			return err
		}},
	}
}

// TestPagesDoNotGrow counts the pages of tables and indexes that are read to show a page,
// in a graph and in one of four times its size that nothing has vacuumed or analyzed. It
// reads each once before, as a server has that somebody uses.
func TestPagesDoNotGrow(t *testing.T) {
	small, large := newSizedGraph(t, 1), newSizedGraph(t, 4)
	for _, p := range pagesThatDoNotGrow() {
		t.Run(p.name, func(t *testing.T) {
			a, b := blocksOf(t, small, p), blocksOf(t, large, p)
			t.Logf("%d pages, and %d of four times as much", a, b)
			if b > a+a/2+20 {
				t.Errorf("%d pages are read, and %d of four times as much", a, b)
			}
		})
	}
}

// newSizedGraph fills a database with 1,500 concepts, 15,000 quotes, 300 documents and what
// belongs to them, so many times. Each kind of work has one connection.
func newSizedGraph(t *testing.T, times int) *DB {
	t.Helper()
	d, err := Open(t.Context(), Config{DSN: pgtest.NewDSN(t), AcquireTimeout: 20 * time.Second, GraphConns: 1, JobConns: 1, AuthConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	// Filling it takes as long as it takes: a question may take 30 seconds.
	if _, err := d.graph.Exec(t.Context(), "SET statement_timeout = 0; "+neverAnalyzed+fmt.Sprintf(sizedGraph, times)+"; RESET statement_timeout"); err != nil {
		t.Fatal(err)
	}
	return d
}

// neverAnalyzed keeps the database from looking at one of two graphs, and not at the other.
const neverAnalyzed = `DO $$
DECLARE
    t regclass;
BEGIN
    FOR t IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'kg_api'::regnamespace AND c.relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t);
    END LOOP;
END $$;
`

const sizedGraph = `DO $$
DECLARE
    n integer := %d;
BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    INSERT INTO kg_api.users (username, password_hash, role) SELECT 'u', 'x', 'admin' WHERE NOT EXISTS (SELECT FROM kg_api.users);
    INSERT INTO kg_api.ontologies (name) SELECT 'ontology ' || o FROM generate_series(1, 3) o;
    INSERT INTO kg_api.relationship_types (name, category) SELECT 'TYPE_' || o, 'test' FROM generate_series(1, 10) o;
    INSERT INTO kg_api.relationship_types (name, category) VALUES ('RARE', 'test');
    INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || encode(sha256(i::text::bytea), 'hex'), '' FROM generate_series(1, 300 * n) i;
    INSERT INTO kg_api.documents (id, document_id, ontology_id, filename, content_type, job_id) OVERRIDING SYSTEM VALUE
        SELECT i, 'sha256:' || encode(sha256(i::text::bytea), 'hex'), (SELECT min(id) FROM kg_api.ontologies) + i %% 3, 'file ' || i, 'text/plain', 'job_' || lpad(i::text, 12, '0')
        FROM generate_series(1, 300 * n) i;
    INSERT INTO kg_api.sources (id, source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id) OVERRIDING SYSTEM VALUE
        SELECT i, 'src_' || i, 1 + (i - 1) / 5, 1 + (i - 1) %% 5, 'text number' || i || repeat(' of many words', 100), 0, 0, 0, 0, 0, 'sentence', 'job_' || lpad((1 + (i - 1) / 5)::text, 12, '0') FROM generate_series(1, 1500 * n) i;
    INSERT INTO kg_api.concepts (id, concept_id, label, term_keys, creation_method) OVERRIDING SYSTEM VALUE
        SELECT i, 'c_' || i, 'Concept ' || CASE i WHEN 2 THEN 3 ELSE i END, ARRAY['concept ' || i], CASE WHEN i %% 10 = 0 THEN 'human' ELSE 'llm_extraction' END FROM generate_series(1, 1500 * n) i;
    INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
        SELECT 1 + i %% (1500 * n), 1 + (i * 7919) %% (1500 * n), 'quote ' || i, 0, 1 FROM generate_series(1, 5000 * n) i;
    INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte) SELECT 1, i, 'in each chunk', 0, 1 FROM generate_series(1, 1500 * n) i;
    INSERT INTO kg_api.mentions (concept, source, place, label, description, search_terms)
        SELECT i.concept, i.source, row_number() OVER (PARTITION BY i.source), 'Concept ' || i.concept, 'said in ' || i.source, '{}' FROM kg_api.instances i;
    INSERT INTO kg_api.edges (src, dst, type, confidence)
        SELECT 1 + i %% (1500 * n), 1 + (i * 31 + 7) %% (1500 * n), (SELECT min(id) FROM kg_api.relationship_types) + i %% 10, 0.5 FROM generate_series(1, 4500 * n) i
        WHERE i %% (1500 * n) <> (i * 31 + 7) %% (1500 * n) ON CONFLICT DO NOTHING;
    INSERT INTO kg_api.edges (src, dst, type, confidence)
        SELECT 1, i, (SELECT min(id) FROM kg_api.relationship_types), 0.5 FROM generate_series(2, 200) i ON CONFLICT DO NOTHING;
    INSERT INTO kg_api.edges (src, dst, type, confidence)
        SELECT 1500 * n - i, i, (SELECT max(id) FROM kg_api.relationship_types), 0.5 FROM generate_series(1, 5) i;
    INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence) SELECT e.src, e.dst, e.type, e.src, e.confidence FROM kg_api.edges e;
    INSERT INTO kg_api.concept_embeddings (concept, model, vector, signature, bands)
        SELECT i, 'model', ARRAY[1, 0]::real[], repeat('0', 768)::bit(768), ARRAY[1] FROM generate_series(1, 1500 * n) i;
    INSERT INTO kg_api.jobs (job_id, status, job_type, user_id, approved_at, approved_by, completed_at, ontology, content_hash, due, lane)
        SELECT d.job_id, 'completed', 'ingestion', (SELECT min(id) FROM kg_api.users), now(), 'u', now(), 'ontology 1', d.document_id, false, 'interactive' FROM kg_api.documents d;
    UPDATE kg_api.graph_epoch SET epoch = 300;
    PERFORM kg_api.recount_ontologies();
    PERFORM kg_api.recount_jobs();
END $$`

// blocksOf returns how many pages of tables and indexes are read for a page.
func blocksOf(t *testing.T, d *DB, p page) int64 {
	t.Helper()
	if err := p.read(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	before := blocksRead(t, d)
	if err := p.read(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	return blocksRead(t, d) - before
}

// blocksRead returns how many pages the connections of d have read so far.
func blocksRead(t *testing.T, d *DB) (blocks int64) {
	t.Helper()
	for _, pool := range []*pgxpool.Pool{d.graph.Pool, d.jobs.Pool, d.probes.Pool} {
		for range 2 { // what a statement has read is known after the next one
			if _, err := pool.Exec(t.Context(), "SELECT pg_stat_force_next_flush()"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.graph.QueryRow(t.Context(), `SELECT sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
		+ coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0)) FROM pg_statio_user_tables WHERE schemaname = 'kg_api'`).Scan(&blocks); err != nil {
		t.Fatal(err)
	}
	return blocks
}

// TestWhatIsKeptOutlastsPassages counts nothing anew when the passages of a chunk are cut or
// embedded, of which there are many while documents are read, and reads no more of the log for
// it: only what concepts are told of counts.
func TestWhatIsKeptOutlastsPassages(t *testing.T) {
	d := newSizedGraph(t, 1)
	k, computed := newKept[int](), 0
	read := func() {
		t.Helper()
		err := d.Graph().View(t.Context(), func(s *GraphSnapshot) error {
			_, err := k.at(t.Context(), s, func(*int, graphTouch) (int, error) { computed++; return computed, nil })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read()
	for i, c := range []struct {
		op   string
		want int
	}{{"touch source", 1}, {"embed source", 1}, {"touch concept", 2}, {"set edge", 3}} {
		before := k.now.Load().mark.Snapshot
		if _, err := d.graph.Exec(t.Context(), "INSERT INTO kg_api.graph_log (op, src) VALUES ($1, 1)", c.op); err != nil {
			t.Fatal(err)
		}
		read()
		if computed != c.want || k.now.Load().mark.Snapshot == before {
			t.Errorf("change %d, %s: computed %d times, want %d; known as of %s, before %s", i, c.op, computed, c.want, k.now.Load().mark.Snapshot, before)
		}
	}
}
