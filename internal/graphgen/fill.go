package graphgen

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Fill stores concepts 1 to concepts and edges in an empty graph, and the
// relationship types 1 to the highest one: "TYPE_1" and so on, where there is none
// with that number. It needs a superuser: neither foreign keys are checked nor
// triggers run, so that nobody hears of the change.
func Fill(ctx context.Context, dsn string, concepts int, edges []Edge) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect to fill a graph: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "SET session_replication_role = replica"); err != nil {
		return fmt.Errorf("fill a graph: %w", err)
	}
	types := int32(1)
	for _, e := range edges {
		types = max(types, e.Type)
	}
	if _, err := conn.Exec(ctx, `INSERT INTO kg_api.relationship_types (id, name, category) OVERRIDING SYSTEM VALUE
		SELECT n, 'TYPE_' || n, 'generated' FROM generate_series(1, $1::int) n ON CONFLICT DO NOTHING`, types); err != nil {
		return fmt.Errorf("store relationship types: %w", err)
	}
	if _, err := conn.Exec(ctx, `INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE
		SELECT n, 'c_' || n, 'Concept ' || n, ARRAY['concept ' || n] FROM generate_series(1, $1::int) n`, concepts); err != nil {
		return fmt.Errorf("store concepts: %w", err)
	}
	for _, table := range []string{"kg_api.relationship_types", "kg_api.concepts"} { // whoever comes later goes on behind them
		if _, err := conn.Exec(ctx, "SELECT setval(pg_get_serial_sequence($1, 'id'), max(id)) FROM "+table, table); err != nil {
			return fmt.Errorf("advance the numbers of %s: %w", table, err)
		}
	}
	columns := []string{"src", "dst", "type", "confidence"}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"kg_api", "edges"}, columns, pgx.CopyFromSlice(len(edges), func(i int) ([]any, error) {
		e := edges[i]
		return []any{e.Src, e.Dst, e.Type, e.Confidence}, nil
	})); err != nil {
		return fmt.Errorf("store edges: %w", err)
	}
	if err := vacuum(ctx, conn); err != nil {
		return fmt.Errorf("vacuum the graph: %w", err)
	}
	if len(edges) < measured {
		return nil
	}
	return awaitVisible(ctx, conn)
}

const (
	measured      = 100_000 // edges of a graph that figures are given for
	visibleWithin = 30 * time.Second
	visibleEvery  = 200 * time.Millisecond
)

// vacuum makes what index-only scans want, the visibility map, and the statistics for
// the planner.
func vacuum(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "VACUUM ANALYZE kg_api.edges, kg_api.concepts")
	return err
}

// awaitVisible vacuums again until all edges are in the visibility map. Whoever reads
// the database meanwhile, as the server does of itself to analyze a new table, keeps
// them out of it, and questions would then take three times as long.
func awaitVisible(ctx context.Context, conn *pgx.Conn) error {
	again := time.NewTicker(visibleEvery)
	defer again.Stop()
	for begin := time.Now(); ; {
		visible := false
		err := conn.QueryRow(ctx, "SELECT relallvisible >= relpages FROM pg_class WHERE oid = 'kg_api.edges'::regclass").Scan(&visible)
		switch {
		case err != nil:
			return fmt.Errorf("read the visibility of the graph: %w", err)
		case visible:
			return nil
		case time.Since(begin) > visibleWithin:
			return fmt.Errorf("the graph did not become visible to index-only scans within %s: end the transactions in its database", visibleWithin)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
		if err := vacuum(ctx, conn); err != nil {
			return fmt.Errorf("vacuum the graph: %w", err)
		}
	}
}
