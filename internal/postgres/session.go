package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// leaderLock is the key of the advisory lock that elects the leader.
const leaderLock = 100000001

// session is a connection outside the pools: what it holds ends with it, and
// busy pools cannot delay it.
type session struct {
	conn    *pgx.Conn
	primary *Primary
	hook    Hook // nil: nothing is traced
}

// dial opens a session whose statements give up after limit, and which the
// server ends when it hears nothing for idle; 0 is no such end.
func (d *DB) dial(ctx context.Context, name string, limit, idle time.Duration) (session, error) {
	cc, err := pgx.ParseConfig(d.dsn)
	if err != nil {
		return session{}, translate(err, "read the database address")
	}
	setLimits(cc, name)
	cc.ValidateConnect = d.primary.Validate
	cc.RuntimeParams["statement_timeout"] = milliseconds(limit)
	cc.RuntimeParams["idle_session_timeout"] = milliseconds(idle)
	cc.ConnectTimeout = limit
	conn, err := pgx.ConnectConfig(ctx, cc)
	return session{conn: conn, primary: d.primary, hook: d.hook}, translate(err, "connect "+name)
}

// milliseconds is a duration as PostgreSQL's settings take it.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// q returns the queries on the session's connection.
func (s session) q() *db.Queries { return db.New(trace(s.conn, s.hook)) }

// Close ends the connection.
func (s session) Close(ctx context.Context) error {
	return translate(s.conn.Close(ctx), "close a database session")
}

// HeartbeatSession renews a worker's lease on a connection of its own.
type HeartbeatSession struct{ session }

// DialHeartbeat opens a HeartbeatSession.
func (d *DB) DialHeartbeat(ctx context.Context, limit time.Duration) (*HeartbeatSession, error) {
	opened, err := d.dial(ctx, "kg-heartbeat", limit, 0)
	if err != nil {
		return nil, err
	}
	return &HeartbeatSession{opened}, nil
}

// Renew extends the lease of a live worker. It returns ErrLeaseLost when the
// lease has ended or was taken, and when a standby was promoted: a claim of the
// worker could be issued again, with the same token.
func (h *HeartbeatSession) Renew(ctx context.Context, workerID string, lease time.Duration) error {
	if h.primary.outlived(h.conn) {
		return translate(errOutlived, "renew the lease")
	}
	if h.primary.promoted() {
		return kappa.ErrLeaseLost
	}
	_, err := h.q().WorkerHeartbeat(ctx, lease, workerID)
	if isNoRows(err) {
		return kappa.ErrLeaseLost
	}
	return translate(err, "renew the lease")
}

// Held returns the claims that a worker holds, as the database sees it.
func (h *HeartbeatSession) Held(ctx context.Context, workerID string) ([]work.HeldClaim, error) {
	rows, err := h.q().WorkerClaims(ctx, workerID)
	if err != nil {
		return nil, translate(err, "read the worker's claims")
	}
	held := make([]work.HeldClaim, len(rows))
	for i, r := range rows {
		held[i] = work.HeldClaim{JobID: r.JobID, Token: r.ClaimToken, Age: r.Age, CancelRequested: r.CancelRequested}
	}
	return held, nil
}

// LeaderSession campaigns for leadership, and holds it, on a connection of its
// own: the advisory lock ends with the connection.
type LeaderSession struct {
	session
	led bool // it has the lock
}

// DialLeader opens a LeaderSession. A leader that is not heard of for twice the
// limit, because it hangs or its connection is half-open, loses the session and
// with it the lock; Check is to be called more often.
func (d *DB) DialLeader(ctx context.Context, limit time.Duration) (*LeaderSession, error) {
	opened, err := d.dial(ctx, "kg-leader", limit, 2*limit)
	if err != nil {
		return nil, err
	}
	return &LeaderSession{session: opened}, nil
}

// Campaign tries to become the leader. When it wins it takes the next term,
// which every leader's write names; otherwise won is false.
func (l *LeaderSession) Campaign(ctx context.Context, workerID string) (term int64, won bool, err error) {
	if l.primary.outlived(l.conn) {
		return 0, false, translate(errOutlived, "campaign for leadership")
	}
	if err = l.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", leaderLock).Scan(&won); err != nil || !won {
		return 0, false, translate(err, "campaign for leadership")
	}
	l.led = true
	term, err = l.q().LeaderTake(ctx, workerID)
	return term, err == nil, translate(err, "take the leader's term")
}

// Close ends the connection. A leader notifies those who stand by that the lock is free.
func (l *LeaderSession) Close(ctx context.Context) error {
	if l.led {
		// It may fail: the standbys try for the lock soon anyway.
		_, _ = l.conn.Exec(ctx, "SELECT pg_advisory_unlock($1), pg_notify('kg_leader', '')", leaderLock)
	}
	return l.session.Close(ctx)
}

// Rename stores the identity under which the leader of a term works now. It is
// false when the row is locked, so that it is to be tried again, or when the term
// is over.
func (l *LeaderSession) Rename(ctx context.Context, term int64, workerID string) (bool, error) {
	rows, err := l.q().LeaderRename(ctx, workerID, term)
	return rows == 1, translate(err, "store the leader's identity")
}

// Check reports whether the connection that holds the lock still works, and
// leads to the primary.
func (l *LeaderSession) Check(ctx context.Context) error {
	if l.primary.outlived(l.conn) {
		return translate(errOutlived, "check leadership")
	}
	return translate(answers(ctx, l.conn), "check leadership")
}

// answers returns an error unless the server answers on a connection. It begins no
// transaction, as an empty statement would.
func answers(ctx context.Context, conn *pgx.Conn) error {
	p := conn.PgConn().StartPipeline(ctx)
	return errors.Join(p.Sync(), p.Close())
}
