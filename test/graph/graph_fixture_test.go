package graph_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// realGraph is a Graph on a real database, with a connection to fill it.
// Concept n has the id "c_n".
type realGraph struct {
	*graph.Graph
	conn *pgx.Conn
	dsn  string
	db   *postgres.DB
}

func newRealGraph(t testing.TB, cfg graph.Config) realGraph {
	t.Helper()
	return newRealGraphOn(t, postgres.Config{}, cfg)
}

// newRealGraphOn is newRealGraph with settings of the connections.
func newRealGraphOn(t testing.TB, on postgres.Config, cfg graph.Config) realGraph {
	t.Helper()
	dsn := pgtest.NewDSN(t)
	if on.DSN == "" {
		on.DSN = dsn
	} else {
		dsn = on.DSN
	}
	db, err := postgres.Open(t.Context(), on)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	if err := db.Documents().EnsureVocabulary(t.Context(), vocabulary.BuiltinTypes()); err != nil {
		t.Fatal(err)
	}
	cfg.Embedder = spelling{}
	cfg.View = func(ctx context.Context, read func(s graph.Snapshot) error) error {
		return db.Graph().View(ctx, func(s *postgres.GraphSnapshot) error { return read(s) })
	}
	g := realGraph{graph.New(cfg), conn, dsn, db}
	g.exec(t, `INSERT INTO kg_api.ontologies (name) VALUES ('even'), ('odd')`)
	g.exec(t, `INSERT INTO kg_api.contents (content_hash, body) VALUES ('sha256:' || repeat('0', 64), '')`)
	g.exec(t, `INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
		SELECT 'sha256:' || repeat('0', 64), o.id, o.name || '.txt', 'text/plain', 'job_1' FROM kg_api.ontologies o ORDER BY o.id`)
	g.exec(t, `INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 'src_' || d.id, d.id, 1, '', 0, 0, 0, 0, 0, 'sentence', 'job_1' FROM kg_api.documents d ORDER BY d.id`)
	return g
}

// addConcepts stores concepts 1, 2, 3 … with their embeddings and one quote
// each, the even ones in the ontology "even".
func (g realGraph) addConcepts(t testing.TB, labels []string) {
	t.Helper()
	g.exec(t, `INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE
		SELECT n, 'c_' || n, label, ARRAY[lower(label)] FROM unnest($1::text[]) WITH ORDINALITY AS c (label, n)`, labels)
	g.exec(t, `INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
		SELECT c.id, s.id, 'about ' || c.label, c.id, c.id + 1
		FROM kg_api.concepts c JOIN kg_api.documents d ON d.filename = CASE WHEN c.id % 2 = 0 THEN 'even.txt' ELSE 'odd.txt' END
		JOIN kg_api.sources s ON s.document = d.id`)
	embeddings, _ := spelling{}.Embed(t.Context(), labels)
	_, err := g.conn.CopyFrom(t.Context(), pgx.Identifier{"kg_api", "concept_embeddings"},
		[]string{"concept", "model", "vector", "signature", "bands"},
		pgx.CopyFromSlice(len(labels), func(i int) ([]any, error) {
			signature := embeddings[i].Signature()
			bits := pgtype.Bits{Bytes: make([]byte, models.SignatureBits/8), Len: models.SignatureBits, Valid: true}
			for b := range bits.Bytes {
				bits.Bytes[b] = byte(signature[b/8] >> (b % 8 * 8))
			}
			return []any{i + 1, spelling{}.Model().Name, []float32(embeddings[i]), bits, signature.Bands()}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
}

// addEdges stores edges; those that are there already are left out.
func (g realGraph) addEdges(t testing.TB, edges []knowledge.Edge) {
	t.Helper()
	batch := &pgx.Batch{}
	for _, e := range edges {
		batch.Queue(`INSERT INTO kg_api.edges (src, dst, type, confidence)
			SELECT $1, $2, t.id, $4 FROM kg_api.relationship_types t WHERE t.name = $3`, e.From, e.To, e.Type, e.Confidence)
	}
	if err := g.conn.SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
}

func (g realGraph) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := g.conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func conceptID(n int) string { return fmt.Sprintf("c_%d", n) }

// spelling embeds texts by the runs of three letters in their words, so that
// texts with the same words and inflections are near.
type spelling struct{}

func (spelling) Model() models.Model { return models.Model{Name: "spelling", Local: true} }

func (spelling) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	all := make([]models.Embedding, len(texts))
	for i, text := range texts {
		v := make(models.Embedding, 768)
		for word := range strings.FieldsSeq(naming.LabelKey(text)) {
			letters := " " + word + " "
			for j := range len(letters) - 2 {
				h := fnv.New32a()
				h.Write([]byte(letters[j : j+3]))
				v[h.Sum32()%768]++
			}
		}
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(max(1e-9, math.Sqrt(sum)))
		}
		all[i] = v
	}
	return all, nil
}
