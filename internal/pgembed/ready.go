package pgembed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// startTimeout bounds the wait for the first connection. It is long,
	// because after a crash PostgreSQL first replays its log.
	startTimeout   = 5 * time.Minute
	connectTimeout = 5 * time.Second
	// cannotConnectNow is the SQLSTATE of a server that starts up or shuts down.
	cannotConnectNow = "57P03"
)

// awaitReady waits until postgres accepts connections, and creates the
// database when it is missing.
func (c *Cluster) awaitReady(ctx context.Context) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	defer conn.Close(closeCtx)
	return createDatabase(ctx, conn)
}

// connect tries to connect until it works, or cannot work any more.
func (c *Cluster) connect(ctx context.Context) (*pgx.Conn, error) {
	var conn *pgx.Conn
	var last error
	err := poll(ctx, startTimeout, func() (bool, error) {
		select {
		case <-c.done:
			return false, fmt.Errorf("postgres ended while it started: %w", c.err)
		default:
		}
		conn, last = c.connectOnce(ctx)
		refusal, answered := errors.AsType[*pgconn.PgError](last)
		if answered && refusal.Code != cannotConnectNow {
			return false, last
		}
		return last == nil, nil
	})
	if errors.Is(err, errPollTimeout) {
		err = fmt.Errorf("postgres accepts no connections after %s: %w; its last lines:\n%s", startTimeout, last, c.log.tail())
	}
	if err != nil {
		return nil, fmt.Errorf("start the private postgres cluster in %s: %w", c.cfg.Dir, err)
	}
	return conn, nil
}

// connectOnce tries to connect once, for a bounded time.
func (c *Cluster) connectOnce(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return pgx.Connect(ctx, c.DSN("postgres"))
}

// createDatabase creates the database. An earlier start may have done so, or
// may have been interrupted before.
func createDatabase(ctx context.Context, conn *pgx.Conn) error {
	var exists bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", Database).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{Database}.Sanitize())
	}
	if err != nil {
		return fmt.Errorf("create the database %s: %w", Database, err)
	}
	return nil
}
