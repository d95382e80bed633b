package postgres

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// randomGraph is a graph as the tests know it, and the store that holds it.
// Concept n has the number n and the id "c_n".
type randomGraph struct {
	store    GraphStore
	now      *GraphSnapshot // of no one moment: each statement stands for itself
	pool     *pgxpool.Pool
	concepts int
	edges    []knowledge.Edge
	quotes   []quote
	vectors  map[int]models.Embedding
}

// quote is an instance: which chunk shows which concept.
type quote struct{ concept, source, start int }

const (
	chunksPerDocument = 3
	fixtureSources    = 4 * chunksPerDocument // 2 ontologies of 2 documents
	fixtureModel      = "model"
)

// ontologyOf returns the ontology of a chunk of the fixture.
func ontologyOf(source int) string {
	return []string{"zebras", "apples"}[(source-1)/(2*chunksPerDocument)]
}

// newRandomGraph fills a database with concepts, quotes and edges at random.
func newRandomGraph(t *testing.T, concepts, edges int) *randomGraph {
	t.Helper()
	d := newDB(t)
	g := &randomGraph{store: d.Graph(), now: &GraphSnapshot{q: db.New(d.graph), store: d.Graph()}, concepts: concepts, vectors: map[int]models.Embedding{}}
	g.pool = d.graph.Pool
	random := rand.New(rand.NewPCG(uint64(concepts), uint64(edges)))
	g.insertSources(t)
	for n := 1; n <= concepts; n++ {
		g.insertConcept(t, n, random)
	}
	g.exec(t, `INSERT INTO kg_api.relationship_types (name, category) SELECT unnest($1::text[]), 'test'`,
		[]string{"CAUSES", "PART_OF", vocabulary.TypeRelatedTo})
	seen := map[string]bool{}
	for len(g.edges) < edges {
		e := knowledge.Edge{
			From: 1 + random.IntN(concepts), To: 1 + random.IntN(concepts), Forward: true,
			Type:       []string{"CAUSES", "PART_OF", vocabulary.TypeRelatedTo}[random.IntN(3)],
			Confidence: float64(1+random.IntN(20)) / 20,
		}
		if vocabulary.SymmetricType(e.Type) && e.From > e.To {
			e.From, e.To = e.To, e.From
		}
		key := fmt.Sprint(e.From, e.To, e.Type)
		if e.From == e.To || seen[key] {
			continue
		}
		seen[key] = true
		g.edges = append(g.edges, e)
		g.exec(t, `INSERT INTO kg_api.edges (src, dst, type, confidence)
			SELECT $1, $2, t.id, $4 FROM kg_api.relationship_types t WHERE t.name = $3`, e.From, e.To, e.Type, e.Confidence)
	}
	return g
}

func newDB(t *testing.T) *DB {
	t.Helper()
	d, err := Open(t.Context(), Config{DSN: pgtest.NewDSN(t), AcquireTimeout: 20 * time.Second}) // a busy machine is no failure
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// insertSources adds two ontologies of two documents of three chunks; the one
// that comes later by name has the smaller numbers.
func (g *randomGraph) insertSources(t *testing.T) {
	t.Helper()
	g.exec(t, `INSERT INTO kg_api.ontologies (name) VALUES ('zebras'), ('apples'), ('bare')`)
	g.exec(t, `INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || repeat('0', 63) || d, '' FROM generate_series(1, 2) d`)
	g.exec(t, `INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, source_type, source_path, job_id)
		SELECT 'sha256:' || repeat('0', 63) || d, o, 'file ' || d || '.md', 'text/markdown', 'file', '/docs', 'job_1'
		FROM generate_series(1, 2) o, generate_series(1, 2) d ORDER BY o, d`)
	g.exec(t, `INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 'src_' || d || '_' || c, d, c, '', 0, 0, 0, 0, 0, 'sentence', 'job_1'
		FROM generate_series(1, 4) d, generate_series(1, $1::int) c ORDER BY d, c`, chunksPerDocument)
}

func (g *randomGraph) insertConcept(t *testing.T, n int, random *rand.Rand) {
	t.Helper()
	label := fmt.Sprintf("Concept %d", n)
	g.exec(t, `INSERT INTO kg_api.concepts (id, concept_id, label, description, search_terms, term_keys)
		OVERRIDING SYSTEM VALUE VALUES ($1, 'c_' || $1::int, $2, $3, $4, $5)`,
		n, label, []string{"", "described"}[n%2], []string{"other"}, []string{"other", naming.LabelKey(label)})
	for range 1 + random.IntN(6) {
		q := quote{concept: n, source: 1 + random.IntN(fixtureSources), start: random.IntN(1000)}
		g.quotes = append(g.quotes, q)
		g.exec(t, `INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte) VALUES ($1, $2, $3, $4, $4 + 1)`,
			q.concept, q.source, fmt.Sprintf("quote %d", len(g.quotes)), q.start)
	}
	v := make(models.Embedding, 64)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	g.vectors[n] = v
	g.insertEmbedding(t, n, fixtureModel, v)
}

func (g *randomGraph) insertEmbedding(t *testing.T, concept int, model string, v models.Embedding) {
	t.Helper()
	signature := v.Signature()
	g.exec(t, `INSERT INTO kg_api.concept_embeddings (concept, model, vector, signature, bands) VALUES ($1, $2, $3, $4, $5)`,
		concept, model, []float32(v), signatureBits(signature), signature.Bands())
}

func (g *randomGraph) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := g.pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// shownIn reports whether an ontology has a quote of the concept.
func (g *randomGraph) shownIn(concept int, ontology string) bool {
	return slices.ContainsFunc(g.quotes, func(q quote) bool { return q.concept == concept && ontologyOf(q.source) == ontology })
}
