package pgtest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/migrations"
)

// NewClusterDSN returns how pgx reaches a migrated database in a cluster that
// this test alone uses, as the user who may change the cluster's settings. It
// takes some seconds, so it is for tests that need other settings than the shared
// cluster has. Unlike that one it waits for the disk. It ends with the test.
func NewClusterDSN(t testing.TB) string {
	t.Helper()
	dsn, _ := NewCluster(t)
	return dsn
}

// NewCluster is [NewClusterDSN], and returns the path of the server's log, too.
func NewCluster(t testing.TB) (dsn, log string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o711); err != nil { // another user runs the cluster when this one is root
		t.Fatalf("pgtest: make a directory for a cluster: %v", err)
	}
	cluster, err := pgembed.Start(t.Context(), pgembed.Config{Dir: dir, BinDir: os.Getenv("KG_PG_BIN")})
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), stopTimeout)
		defer cancel()
		if err := cluster.Stop(ctx); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	dsn = cluster.DSN(pgembed.Database)
	if err := migrations.Up(t.Context(), dsn, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return dsn, filepath.Join(dir, "postgres.log")
}
