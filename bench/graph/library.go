package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/signature"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// What a library of concepts is made of besides these.
const (
	libraryOntologies = 20
	libraryDocuments  = 400
	librarySources    = 10 // of each document
	libraryInstances  = 4  // of a concept, at most
	libraryEdges      = 5  // for each concept
)

// library is a graph of concepts with names and embeddings, as tables and as the
// benchmark knows it. Concept i has the number i+1.
type library struct {
	model      string
	labels     []string
	embeddings []models.Embedding
}

// storeLibrary fills an empty database with so many concepts, whose built-in embeddings are
// called those of model: the index on the bands has those of other models than the built-in
// one.
func storeLibrary(ctx context.Context, dsn, model string, concepts int) (*library, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	embedder := extract.BuiltinEmbedder()
	l := &library{model: model}
	// Indexes that are built at the end, no keys that are checked and no triggers: the
	// rows are right, and there is no server yet.
	if err := execAll(ctx, conn,
		"SET session_replication_role = replica",
		"DROP INDEX kg_api.concept_embeddings_bands_idx, kg_api.concepts_terms_idx",
		"INSERT INTO kg_api.ontologies (name) SELECT 'ontology ' || n FROM generate_series(1, $1::int) n", libraryOntologies,
		"INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || lpad(n::text, 64, '0'), '' FROM generate_series(1, $1::int) n", libraryDocuments,
		`INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
			SELECT 'sha256:' || lpad(n::text, 64, '0'), 1 + n % $2::int, 'report ' || n, 'text/plain', 'job_1' FROM generate_series(1, $1::int) n`, libraryDocuments, libraryOntologies,
		`INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
			SELECT 'src_' || d || '_' || n, d, n, '', 0, 0, 0, 0, 0, 'sentence', 'job_1' FROM generate_series(1, $1::int) d, generate_series(1, $2::int) n`, libraryDocuments, librarySources,
	); err != nil {
		return nil, err
	}
	if err := l.storeConcepts(ctx, conn, embedder, concepts); err != nil {
		return nil, err
	}
	if err := storeSupport(ctx, conn, concepts); err != nil {
		return nil, err
	}
	return l, execAll(ctx, conn,
		"CREATE INDEX concepts_terms_idx ON kg_api.concepts USING gin (term_keys) WITH (fastupdate = off)",
		"CREATE INDEX concept_embeddings_bands_idx ON kg_api.concept_embeddings USING gin (bands) WITH (fastupdate = off) WHERE model <> '"+models.LocalEmbedding+"'",
		"UPDATE kg_api.graph_epoch SET epoch = epoch + 1",
		"SELECT kg_api.recount_ontologies()",
		"VACUUM ANALYZE")
}

// execAll runs statements; numbers behind one are its arguments.
func execAll(ctx context.Context, conn *pgx.Conn, list ...any) error {
	for at := 0; at < len(list); {
		sql, _ := list[at].(string)
		var args []any
		for at++; at < len(list); at++ {
			if _, next := list[at].(string); next {
				break
			}
			args = append(args, list[at])
		}
		if _, err := conn.Exec(ctx, sql, args...); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}

func (l *library) storeConcepts(ctx context.Context, conn *pgx.Conn, embedder models.Embedder, most int) error {
	const batch = 5000
	names := newLabels(1)
	for first := 0; first < most; first += batch {
		var concepts, embeddings [][]any
		for i := first; i < min(first+batch, most); i++ {
			c := names.concept()
			keys := []string{naming.LabelKey(c.Label)}
			for _, term := range c.SearchTerms {
				keys = append(keys, naming.LabelKey(term))
			}
			keys = append(keys, "="+naming.IdentityKey(c.Label)) // as the store keeps it
			l.labels = append(l.labels, c.Label)
			list, err := embedder.Embed(ctx, []string{c.EmbeddingText()})
			if err != nil {
				return err
			}
			l.embeddings = append(l.embeddings, list[0])
			bits := list[0].Signature()
			concepts = append(concepts, []any{i + 1, fmt.Sprintf("%s_%d", naming.ConceptSlug(c.Label), i+1), c.Label, c.Description, append([]string{}, c.SearchTerms...), keys})
			embeddings = append(embeddings, []any{i + 1, l.model, []float32(list[0]), signature.Bits(bits), bits.Bands()})
		}
		if _, err := conn.CopyFrom(ctx, pgx.Identifier{"kg_api", "concepts"},
			[]string{"id", "concept_id", "label", "description", "search_terms", "term_keys"}, pgx.CopyFromRows(concepts)); err != nil {
			return fmt.Errorf("store concepts: %w", err)
		}
		if _, err := conn.CopyFrom(ctx, pgx.Identifier{"kg_api", "concept_embeddings"},
			[]string{"concept", "model", "vector", "signature", "bands"}, pgx.CopyFromRows(embeddings)); err != nil {
			return fmt.Errorf("store embeddings: %w", err)
		}
	}
	return execAll(ctx, conn, "SELECT setval(pg_get_serial_sequence('kg_api.concepts', 'id'), $1::int)", most)
}

// storeSupport stores the quotes of concepts and the edges between them.
func storeSupport(ctx context.Context, conn *pgx.Conn, concepts int) error {
	if err := execAll(ctx, conn, "INSERT INTO kg_api.relationship_types (name, category) VALUES ('BENCH_A', 'bench'), ('BENCH_B', 'bench'), ('BENCH_C', 'bench')"); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(2, 14))
	var quotes, edges [][]any
	for c := 1; c <= concepts; c++ {
		for n := range 1 + random.IntN(libraryInstances) {
			quotes = append(quotes, []any{c, 1 + random.IntN(libraryDocuments*librarySources), fmt.Sprintf("Quote %d of concept %d.", n, c), 0, 10})
		}
	}
	seen := map[[3]int]bool{}
	for range libraryEdges * concepts {
		e := [3]int{1 + random.IntN(concepts), 1 + random.IntN(concepts), 1 + random.IntN(3)}
		if e[0] != e[1] && !seen[e] {
			seen[e] = true
			edges = append(edges, []any{e[0], e[1], e[2], 0.8})
		}
	}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"kg_api", "instances"}, []string{"concept", "source", "quote", "start_byte", "end_byte"}, pgx.CopyFromRows(quotes)); err != nil {
		return fmt.Errorf("store quotes: %w", err)
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"kg_api", "edges"}, []string{"src", "dst", "type", "confidence"}, pgx.CopyFromRows(edges))
	return err
}
