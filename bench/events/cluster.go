package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgembed"
)

// open starts the cluster. It keeps the time of each commit, which is that of the
// commit's record, before it is flushed; the housekeeping of the cluster's own
// does not run, because its transactions would count as queries.
func (b *bench) open(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "kg-bench-"); err != nil {
		return err
	}
	if err := os.Chmod(b.dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return err
	}
	b.cluster, err = pgembed.Start(ctx, pgembed.Config{
		Dir: b.dir + "/postgres", MaxConnections: 200,
		Settings: map[string]string{"track_commit_timestamp": "on", "autovacuum_naptime": "1h"},
	})
	return err
}

// close stops the cluster and removes its data.
func (b *bench) close(ctx context.Context) error {
	err := b.cluster.Stop(context.WithoutCancel(ctx))
	if err == nil {
		err = os.RemoveAll(b.dir)
	}
	return err
}

// newDatabase creates an empty database and returns its address.
func (b *bench) newDatabase(ctx context.Context, name string) (dsn string, err error) {
	err = b.exec(ctx, pgembed.Database, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return b.cluster.DSN(name), err
}

// exec runs statements in a database.
func (b *bench) exec(ctx context.Context, database string, statements ...string) error {
	conn, err := pgx.Connect(ctx, b.cluster.DSN(database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}

// commitTimes returns when the events of one kind were committed.
func commitTimes(ctx context.Context, dsn string, kind string) (map[event]time.Time, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT e.job_id, e.seq, pg_xact_commit_timestamp(e.xmin) FROM kg_api.job_events e WHERE e.kind = $1", kind)
	if err != nil {
		return nil, fmt.Errorf("read the times of the commits: %w", err)
	}
	times := map[event]time.Time{}
	var e event
	var committed time.Time
	_, err = pgx.ForEachRow(rows, []any{&e.job, &e.seq, &committed}, func() error {
		times[e] = committed
		return nil
	})
	return times, err
}

// transactions returns how many have ended in a database so far. It asks from
// another database, so that it does not count itself.
func (b *bench) transactions(ctx context.Context, database string) (n int64, err error) {
	conn, err := pgx.Connect(ctx, b.cluster.DSN(pgembed.Database))
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = $1", database).Scan(&n)
	return n, err
}
