package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3/lock"
)

// Until 24 November 2026 the schema was some eighty migrations, numbered up to 00120. They
// were put together then, one a subject: 00001 to 00011 make what those made, under other
// numbers. A database of the last of them is taken over; nothing else than its numbers is
// changed, as TestRenumber shows.
const (
	lastEarlier    = 120
	missingEarlier = 26 // a number that was never used, unlike all others up to here
	together       = 11
	earlierCommit  = "e8eb15f" // a build of it brings a database to the last of them
)

// ErrEarlierDatabase reports that the database was made by a build with other migrations, and
// was not brought up to the last of them.
var ErrEarlierDatabase = errors.New("the database was made by an earlier build of kg")

// renumber makes the version table of a database with the earlier migrations say which of
// these it has. It holds the lock of those who migrate, and changes all of it or nothing. A
// server with the earlier migrations that runs meanwhile goes on, since it finds the same
// tables; its probe says that the schema is older than it needs. One that is started fails
// at its first migration and changes nothing.
func (m migrator) renumber(ctx context.Context, db *sql.DB, locker lock.SessionLocker) (err error) {
	if version, err := earlierVersion(ctx, db); err != nil || version == 0 {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn)) }()
	version, err := earlierVersion(ctx, conn)
	switch {
	case err != nil || version == 0: // another one was faster
		return err
	case version != lastEarlier:
		return fmt.Errorf("%w: its schema is %05d of migrations that were numbered up to %05d: start it once with a build of commit %s, which brings it there, and then with this one",
			ErrEarlierDatabase, version, lastEarlier, earlierCommit)
	}
	if err := giveNumbers(ctx, conn); err != nil {
		return fmt.Errorf("give the database the numbers of these migrations: %w", err)
	}
	m.log.InfoContext(ctx, "the database has the numbers of these migrations now", "before", lastEarlier, "now", together)
	return nil
}

// querier is a database, or one of its connections.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// earlierVersion returns the version of a database with the earlier migrations, and 0 of any
// other one. The first of these migrations makes the roles, which the earlier ones made after
// the number that they left out. One with what 00012 made is of these, whichever of those
// after it are there: a build that lacks one of them may have made it.
func earlierVersion(ctx context.Context, db querier) (version int64, err error) {
	var made, roles, later bool
	err = db.QueryRowContext(ctx, "SELECT to_regclass('"+versionTable+"') IS NOT NULL AND to_regclass('"+schema+".users') IS NOT NULL, to_regclass('"+schema+".roles') IS NOT NULL, to_regclass('"+schema+".job_counts') IS NOT NULL").
		Scan(&made, &roles, &later)
	if err != nil || !made || later {
		return 0, err
	}
	var leftOut bool
	err = db.QueryRowContext(ctx, "SELECT max(m.version_id), NOT bool_or(m.version_id = $1) FROM "+versionTable+" m WHERE m.is_applied", missingEarlier).
		Scan(&version, &leftOut)
	if err != nil || version > lastEarlier || roles && !(leftOut && version > missingEarlier) {
		return 0, err
	}
	return version, nil
}

// giveNumbers takes a database over.
func giveNumbers(ctx context.Context, conn *sql.Conn) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, statement := range []string{
		"DELETE FROM " + versionTable + " WHERE version_id > 0",
		fmt.Sprintf("INSERT INTO %s (version_id, is_applied) SELECT n, true FROM generate_series(1, %d) AS n", versionTable, together),
		"UPDATE " + floorTable + " SET version = 1",
		// It was added without a look at the events that were there. Others go on meanwhile.
		"ALTER TABLE " + schema + ".job_events VALIDATE CONSTRAINT kind_is_known",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}
