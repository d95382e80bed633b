package serving

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/migrations"
)

// Cluster is a cluster of PostgreSQL, and a directory for what is measured with it.
type Cluster struct {
	*pgembed.Cluster
	Dir string // Dir/postgres is that of the cluster
}

// StartCluster starts a cluster for 100 connections in a new directory.
func StartCluster(ctx context.Context) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir}
	if err := os.Chmod(dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if c.Cluster, err = pgembed.Start(ctx, pgembed.Config{Dir: filepath.Join(dir, "postgres"), MaxConnections: 100}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

// Migrate makes the tables of kg, and returns the address of the database.
func (c *Cluster) Migrate(ctx context.Context) (dsn string, err error) {
	dsn = c.DSN(pgembed.Database)
	return dsn, migrations.Up(ctx, dsn, slog.New(slog.DiscardHandler))
}

// Close stops the cluster, and removes the directory.
func (c *Cluster) Close(ctx context.Context) error {
	return errors.Join(c.Stop(context.WithoutCancel(ctx)), os.RemoveAll(c.Dir))
}
