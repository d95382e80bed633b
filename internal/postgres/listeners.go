package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ListenerStore watches those who wait for notifications.
type ListenerStore struct{ *base }

// Listeners returns the store that watches listeners.
func (d *DB) Listeners() ListenerStore { return ListenerStore{&d.base} }

// endStuckListeners is not in queries/, because sqlc does not know the views of
// the system. It sees connections of our own role in this database only. The
// last sign of life of a connection that reads the write-ahead log carries the
// time of its own clock; all others are on the database's.
const endStuckListeners = `
WITH stuck AS MATERIALIZED (
    SELECT a.pid
    FROM pg_stat_activity a LEFT JOIN pg_stat_replication r ON r.pid = a.pid
    WHERE a.application_name IN ('kg-listen', 'kg-wal') AND a.usename = current_user AND a.datname = current_database()
        AND (a.wait_event IN ('ClientWrite', 'WalSenderWriteData') OR a.backend_xmin IS NOT NULL)
        AND greatest(a.query_start, r.reply_time) < clock_timestamp() - $1::interval
)
SELECT s.pid FROM stuck s WHERE pg_terminate_backend(s.pid)`

// EndStuckListeners ends the connections that wait for notifications, or for the
// write-ahead log, and do not read: the database waits for them to take what it
// sends, or they hold a snapshot, and they have shown no sign of life for
// stuckFor. It returns their process ids. One that reads the write-ahead log may
// need a second call: at the first it tries to say goodbye.
//
// One of them is enough to keep vacuum from cleaning the whole database and the
// queue of notifications from shrinking, and once that is full every commit with
// a notification fails. A sign of life is a statement, or a reply of one that
// reads the write-ahead log; those that live send some every few seconds, so
// stuckFor must be longer than that, or busy ones are ended too.
func (s ListenerStore) EndStuckListeners(ctx context.Context, stuckFor time.Duration) ([]int32, error) {
	rows, err := s.jobs.Query(ctx, endStuckListeners, stuckFor)
	if err != nil {
		return nil, translate(err, "end stuck listeners")
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	return pids, translate(err, "end stuck listeners")
}

// NotificationQueueUsage returns how full the queue of notifications is, from 0
// to 1. It is one queue for all databases of the server. Above some hundredths a
// listener does not read.
func (s ListenerStore) NotificationQueueUsage(ctx context.Context) (float64, error) {
	var usage float64
	err := s.jobs.QueryRow(ctx, "SELECT pg_notification_queue_usage()").Scan(&usage)
	return usage, translate(err, "read how full the queue of notifications is")
}
