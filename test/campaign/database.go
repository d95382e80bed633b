package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgembed"
)

// database is the PostgreSQL of a campaign: private, and as durable as a real
// one.
type database struct {
	dir string
	log *slog.Logger

	mu      sync.Mutex // guards what follows
	cluster *pgembed.Cluster
	path    string // of the socket
	// password is that of the cluster, and of the roles of the servers.
	password string
}

func newDatabase(dir string, log *slog.Logger) *database {
	return &database{dir: dir, log: log}
}

// start starts PostgreSQL, and waits for the replay of its log.
func (d *database) start(ctx context.Context) error {
	cluster, err := pgembed.Start(ctx, pgembed.Config{
		Dir: d.dir, BinDir: os.Getenv("KG_PG_BIN"), MaxConnections: 200, Log: d.log,
		Settings: map[string]string{"track_commit_timestamp": "on"}, // the ends of rights are judged by it
	})
	if err != nil {
		return err
	}
	cfg, err := pgx.ParseConfig(cluster.DSN(pgembed.Database))
	if err != nil {
		return fmt.Errorf("read the database address: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cluster, d.path, d.password = cluster, filepath.Join(cfg.Host, fmt.Sprintf(".s.PGSQL.%d", cfg.Port)), cfg.Password
	return nil
}

// socket returns where PostgreSQL listens now.
func (d *database) socket() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.path
}

// secret returns the password, which stays the same over restarts.
func (d *database) secret() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.password
}

// restart ends PostgreSQL at once, without a checkpoint, and starts it again.
func (d *database) restart(ctx context.Context) error {
	now, cancel := context.WithCancel(ctx)
	cancel()
	_ = d.stop(now) // an immediate shutdown says that it was one
	return d.start(ctx)
}

// stop ends PostgreSQL in the time that ctx leaves, and at once after that.
func (d *database) stop(ctx context.Context) error {
	d.mu.Lock()
	cluster := d.cluster
	d.mu.Unlock()
	if cluster == nil {
		return nil
	}
	return cluster.Stop(ctx)
}
