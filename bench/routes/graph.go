package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/signature"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge/naming"
)

const (
	ontologies   = 10 // the first one has half of the documents
	chunksOf     = 5  // a document
	relationsOf  = 5  // a chunk
	types        = 20 // of relationships, besides the built-in ones
	embedAtOnce  = 1_000
	conceptsRead = 97 // of which the questions are, spread over the graph
)

// size is how large a graph is.
type size struct{ concepts, quotes, documents int }

func (s size) divided(by int) size {
	return size{max(100, s.concepts/by), max(1_000, s.quotes/by), max(2*ontologies, s.documents/by)}
}

// String names a graph by its size.
func (s size) String() string {
	return fmt.Sprintf("%d concepts, %d quotes, %d documents", s.concepts, s.quotes, s.documents)
}

// graph is what the questions know of a graph.
type graph struct {
	size

	concepts  []string // ids of some
	labels    []string // of these
	documents []string // ids of some, of the first ontology
	sources   []string // of these
	jobs      []string // of these
	edges     [][3]string
}

// filler writes a graph, the same one each time.
type filler struct {
	*graph

	conn      *pgx.Conn
	random    *rand.Rand
	firstType int // the number of the first type of relationships
	related   map[[3]int]bool
}

// label is the name of a concept: one that no other has a word of.
func label(n int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var word strings.Builder
	for left := n + 14*5*14*5; left > 0; left /= 14 * 5 {
		word.WriteByte(consonants[left%14])
		word.WriteByte(vowels[left/14%5])
	}
	return word.String() + "n"
}

func conceptID(n int) string { return fmt.Sprintf("%s_%d", label(n), n) }

// fill writes a graph into an empty database. Keys are not checked and triggers do not run.
func fill(ctx context.Context, dsn string, s size, vacuum bool) (*graph, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	f := filler{graph: &graph{size: s}, conn: conn, random: rand.New(rand.NewPCG(1, 36)), related: map[[3]int]bool{}}
	if _, err := conn.Exec(ctx, "SET session_replication_role = replica"); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{f.types, f.storeConcepts, f.storeDocuments, f.settle} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if vacuum {
		_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	}
	return f.graph, err
}

func (f *filler) types(ctx context.Context) error {
	if err := f.exec(ctx,
		fmt.Sprintf("INSERT INTO kg_api.ontologies (name, implicit) SELECT 'ontology ' || n, true FROM generate_series(1, %d) n", ontologies),
		fmt.Sprintf("INSERT INTO kg_api.relationship_types (name, category) SELECT 'BENCH_' || n, 'bench' FROM generate_series(1, %d) n ORDER BY n", types)); err != nil {
		return err
	}
	return f.conn.QueryRow(ctx, "SELECT min(id) FROM kg_api.relationship_types WHERE category = 'bench'").Scan(&f.firstType)
}

func (f *filler) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := f.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.70s: %w", sql, err)
		}
	}
	return nil
}

func (f *filler) copy(ctx context.Context, table, columns string, rows [][]any) error {
	_, err := f.conn.CopyFrom(ctx, pgx.Identifier{"kg_api", table}, strings.Fields(columns), pgx.CopyFromRows(rows))
	if err != nil {
		return fmt.Errorf("store %s: %w", table, err)
	}
	return nil
}

func (f *filler) storeConcepts(ctx context.Context) error {
	embedder := extract.BuiltinEmbedder()
	every := max(1, f.size.concepts/conceptsRead)
	for first := 1; first <= f.size.concepts; first += embedAtOnce {
		var rows, embeddings [][]any
		var labels []string
		for n := first; n < min(first+embedAtOnce, f.size.concepts+1); n++ {
			name := label(n)
			labels = append(labels, name)
			rows = append(rows, []any{n, conceptID(n), name, "What is called " + name, []string{}, []string{naming.LabelKey(name), "=" + naming.IdentityKey(name)}})
			if n%every == 0 {
				f.graph.concepts, f.labels = append(f.graph.concepts, conceptID(n)), append(f.labels, name)
			}
		}
		vectors, err := embedder.Embed(ctx, labels)
		if err != nil {
			return err
		}
		for i, v := range vectors {
			bits := v.Signature()
			embeddings = append(embeddings, []any{first + i, models.LocalEmbedding, []float32(v), signature.Bits(bits), bits.Bands()})
		}
		if err := f.copy(ctx, "concepts", "id concept_id label description search_terms term_keys", rows); err != nil {
			return err
		}
		if err := f.copy(ctx, "concept_embeddings", "concept model vector signature bands", embeddings); err != nil {
			return err
		}
	}
	return nil
}

// batch is what is written of some documents at once.
type batch struct{ contents, documents, jobs, epochs, sources, instances, mentions, edges, evidence [][]any }

func (f *filler) storeDocuments(ctx context.Context) error {
	const atOnce = 500
	for first := 1; first <= f.size.documents; first += atOnce {
		var b batch
		for d := first; d < min(first+atOnce, f.size.documents+1); d++ {
			f.document(&b, d)
		}
		for _, t := range []struct {
			name, columns string
			rows          [][]any
		}{
			{"contents", "content_hash body", b.contents},
			{"documents", "id document_id ontology_id filename content_type source_path job_id", b.documents},
			{"jobs", "job_id job_type status user_id lane claimed_at started_at completed_at event_seq claim_seq end_seq approved_by ontology content_hash filename", b.jobs},
			{"epoch_log", "epoch kind act actor job_id object concepts_added edges_set", b.epochs},
			{"sources", "id source_id document chunk_number full_text start_byte end_byte start_char end_char words boundary job_id", b.sources},
			{"instances", "concept source quote start_byte end_byte", b.instances},
			{"mentions", "concept source place label description search_terms weight", b.mentions},
			{"edges", "src dst type confidence", b.edges},
			{"edge_evidence", "src dst type source confidence quote", b.evidence},
		} {
			if err := f.copy(ctx, t.name, t.columns, t.rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle has the numbers go on behind what was written.
func (f *filler) settle(ctx context.Context) error {
	for _, table := range []string{"concepts", "documents", "sources"} {
		if err := f.exec(ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('kg_api.%[1]s', 'id'), max(id)) FROM kg_api.%[1]s", table)); err != nil {
			return err
		}
	}
	return f.exec(ctx, fmt.Sprintf("UPDATE kg_api.graph_epoch SET epoch = %d", f.size.documents), "SELECT kg_api.recount_ontologies()", "SELECT kg_api.recount_jobs()")
}

// hash is the id of document d.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}
