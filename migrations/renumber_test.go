package migrations_test

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/migrations"
)

// earlier is a dump of a database with the earlier migrations and with rows in every table.
const earlier = "testdata/00120.sql.gz"

// tables lists the tables with how many rows each has, but the version table.
const tables = `SELECT concat_ws(' ', c.relname, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM kg_api.%I', c.relname), true, true, '')))[1])
	FROM pg_class c WHERE c.relnamespace = 'kg_api'::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_migrations'`

// TestRenumber takes over a database with the earlier migrations: it becomes what a new one
// is, and keeps what it holds.
func TestRenumber(t *testing.T) {
	t.Parallel()
	dsn, fresh := pgtest.NewLoadedDSN(t, earlier), pgtest.NewEmptyDSN(t)
	conn := connect(t, dsn)
	before := lines(t, conn, tables)
	for _, line := range before {
		if strings.HasSuffix(line, " 0") {
			t.Errorf("the dump has no rows of %s", line)
		}
	}
	var starting sync.WaitGroup
	for _, to := range []string{dsn, dsn, dsn, fresh} { // several servers start at once
		starting.Go(func() {
			if err := migrations.Up(t.Context(), to, slog.New(slog.DiscardHandler)); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	wanted := connect(t, fresh)
	wantSame(t, conn, wanted, shape)
	wantSame(t, conn, wanted, seeds)
	wantSame(t, conn, wanted, "SELECT version_id::text FROM kg_api.schema_migrations WHERE is_applied")
	files, err := filepath.Glob("0*.sql")
	if n := value(t, conn, "SELECT count(*) FROM kg_api.schema_migrations WHERE version_id > 0"); err != nil || n != int64(len(files)) {
		t.Errorf("the version table has %d migrations, want %d; %v", n, len(files), err)
	}
	after := lines(t, conn, tables) // those that a later migration has made besides
	for _, line := range before {
		if line == "worker_lanes 5" {
			line = "worker_lanes 6" // the lane actions came later
		}
		if !slices.Contains(after, line) {
			t.Errorf("there were %q, and are now %q", line, after)
		}
	}
	if _, err := conn.Exec(t.Context(), "DELETE FROM kg_api.documents WHERE id = (SELECT max(id) FROM kg_api.documents)"); err != nil {
		t.Errorf("a document cannot be deleted: %v", err)
	}
}

// TestRenumberRefuses has a database stand at an earlier migration than the last.
func TestRenumberRefuses(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewLoadedDSN(t, earlier)
	conn := connect(t, dsn)
	const state = "SELECT (SELECT count(*) FROM kg_api.schema_migrations) + (SELECT version FROM kg_api.schema_floor)"
	for _, c := range []struct {
		version int
		before  string
	}{{118, "SELECT 1"}, {34, "SELECT 1"}, {33, "ALTER TABLE kg_api.roles RENAME TO later"}, {25, "SELECT 1"}, {7, "SELECT 1"}} {
		for _, sql := range []string{c.before, fmt.Sprintf("DELETE FROM kg_api.schema_migrations WHERE version_id > %d", c.version)} {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		was := value(t, conn, state)
		err := migrations.Up(t.Context(), dsn, slog.New(slog.DiscardHandler))
		want := fmt.Sprintf("its schema is %05d of migrations that were numbered up to 00120: start it once with a build of commit ", c.version)
		if !errors.Is(err, migrations.ErrEarlierDatabase) || !strings.Contains(err.Error(), want) {
			t.Errorf("at %d: %v, want %q", c.version, err, want)
		}
		if now := value(t, conn, state); now != was {
			t.Errorf("at %d something was changed", c.version)
		}
	}
}

// TestRenumberMeetsLock has somebody hold a table that is changed: all of it waits, or nothing
// is done.
func TestRenumberMeetsLock(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewLoadedDSN(t, earlier)
	conn := connect(t, dsn)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE kg_api.job_events"); err != nil {
		t.Fatal(err)
	}
	err = migrations.UpFrom(t.Context(), dsn, migrations.Files())
	if err == nil || !strings.Contains(err.Error(), "give the database the numbers") {
		t.Errorf("got %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := value(t, conn, "SELECT max(version_id) FROM kg_api.schema_migrations"); n != 120 {
		t.Errorf("the version is %d, want 120", n)
	}
	if err := migrations.UpFrom(t.Context(), dsn, migrations.Files()); err != nil {
		t.Error(err)
	}
}
