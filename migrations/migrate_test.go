package migrations_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/migrations"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// value runs a query for one number.
func value(t *testing.T, conn *pgx.Conn, sql string) int64 {
	t.Helper()
	var n int64
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// catalog sums up when the tables, columns and functions were last changed,
// and how often the schema was.
const catalog = `SELECT (SELECT sum(xmin::text::bigint) FROM pg_class) + (SELECT sum(xmin::text::bigint) FROM pg_attribute)
	+ (SELECT sum(xmin::text::bigint) FROM pg_proc) + (SELECT count(*) FROM kg_api.schema_migrations)`

func TestUp(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	log := slog.New(slog.DiscardHandler)
	if err := migrations.Up(t.Context(), dsn, log); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, dsn)
	t.Run("all are applied", func(t *testing.T) {
		got := value(t, conn, "SELECT max(version_id) FROM kg_api.schema_migrations")
		if got != migrations.Version() || got == 0 {
			t.Errorf("the database has version %d, the program %d", got, migrations.Version())
		}
	})
	t.Run("a second time changes nothing", func(t *testing.T) {
		before := value(t, conn, catalog)
		if err := migrations.Up(t.Context(), dsn, log); err != nil {
			t.Fatal(err)
		}
		if after := value(t, conn, catalog); after != before {
			t.Error("the catalog has changed")
		}
	})
	t.Run("the database of a newer program is used while its floor allows it", func(t *testing.T) {
		for _, c := range []struct {
			change  string
			refused bool
		}{
			{"INSERT INTO kg_api.schema_migrations (version_id, is_applied) VALUES (99999, true)", false},
			{fmt.Sprintf("UPDATE kg_api.schema_floor SET version = %d", migrations.Version()), false},
			{fmt.Sprintf("UPDATE kg_api.schema_floor SET version = %d", migrations.Version()+1), true},
			{"DROP TABLE kg_api.schema_floor", true},
		} {
			if _, err := conn.Exec(t.Context(), c.change); err != nil {
				t.Fatal(err)
			}
			before := value(t, conn, catalog)
			if err := migrations.Up(t.Context(), dsn, log); errors.Is(err, migrations.ErrNewerDatabase) != c.refused || !c.refused && err != nil {
				t.Errorf("%s: %v, want it refused: %v", c.change, err, c.refused)
			}
			if after := value(t, conn, catalog); after != before {
				t.Errorf("%s: the catalog has changed", c.change)
			}
		}
	})
}

// TestDown takes all migrations back, which leaves nothing, and applies them again.
func TestDown(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	conn := connect(t, dsn)
	const left = "SELECT concat(c.relkind, ' ', c.relname) FROM pg_class c WHERE c.relnamespace = 'kg_api'::regnamespace AND c.relname NOT LIKE 'schema\\_migrations%' " +
		"UNION ALL SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'kg_api'::regnamespace UNION ALL SELECT p.pubname FROM pg_publication p"
	for range 2 {
		if err := migrations.Up(t.Context(), dsn, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		if all := lines(t, conn, left); len(all) < 100 {
			t.Errorf("there are only %d things", len(all))
		}
		if err := migrations.Down(t.Context(), dsn); err != nil {
			t.Fatal(err)
		}
		if all := lines(t, conn, left); len(all) > 0 {
			t.Errorf("%v is left", all)
		}
	}
}

// migration is a file with the statements.
func migration(sql string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql + ";\n")}
}

func TestUpAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("on an empty database", func(t *testing.T) { upAtOnce(t, pgtest.NewEmptyDSN(t), migrations.Files()) })
	t.Run("on an old database", testUpAtOnceOld)
}

// upAtOnce migrates from several servers.
func upAtOnce(t *testing.T, dsn string, files fs.FS) {
	t.Helper()
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
				t.Error(err)
			}
		})
	}
	servers.Wait()
}

func testUpAtOnceOld(t *testing.T) {
	dsn := pgtest.NewEmptyDSN(t)
	files := fstest.MapFS{"00001_one.sql": migration("CREATE TABLE kg_api.one (n int)")}
	if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
		t.Fatal(err)
	}
	files["00002_two.sql"] = migration("SELECT pg_sleep(0.2); INSERT INTO kg_api.one VALUES (1)")
	upAtOnce(t, dsn, files)
	if n := value(t, connect(t, dsn), "SELECT count(*) FROM kg_api.one"); n != 1 {
		t.Errorf("the second migration was applied %d times", n)
	}
}

func TestUpFails(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	conn := connect(t, dsn)
	files := fstest.MapFS{
		"00001_one.sql": migration("CREATE TABLE kg_api.one (n int)"),
		"00002_two.sql": migration("CREATE TABLE kg_api.two (n int); SELECT 1/0"),
	}
	const tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'kg_api' AND tablename IN ('one', 'two')"
	err := migrations.UpFrom(t.Context(), dsn, files)
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || pgErr.Code != "22012" {
		t.Fatalf("got %v", err)
	}
	if n := value(t, conn, tables); n != 1 {
		t.Errorf("%d tables after the failure, want that of the first migration", n)
	}
	files["00002_two.sql"] = migration("CREATE TABLE kg_api.two (n int)")
	if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
		t.Fatal(err)
	}
	if n := value(t, conn, tables); n != 2 {
		t.Errorf("%d tables after the repair, want 2", n)
	}
}

