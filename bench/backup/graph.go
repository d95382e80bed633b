package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/signature"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/migrations"
)

// newDatabase creates a database with the tables of kg and returns its address.
func newDatabase(ctx context.Context, cluster *pgembed.Cluster, name string) (dsn string, err error) {
	conn, err := pgx.Connect(ctx, cluster.DSN(pgembed.Database))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", err
	}
	dsn = cluster.DSN(name)
	return dsn, migrations.Up(ctx, dsn, slog.New(slog.DiscardHandler))
}

// fill stores a graph whose concepts have embeddings, as they do in a graph of documents.
func fill(ctx context.Context, dsn string, shape graphgen.Shape) error {
	if err := graphgen.Fill(ctx, dsn, shape.Concepts, shape.Make()); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SET session_replication_role = replica"); err != nil { // no triggers: nobody listens yet
		return err
	}
	embedder := extract.BuiltinEmbedder()
	columns := []string{"concept", "model", "vector", "signature", "bands"}
	n := 0
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"kg_api", "concept_embeddings"}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		if n++; n > shape.Concepts {
			return nil, nil
		}
		list, err := embedder.Embed(ctx, []string{fmt.Sprintf("Concept %d", n)})
		if err != nil {
			return nil, err
		}
		bits := list[0].Signature()
		return []any{n, embedder.Model().Name, []float32(list[0]), signature.Bits(bits), bits.Bands()}, nil
	}))
	if err != nil {
		return fmt.Errorf("store embeddings: %w", err)
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}
