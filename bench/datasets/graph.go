//go:build cgo && linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/graphgen"
)

// byTypeAndMonth is a question to a graph.
const byTypeAndMonth = "SELECT type, date_trunc('month', created_at) AS month, count(*) AS n FROM relationships GROUP BY ALL"

// graph asks graphs of two sizes: the first time, when their tables have to be written, and
// again.
func (b *bench) graph(ctx context.Context) error {
	for _, shape := range []graphgen.Shape{{Concepts: 10_000, Edges: 50_000, Types: 20, Seed: 1}, {Concepts: 100_000, Edges: 500_000, Types: 20, Seed: 1}} {
		if err := b.graphOf(ctx, shape); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) graphOf(ctx context.Context, shape graphgen.Shape) (err error) {
	cluster, err := serving.StartCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close(ctx)) }()
	dsn, err := cluster.Migrate(ctx)
	if err != nil {
		return err
	}
	if err := graphgen.Fill(ctx, dsn, shape.Concepts, shape.Make()); err != nil {
		return err
	}
	if err := quote(ctx, dsn); err != nil {
		return err
	}
	s, err := b.serve(ctx, "DATABASE_URL="+dsn)
	if err != nil {
		return err
	}
	defer s.Stop()
	var first time.Duration
	var later []time.Duration
	for i := range 6 {
		began := time.Now()
		answer, err := s.API.Datasets.QueryGraph(ctx, datasets.GraphQuery{SQL: byTypeAndMonth, Limit: datasets.MaxRows})
		if err != nil {
			return err
		}
		if len(answer.Rows.Rows) != shape.Types {
			return errRows
		}
		if took := time.Since(began); i == 0 {
			first = took
		} else {
			later = append(later, took)
		}
	}
	status, err := s.API.Datasets.Status(ctx)
	if err != nil {
		return err
	}
	b.add(fmt.Sprintf("graph of %d concepts and %d relationships", shape.Concepts, shape.Edges), "≤ 60 s, then ≤ 1 s", first <= time.Minute && median(later) <= time.Second,
		"%.1f s for the first question, then %s, median of %d; the tables are %.1f MiB", first.Seconds(), short(median(later)), len(later), float64(status.DiskBytes)/(1<<20))
	return nil
}

// quote stores documents, and a sentence of them for each relationship and three for each
// concept.
func quote(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect to quote documents: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, sql := range []string{
		"SET session_replication_role = replica",
		"INSERT INTO kg_api.ontologies (name) VALUES ('made')",
		`INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
			SELECT 'sha256:' || encode(sha256(n::text::bytea), 'hex'), (SELECT id FROM kg_api.ontologies), 'file-' || n || '.md', 'text/markdown', 'job_made' FROM generate_series(1, 1000) n`,
		`INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
			SELECT 'src_' || d.id || '_' || n, d.id, n, 'text', 0, 4, 0, 4, 800, 'paragraph', 'job_made' FROM kg_api.documents d, generate_series(1, 10) n`,
		`INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
			SELECT c.id, (c.id * 31 + n * 977) % 10000 + 1, 'A sentence of the usual length that names ' || c.label || ' for the time ' || n || ', and says something else besides.', 0, 100
			FROM kg_api.concepts c, generate_series(1, 3) n`,
		`INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte)
			SELECT e.src, e.dst, e.type, (e.src * 31 + e.dst) % 10000 + 1, e.confidence, 'A sentence of the usual length that says what concept ' || e.src || ' does to concept ' || e.dst || '.', 0, 100
			FROM kg_api.edges e`,
		"ANALYZE",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("quote documents: %w", err)
		}
	}
	return nil
}
