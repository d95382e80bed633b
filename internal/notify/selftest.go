package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// testDeadline is how long the notification of a self-test may take.
const testDeadline = 1500 * time.Millisecond

// errPooled says that statements of one connection reach several sessions.
var errPooled = errors.New("the database is behind a transaction pooler, which loses notifications: " +
	"use the address of PostgreSQL itself or a pooler in session mode")

// selfTest finds out whether notifications reach this connection, and returns
// how long one took. Someone between us and the server may hand each statement
// to another session, or drop what arrives while no statement runs.
func (l *Listener) selfTest(ctx context.Context, conn *pgx.Conn) (time.Duration, error) {
	var first, second uint32
	for _, pid := range []*uint32{&first, &second} {
		if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(pid); err != nil {
			return 0, fmt.Errorf("ask for the session: %w", err)
		}
	}
	if first != second {
		return 0, errPooled
	}
	if conn.PgConn().PID() == first { // nobody is between us
		return l.echo(ctx, conn, conn)
	}
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return 0, fmt.Errorf("connect for a test: %w", err)
	}
	defer closeConn(ctx, other)
	return l.echo(ctx, conn, other)
}

// echo sends a notification through from and waits until conn has it. What else
// arrives meanwhile is left out: a resync follows.
func (l *Listener) echo(ctx context.Context, conn, from *pgx.Conn) (time.Duration, error) {
	sent := time.Now()
	ctx, cancel := context.WithDeadline(ctx, sent.Add(testDeadline))
	defer cancel()
	if err := l.probe(ctx, from, sent.Add(testDeadline)); err != nil {
		return 0, err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil && ctx.Err() != nil {
			return 0, fmt.Errorf("a notification to itself did not arrive within %s; perhaps %w", testDeadline, errPooled)
		}
		if err != nil {
			return 0, fmt.Errorf("wait for a notification to itself: %w", err)
		}
		if n.Channel == l.probeChannel() {
			return time.Since(sent), nil
		}
	}
}
