package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgembed"
)

// statementSettings has PostgreSQL count what each statement takes.
func statementSettings() map[string]string {
	return map[string]string{"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on"}
}

// forgetStatements begins to count anew.
func (b *bench) forgetStatements(ctx context.Context) error {
	return b.withStatements(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT pg_stat_statements_reset()`)
		return err
	})
}

// writeStatements writes which statements took most of the time per run.
func (b *bench) writeStatements(ctx context.Context, runs int) error {
	return b.withStatements(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT calls, total_plan_time, total_exec_time, rows, shared_blks_hit, regexp_replace(query, '\s+', ' ', 'g')
			FROM pg_stat_statements ORDER BY total_plan_time + total_exec_time DESC LIMIT 25`)
		if err != nil {
			return err
		}
		var calls, returned, hit int64
		var plan, exec float64
		var query string
		_, err = pgx.ForEachRow(rows, []any{&calls, &plan, &exec, &returned, &hit, &query}, func() error {
			each := float64(runs) / 1000
			fmt.Printf("  %6.1f µs a run, %5.1f of them plans; %.3f calls, %5.0f µs and %4.0f pages each: %.110s\n",
				(plan+exec)/each, plan/each, float64(calls)/float64(runs), 1000*(plan+exec)/float64(calls), float64(hit)/float64(calls), strings.TrimPrefix(query, "-- name: "))
			return nil
		})
		return err
	})
}

func (b *bench) withStatements(ctx context.Context, do func(conn *pgx.Conn) error) error {
	if !b.statements {
		return nil
	}
	conn, err := pgx.Connect(ctx, b.cluster.DSN(pgembed.Database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`); err != nil {
		return err
	}
	return do(conn)
}