// TestUpLogs has a line say what was applied, also when one failed, and none when
// nothing was.
func TestUpLogs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	files := fstest.MapFS{
		"00001_one.sql":   migration("CREATE TABLE kg_api.one (n int)"),
		"00002_two.sql":   migration("CREATE TABLE kg_api.two (n int)"),
		"00003_three.sql": migration("SELECT 1/0"),
	}
	for _, want := range []string{`level=INFO msg="migrated the database" migrations=2 version=2 took=`, "", `migrations=1 version=3 took=`} {
		if want != "" && strings.Contains(want, "version=3") {
			files["00003_three.sql"] = migration("SELECT 1")
		}
		var log strings.Builder
		err := migrations.UpLogged(t.Context(), dsn, files, slog.New(slog.NewTextHandler(&log, nil)))
		if !strings.Contains(log.String(), want) || strings.Count(log.String(), "\n") != min(1, len(want)) {
			t.Errorf("with the result %v it logs\n%s, want one line with %q", err, log.String(), want)
		}
	}
}

func TestUpMeetsLock(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	files := fstest.MapFS{"00001_one.sql": migration("CREATE TABLE kg_api.one (n int)")}
	if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
		t.Fatal(err)
	}
	files["00002_two.sql"] = migration("ALTER TABLE kg_api.one ADD COLUMN m int")

	// hold locks the table until the function that it returns is called.
	hold := func(t *testing.T) (release func()) {
		tx, err := connect(t, dsn).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), "LOCK TABLE kg_api.one IN ACCESS SHARE MODE"); err != nil {
			t.Fatal(err)
		}
		return func() { _ = tx.Rollback(t.Context()) }
	}
	t.Run("one that stays ends in an error", func(t *testing.T) {
		defer hold(t)()
		err := migrations.UpFrom(t.Context(), dsn, files)
		pgErr, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pgErr.Code != "55P03" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one that goes is waited for", func(t *testing.T) {
		release, observer := hold(t), connect(t, dsn)
		var holder sync.WaitGroup
		defer holder.Wait()
		holder.Go(func() {
			defer release()
			await.That(t, "the migration waits for the lock", func() bool {
				return value(t, observer, "SELECT count(*) FROM pg_locks WHERE relation = 'kg_api.one'::regclass AND NOT granted") > 0
			})
		})
		if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
			t.Error(err)
		}
	})
}

// TestUpMeetsDeadlock has a session want the tables of a migration in the other
// order: the database ends the migration, which is tried again.
func TestUpMeetsDeadlock(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	files := fstest.MapFS{"00001_tables.sql": migration("CREATE TABLE kg_api.one (n int); CREATE TABLE kg_api.two (n int)")}
	if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
		t.Fatal(err)
	}
	files["00002_two.sql"] = migration("ALTER TABLE kg_api.one ADD COLUMN m int; SELECT pg_sleep(0.2); ALTER TABLE kg_api.two ADD COLUMN m int")
	conn := connect(t, dsn)
	execute := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Error(err)
		}
	}
	// Who waits for so long looks for a deadlock, and is ended by one.
	execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 10', current_database()); END $$")
	execute("SET deadlock_timeout = '1min'")
	execute("BEGIN")
	execute("LOCK TABLE kg_api.two IN ROW EXCLUSIVE MODE")
	var migrated error
	var migrating sync.WaitGroup
	migrating.Go(func() { migrated = migrations.UpFrom(t.Context(), dsn, files) })
	await.That(t, "the migration has the first table", func() bool {
		return value(t, conn, "SELECT count(*) FROM pg_locks WHERE relation = 'kg_api.one'::regclass AND mode = 'AccessExclusiveLock'") > 0
	})
	execute("LOCK TABLE kg_api.one IN ROW EXCLUSIVE MODE")
	execute("COMMIT")
	migrating.Wait()
	if migrated != nil {
		t.Error(migrated)
	}
}

// TestUpOutOfOrder applies a migration whose number is lower than that of one that the database
// has.
func TestUpOutOfOrder(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	file := func(sql string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql + ";\n-- +goose Down\n")}
	}
	files := fstest.MapFS{"00001_a.sql": file("CREATE TABLE kg_api.a ()"), "00003_c.sql": file("CREATE TABLE kg_api.c ()")}
	if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
		t.Fatal(err)
	}
	files["00002_b.sql"] = file("CREATE TABLE kg_api.b ()")
	if err := migrations.UpFrom(t.Context(), dsn, files); err != nil {
		t.Fatal(err)
	}
	if n := value(t, connect(t, dsn), "SELECT count(*) FROM pg_tables WHERE schemaname = 'kg_api' AND tablename IN ('a', 'b', 'c')"); n != 3 {
		t.Errorf("%d of 3 tables are there", n)
	}
}
