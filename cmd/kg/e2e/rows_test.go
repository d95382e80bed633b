package e2e

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// forRows are connections that wait for the next question, by their databases: to connect takes
// longer than what is asked. They end with their databases.
var forRows = struct {
	mu   sync.Mutex
	idle map[string][]*pgx.Conn
}{idle: map[string][]*pgx.Conn{}}

// rows runs a query that returns one number.
func rows(t *testing.T, dsn, sql string, args ...any) (n int) {
	t.Helper()
	conn := idleConnection(dsn)
	var err error
	if conn != nil {
		if err = conn.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil && conn.IsClosed() {
			conn = nil // it was cut while it waited
		}
	}
	if conn == nil {
		conn, err = pgx.Connect(t.Context(), dsn)
		check(t, err)
		err = conn.QueryRow(t.Context(), sql, args...).Scan(&n)
	}
	if !conn.IsClosed() {
		forRows.mu.Lock()
		forRows.idle[dsn] = append(forRows.idle[dsn], conn)
		forRows.mu.Unlock()
	}
	check(t, err)
	return n
}

// idleConnection takes a connection to a database; nil is none.
func idleConnection(dsn string) *pgx.Conn {
	forRows.mu.Lock()
	defer forRows.mu.Unlock()
	list := forRows.idle[dsn]
	if len(list) == 0 {
		return nil
	}
	forRows.idle[dsn] = list[:len(list)-1]
	return list[len(list)-1]
}
