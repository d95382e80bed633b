package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// serverIdentity asks a server what it is. PostgreSQL starts a new timeline at
// each promotion of a standby; the name of a WAL file begins with it.
const serverIdentity = `SELECT current_setting('transaction_read_only'), (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c),
	CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int END`

// timelineKey is where a connection keeps the timeline of its server.
const timelineKey = "kappa.timeline"

// Primary knows which server of a PostgreSQL cluster is the primary, as far as
// the connections of one process have seen it. It refuses standbys; a server of
// another cluster; and, after a failover, the old primary, whose timeline is
// below the highest that was seen: what is written there is lost. It cannot know
// of a promotion that none of its connections has seen.
type Primary struct {
	mu         sync.Mutex // guards what follows
	system     string     // identifier of the cluster; empty: not known yet
	timeline   int        // the highest seen; 0: none
	registered int        // the highest seen when a worker was registered last; 0: none was
}

// NotPrimaryError is why a server is refused.
type NotPrimaryError struct{ reason string }

// Error says what the server is.
func (e *NotPrimaryError) Error() string { return e.reason }

func notPrimary(format string, args ...any) error {
	return &NotPrimaryError{fmt.Sprintf(format, args...)}
}

// Validate accepts the primary only. It is a pgconn.ValidateConnectFunc: where
// an address names several servers, the next one is tried.
func (p *Primary) Validate(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, serverIdentity).ReadAll()
	if pgErr := (*pgconn.PgError)(nil); errors.As(err, &pgErr) {
		// A service that hides these facts has its own way to fence.
		return pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, conn)
	}
	if err != nil {
		return err
	}
	row := results[0].Rows[0]
	if string(row[0]) == "on" || row[2] == nil {
		return notPrimary("the server is a standby, or takes no writes; the primary is needed")
	}
	timeline, err := strconv.Atoi(string(row[2]))
	if err != nil {
		return fmt.Errorf("read the server's timeline: %w", err)
	}
	conn.CustomData()[timelineKey] = timeline
	return p.see(string(row[1]), timeline)
}

// see records what a server says of itself, and returns why it is not the primary.
func (p *Primary) see(system string, timeline int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.system != "" && p.system != system:
		return notPrimary("the server belongs to another PostgreSQL cluster (system identifier %s) than this process has worked with (%s); restart the process if the database was moved on purpose", system, p.system)
	case timeline < p.timeline:
		return notPrimary("the server is on timeline %d, and timeline %d has been seen: it is an old primary, whose writes are lost; shut it down", timeline, p.timeline)
	}
	p.system, p.timeline = system, timeline
	return nil
}

// known returns the identifier of the cluster; "" when it hides that.
func (p *Primary) known() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.system
}

// register records that a worker is about to be registered.
func (p *Primary) register() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.registered = p.timeline
}

// promoted reports that a standby was promoted since a worker was registered. What
// it had not received is gone: claims may be, and their tokens be issued again to
// the same worker.
func (p *Primary) promoted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered != 0 && p.timeline > p.registered
}

// outlived reports that a connection leads to a server that is the primary no
// longer: there was a promotion after it was made.
func (p *Primary) outlived(conn *pgx.Conn) bool {
	timeline, known := conn.PgConn().CustomData()[timelineKey].(int)
	p.mu.Lock()
	defer p.mu.Unlock()
	return known && timeline < p.timeline
}

// errOutlived is the error of a call on a connection that was outlived.
var errOutlived = notPrimary("the connection leads to an old primary: another server has been promoted")
