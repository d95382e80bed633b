// Package migrations holds the database schema as numbered SQL files and
// brings a database up to date with them. 00001 to 00011 are the schema, a file a subject. A
// file is never changed; a change is a new file.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

const (
	schema       = "kg_api"
	versionTable = schema + ".schema_migrations"
	floorTable   = schema + ".schema_floor"
	lockNotAvail = "55P03" // SQLSTATE lock_not_available
	deadlocked   = "40P01" // SQLSTATE deadlock_detected
	// undefinedTable is the SQLSTATE undefined_table.
	undefinedTable = "42P01"

	// A server that finds another one migrating asks once a second, for ten
	// minutes, whether that one is finished.
	turnPeriod = 1
	turnLimit  = 600
)

//go:embed *.sql
var files embed.FS

// ErrNewerDatabase reports that a newer version of the program has already
// changed the database in such a way that this one must not use it.
var ErrNewerDatabase = errors.New("the database was made by a newer version of kg")

// Up brings the database up to date: it applies the migrations that are missing,
// each in its own transaction, and changes nothing when none is. Any number of
// servers may call it at once; one migrates, the others wait for it.
//
// A migration waits at most five seconds for a lock that another session has
// on a table, and is tried again a few times; so is one that the database ends
// because it and a server each wait for what the other one has. A database whose
// version is above [Version] is left as it is; the error is [ErrNewerDatabase] when
// its floor is, too: the oldest version whose programs work with it. One of an
// earlier build is taken over, or left as it is with [ErrEarlierDatabase]. After an
// error the migrations before the failed one stay applied, and Up may be called again.
func Up(ctx context.Context, dsn string, log *slog.Logger) error {
	m := migrator{files: files, lockTimeout: 5 * time.Second, attempts: 5, pause: 2 * time.Second, log: log}
	return m.up(ctx, dsn)
}

// Version returns the number of the newest migration of this program.
func Version() int64 { return newest(files) }

// newest returns the highest number among the files, and 0 without any.
func newest(fsys fs.FS) int64 {
	names, _ := fs.Glob(fsys, "*.sql") // the pattern is well formed
	var version int64
	for _, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			version = max(version, n)
		}
	}
	return version
}

// migrator applies files to a database.
type migrator struct {
	files fs.FS
	// lockTimeout bounds the wait of a migration for a table. Everybody who
	// wants that table queues behind the migration meanwhile.
	lockTimeout time.Duration
	// attempts is how often a migration that met locked tables is tried, with a
	// pause between.
	attempts int
	pause    time.Duration
	log      *slog.Logger
}

// up applies what is missing, and tries again when a table is locked.
func (m migrator) up(ctx context.Context, dsn string) error {
	db, err := m.open(dsn)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	defer db.Close()
	for attempt := 1; ; attempt++ {
		err := m.apply(ctx, db)
		if err == nil {
			return nil
		}
		if !metLock(err) || attempt == m.attempts {
			return fmt.Errorf("migrate the database: %w", err)
		}
		m.log.WarnContext(ctx, "migration met a locked table, trying again", "attempt", attempt, "err", err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrate the database: %w", context.Cause(ctx))
		case <-time.After(m.pause):
		}
	}
}

// metLock says whether a migration failed because others used its tables.
func metLock(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == lockNotAvail || pgErr.Code == deadlocked)
}

// open prepares connections whose statements may take as long as they need,
// but not wait for a lock.
func (m migrator) open(dsn string) (*sql.DB, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // of several servers, the primary
	cfg.RuntimeParams["lock_timeout"] = strconv.FormatInt(m.lockTimeout.Milliseconds(), 10)
	cfg.RuntimeParams["statement_timeout"] = "0"
	return stdlib.OpenDB(*cfg), nil
}

// apply applies what is missing, once.
func (m migrator) apply(ctx context.Context, db *sql.DB) error {
	if err := createSchema(ctx, db); err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(turnPeriod, turnLimit))
	if err != nil {
		return err
	}
	if err := m.renumber(ctx, db, locker); err != nil {
		return err
	}
	// Two changes that were made at once have a number each, and may be merged in either order.
	provider, err := goose.NewProvider(goose.DialectPostgres, db, m.files, goose.WithTableName(versionTable), goose.WithAllowOutofOrder(true),
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true), goose.WithSlog(m.log))
	if err != nil {
		return err
	}
	current, known, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > known {
		return m.checkFloor(ctx, db, current, known)
	}
	began := time.Now()
	applied, err := provider.Up(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		applied = partial.Applied
	}
	m.report(ctx, applied, time.Since(began))
	return err
}

// report logs what was applied, in one line; a line for each is for debugging.
func (m migrator) report(ctx context.Context, applied []*goose.MigrationResult, took time.Duration) {
	if len(applied) == 0 {
		return
	}
	for _, r := range applied {
		m.log.DebugContext(ctx, "migration applied", "version", r.Source.Version, "file", r.Source.Path, "took", r.Duration)
	}
	m.log.InfoContext(ctx, "migrated the database", "migrations", len(applied), "version", applied[len(applied)-1].Source.Version,
		"took", took.Round(time.Millisecond))
}

// checkFloor reports whether this program works with the database of a newer one.
func (m migrator) checkFloor(ctx context.Context, db *sql.DB, current, known int64) error {
	floor := current // of a database that has none
	err := db.QueryRowContext(ctx, "SELECT version FROM "+floorTable).Scan(&floor)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); err != nil && (!ok || pgErr.Code != undefinedTable) {
		return fmt.Errorf("read the floor of the schema: %w", err)
	}
	if floor > known {
		return fmt.Errorf("%w: its version is %d, which needs a program that knows %d, and this one knows %d: install the newer program, or use another database",
			ErrNewerDatabase, current, floor, known)
	}
	m.log.InfoContext(ctx, "the database was made by a newer version of kg, with which this one works", "version", current, "known", known)
	return nil
}

// createSchema creates the schema of the version table, which goose expects to
// be there. Servers that start at once take turns, because CREATE SCHEMA IF NOT
// EXISTS fails when two do it at the same moment; and a role that may not
// create schemas needs none when the schema is there.
func createSchema(ctx context.Context, db *sql.DB) error {
	var exists bool
	err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", schema).Scan(&exists)
	if err != nil || exists {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, statement := range []string{
		"SELECT pg_advisory_xact_lock(hashtext('" + versionTable + "'))",
		"CREATE SCHEMA IF NOT EXISTS " + schema,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("create the schema %s: %w", schema, err)
		}
	}
	return tx.Commit()
}
