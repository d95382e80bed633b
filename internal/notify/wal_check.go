package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// walPublication names what is replicated; a migration makes it.
const walPublication = "kg_events"

// walFacts asks for what a replication stream of events needs: the setting
// wal_level, how many slots there may be, how many there are, and whether new
// events are published.
const walFacts = `SELECT current_setting('wal_level'), current_setting('max_replication_slots'),
	(SELECT count(*) FROM pg_catalog.pg_replication_slots) < current_setting('max_replication_slots')::int,
	` + walPublishes

// walPublishes asks whether new events are published.
const walPublishes = `EXISTS (SELECT FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_tables t USING (pubname)
		WHERE p.pubname = '` + walPublication + `' AND p.pubinsert
		AND t.schemaname = '` + walSchema + `' AND t.tablename = '` + walTable + `')`

// walPublished asks that alone.
const walPublished = "SELECT " + walPublishes

// The SQLSTATEs of what a server refuses to those who want its log.
const (
	stateNoPrivilege     = "42501" // insufficient_privilege
	stateTooMany         = "53300" // too_many_connections
	stateLimitReached    = "53400" // configuration_limit_exceeded
	stateUndefinedObject = "42704" // undefined_object
	stateSkipped         = "55000" // object_not_in_prerequisite_state: of a warning, see walNotice
)

// CheckWAL reports whether the source wal can work with a database: an error
// says what is to be changed, all of it at once where the server lets us read it. It
// opens a replication connection for that and closes it again.
func CheckWAL(ctx context.Context, dsn string) error {
	conn, err := dialWAL(ctx, dsn, nil)
	if err != nil {
		return err
	}
	defer closeWAL(ctx, conn)
	return checkWAL(ctx, conn)
}

// checkWAL is CheckWAL on an open replication connection. Such a connection
// takes statements without parameters only.
func checkWAL(ctx context.Context, conn *pgconn.PgConn) error {
	ctx, cancel := context.WithTimeout(ctx, walSetupWithin)
	defer cancel()
	results, err := conn.Exec(ctx, walFacts).ReadAll()
	if err != nil {
		return fmt.Errorf("read the server's replication settings: %w", err)
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 4 {
		return errors.New("read the server's replication settings: unexpected answer")
	}
	row := results[0].Rows[0]
	var problems []error
	if level := string(row[0]); level != "logical" {
		problems = append(problems, errWALLevel(level))
	}
	if string(row[2]) != "t" {
		problems = append(problems, errWALSlots("all "+string(row[1])+" replication slots are in use"))
	}
	if string(row[3]) != "t" {
		problems = append(problems, errWALPublication())
	}
	return errors.Join(problems...)
}

// walProblem adds to what the server refused what is to be changed. It returns
// any other error as it is.
func walProblem(err error) error {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	switch pgErr.Code {
	case stateNoPrivilege:
		return fmt.Errorf("%w; ALTER ROLE … REPLICATION gives the privilege, or use KG_EVENTS=listen", err)
	case stateTooMany:
		return fmt.Errorf("%w; raise max_wal_senders in postgresql.conf, with wal_level = logical, and restart PostgreSQL, or use KG_EVENTS=listen", err)
	case stateLimitReached:
		return errors.Join(errWALSlots("there is no free replication slot"), err)
	case stateUndefinedObject:
		return errors.Join(errWALPublication(), err)
	}
	return err
}

// walNotice returns an error when the server warns that it leaves out what the publication
// would have: PostgreSQL 18 and newer go on without one that is gone, where older ones end
// the stream.
func walNotice(n *pgproto3.NoticeResponse) error {
	if n.Code == stateSkipped && strings.Contains(n.Message, walPublication) {
		return errors.Join(errWALPublication(), errors.New(n.Message))
	}
	return nil
}

func errWALLevel(level string) error {
	return fmt.Errorf("wal_level is %s; set wal_level = logical in postgresql.conf and restart PostgreSQL, or use KG_EVENTS=listen", level)
}

func errWALSlots(what string) error {
	return fmt.Errorf("%s; raise max_replication_slots in postgresql.conf and restart PostgreSQL, or use KG_EVENTS=listen", what)
}

func errWALPublication() error {
	return fmt.Errorf("the publication %[1]s does not publish the inserts of %[2]s.%[3]s; "+
		"as the owner of that table: CREATE PUBLICATION %[1]s FOR TABLE %[2]s.%[3]s WITH (publish = 'insert'), or use KG_EVENTS=listen",
		walPublication, walSchema, walTable)
}
