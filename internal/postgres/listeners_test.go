package postgres_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/postgres"
)

// connectAs opens a connection under an application's name.
func connectAs(t *testing.T, dsn, application string) *pgx.Conn {
	t.Helper()
	cc, err := pgx.ParseConfig(dsn)
	must(t, err)
	cc.RuntimeParams["application_name"] = application
	conn, err := pgx.ConnectConfig(t.Context(), cc)
	must(t, err)
	// Nobody reads what the database still sends, so it is not asked to end.
	t.Cleanup(func() { _ = conn.PgConn().Conn().Close() })
	return conn
}

// blocks reports whether the database waits for a connection to take what it
// sends.
func blocks(t *testing.T, dsn string, pid uint32) bool {
	return number(t, dsn, `SELECT count(*) FROM pg_stat_activity
		WHERE pid = $1 AND wait_event IN ('ClientWrite', 'WalSenderWriteData')`, pid) == 1
}

func usage(t *testing.T, s *postgres.DB) float64 {
	t.Helper()
	u, err := s.Listeners().NotificationQueueUsage(t.Context())
	must(t, err)
	return u
}

// TestQ23_EndStuckListeners lets listeners stop reading under a flood. It is not
// parallel: all databases of the cluster share the queue of notifications.
func TestQ23_EndStuckListeners(t *testing.T) {
	s, dsn := newStore(t)
	listen := func(application string) *pgx.Conn {
		conn := connectAs(t, dsn, application)
		_, err := conn.Exec(t.Context(), "LISTEN flood")
		must(t, err)
		return conn
	}
	other, stuck, live := listen("psql"), listen("kg-listen"), listen("kg-listen")
	ctx, stop := context.WithCancel(t.Context())
	read := make(chan int)
	go func() { read <- readAndProbe(ctx, live) }()

	flooded := 0
	await.That(t, "the listeners that do not read block", func() bool {
		execSQL(t, dsn, "SELECT pg_notify('flood', repeat('x', 7000) || n) FROM generate_series($1::int, $1 + 49) n", flooded)
		flooded += 50
		return blocks(t, dsn, stuck.PgConn().PID()) && blocks(t, dsn, other.PgConn().PID())
	})
	held := number(t, dsn, "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND backend_xmin IS NOT NULL", stuck.PgConn().PID())
	t.Logf("blocked after %d notifications; snapshots held: %d; usage of the queue: %g", flooded, held, usage(t, s))
	if usage(t, s) == 0 {
		t.Error("the queue is empty")
	}
	if pids, err := s.Listeners().EndStuckListeners(t.Context(), time.Hour); err != nil || len(pids) != 0 {
		t.Errorf("ended %v before their time, err %v", pids, err)
	}
	var ended []int32
	await.That(t, "the stuck listener is ended", func() bool {
		pids, err := s.Listeners().EndStuckListeners(t.Context(), 500*time.Millisecond)
		must(t, err)
		ended = append(ended, pids...)
		return len(ended) > 0
	})
	if !slices.Equal(ended, []int32{int32(stuck.PgConn().PID())}) {
		t.Errorf("ended %v, want %d alone", ended, stuck.PgConn().PID())
	}
	if !blocks(t, dsn, other.PgConn().PID()) {
		t.Error("the listener of somebody else is gone")
	}
	must(t, other.PgConn().Conn().Close())
	await.That(t, "the queue is empty again", func() bool { return usage(t, s) == 0 })
	stop()
	if n := <-read; n < flooded {
		t.Errorf("the listener that reads got %d of %d notifications", n, flooded)
	}
}

// readAndProbe reads notifications until ctx ends, sending a statement every
// 100 ms as a sign of life, and returns how many there were.
func readAndProbe(ctx context.Context, conn *pgx.Conn) (notifications int) {
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		for {
			if _, err := conn.WaitForNotification(wait); err != nil {
				break
			}
			notifications++
		}
		cancel()
		if _, err := conn.Exec(context.WithoutCancel(ctx), "SELECT 1"); err != nil {
			return -1
		}
	}
	return notifications
}

// TestQ23_EndStuckWalReader lets a reader of the write-ahead log stop reading. It
// is not parallel: no database can be dropped while it is being ended.
func TestQ23_EndStuckWalReader(t *testing.T) {
	s, dsn := newStore(t)
	cc, err := pgconn.ParseConfig(dsn)
	must(t, err)
	cc.RuntimeParams["application_name"], cc.RuntimeParams["replication"] = "kg-wal", "database"
	conn, err := pgconn.ConnectConfig(t.Context(), cc)
	must(t, err)
	defer conn.Conn().Close()
	slot := strings.ToLower(t.Name())
	_, err = conn.Exec(t.Context(), "CREATE_REPLICATION_SLOT "+slot+" TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT").ReadAll()
	must(t, err)
	conn.Frontend().SendQuery(&pgproto3.Query{
		String: "START_REPLICATION SLOT " + slot + " LOGICAL 0/0 (proto_version '1', publication_names 'kg_events')",
	})
	must(t, conn.Frontend().Flush())

	seq := 0
	await.That(t, "the database waits for the reader", func() bool {
		seq++
		execSQL(t, dsn, `INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
			SELECT 'job_0123456789ab', $1::int * 100 + n, 'progress', to_jsonb(repeat('x', 10000)) FROM generate_series(1, 100) n`, seq)
		return blocks(t, dsn, conn.PID())
	})
	if pids, err := s.Listeners().EndStuckListeners(t.Context(), time.Hour); err != nil || len(pids) != 0 {
		t.Errorf("ended %v before their time, err %v", pids, err)
	}
	checks := 0
	await.That(t, "the stuck reader and its slot are gone", func() bool {
		pids, err := s.Listeners().EndStuckListeners(t.Context(), 100*time.Millisecond)
		must(t, err)
		if len(pids) > 0 {
			checks++
		}
		for _, pid := range pids {
			if pid != int32(conn.PID()) {
				t.Errorf("ended %d, want %d alone", pid, conn.PID())
			}
		}
		return number(t, dsn, "SELECT count(*) FROM pg_replication_slots WHERE slot_name = $1", slot) == 0
	})
	t.Logf("ended by %d checks", checks)
}
