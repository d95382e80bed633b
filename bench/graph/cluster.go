package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/processor"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/migrations"
)

// open starts the private cluster.
func (b *bench) open(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "kg-bench-"); err != nil {
		return err
	}
	if err := os.Chmod(b.dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return err
	}
	b.cluster, err = pgembed.Start(ctx, pgembed.Config{Dir: filepath.Join(b.dir, "postgres"), MaxConnections: 200})
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

// newDatabase creates a database with the tables of kg and returns its address.
func (b *bench) newDatabase(ctx context.Context, name string) (dsn string, err error) {
	conn, err := pgx.Connect(ctx, b.cluster.DSN(pgembed.Database))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", err
	}
	dsn = b.cluster.DSN(name)
	return dsn, migrations.Up(ctx, dsn, slog.New(slog.DiscardHandler))
}

// postgresCPU returns the processor time of the whole cluster so far.
func (b *bench) postgresCPU() (time.Duration, error) {
	return processor.OfCluster(filepath.Join(b.dir, "postgres", "data"))
}
