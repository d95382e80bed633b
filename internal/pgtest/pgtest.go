// Package pgtest gives each test a migrated PostgreSQL database of its own.
//
// A package that uses it calls [Main] in its TestMain. The first test that
// asks for a database starts a private cluster, which the whole test process
// shares; each database is a copy of a migrated template. Nothing has to run or
// be prepared, only PostgreSQL's programs must be installed; without them the
// tests fail and say what to install.
package pgtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// cleanupTimeout bounds what happens after a test.
const cleanupTimeout = 10 * time.Second

// NewPool returns a pool on a new migrated database. After the test the pool is
// closed and the database dropped. A test that does not release a connection
// fails.
func NewPool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), NewDSN(t))
	if err != nil {
		t.Fatalf("pgtest: connect to the test database: %v", err)
	}
	t.Cleanup(func() {
		closed := make(chan struct{})
		go func() { pool.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(cleanupTimeout):
			t.Errorf("pgtest: %d connections were not released by the end of the test", pool.Stat().AcquiredConns())
		}
	})
	return pool
}

// NewDSN returns how pgx reaches a new migrated database. After the test the
// database is dropped, with the replication slots that belong to it, and what is
// connected to it then is cut off.
func NewDSN(t testing.TB) string {
	t.Helper()
	return newDatabase(t, templateDatabase)
}

// NewEmptyDSN is [NewDSN] without the migrations, for tests of them.
func NewEmptyDSN(t testing.TB) string {
	t.Helper()
	return newDatabase(t, "template0")
}

// newDatabase copies a database for the time of the test.
func newDatabase(t testing.TB, template string) string {
	t.Helper()
	s := started(t)
	name := s.nextName(t.Name())
	// To copy the files takes less than to log every page of them.
	err := s.exec(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy", quote(name), template))
	if err != nil {
		t.Fatalf("pgtest: create a test database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), cleanupTimeout)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("pgtest: drop the test database: %v", err)
		}
	})
	return s.cluster.DSN(name)
}

// started returns the cluster of the process, which runs.
func started(t testing.TB) *shared {
	t.Helper()
	s := current()
	if s == nil {
		t.Fatal("pgtest: TestMain must call pgtest.Main: func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }")
	}
	if err := s.start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return s
}

// databaseName makes a readable name of at most 63 bytes, PostgreSQL's limit.
func databaseName(test string, number int64) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		default:
			return '_'
		}
	}, strings.ToLower(test))
	return fmt.Sprintf("%.50s_%d", clean, number)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
