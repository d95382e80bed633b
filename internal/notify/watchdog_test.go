package notify

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// EndStuckListeners implements stuckListeners. A source sends a statement every
// few seconds, so that its session's last change of state is recent.
func (s *pgStore) EndStuckListeners(ctx context.Context, stuckFor time.Duration) ([]int32, error) {
	rows, err := s.pool.Query(ctx, `SELECT pid FROM (
			SELECT a.pid, pg_terminate_backend(a.pid) AS ended FROM pg_stat_activity a
			WHERE a.datname = current_database() AND a.usename = current_user AND a.application_name IN ('kg-listen', 'kg-wal')
				AND a.backend_type = 'client backend' AND a.state_change < clock_timestamp() - $1 * interval '1 second'
				AND (a.wait_event = 'ClientWrite' OR a.xact_start < clock_timestamp() - $1 * interval '1 second')) stuck
		WHERE ended`, stuckFor.Seconds())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int32])
}

// TestQ23Watchdog has a listener that does not read, and one that does.
func TestQ23Watchdog(t *testing.T) {
	t.Parallel()
	store := newPGStore(t)
	cc, err := pgx.ParseConfig(store.dsn)
	if err != nil {
		t.Fatal(err)
	}
	cc.RuntimeParams["application_name"] = "kg-listen"
	stuck, err := pgx.ConnectConfig(t.Context(), cc)
	if err != nil {
		t.Fatal(err)
	}
	defer closeConn(t.Context(), stuck)
	if _, err := stuck.Exec(t.Context(), "LISTEN "+ChannelEvents); err != nil {
		t.Fatal(err)
	}
	healthy, _ := startListener(t, store.dsn, map[string]func(string){ChannelEvents: func(string) {}})
	until(t, 10*time.Second, healthy.Connected)

	began := time.Now()
	usage := func() (share float64) {
		if err := store.pool.QueryRow(t.Context(), "SELECT pg_notification_queue_usage()").Scan(&share); err != nil {
			t.Fatal(err)
		}
		return share
	}
	flood := func(round int) {
		_, err := store.pool.Exec(t.Context(), "SELECT pg_notify($1, $2 || i || repeat('x', 7000)) FROM generate_series(1, 100) i",
			ChannelEvents, strconv.Itoa(round)+"-")
		if err != nil {
			t.Fatalf("a notification fails: %v", err)
		}
	}
	blocked := func() (yes bool) {
		err := store.pool.QueryRow(t.Context(), "SELECT coalesce(wait_event = 'ClientWrite', false) AND backend_xmin IS NOT NULL FROM pg_stat_activity WHERE pid = $1",
			stuck.PgConn().PID()).Scan(&yes)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	for round := 0; !blocked() && round < 100; round++ {
		flood(round)
	}
	flood(-1)
	if !blocked() || usage() == 0 {
		t.Fatalf("the listener is blocked: %v, share of the queue in use: %v", blocked(), usage())
	}

	var log lines
	dog := NewWatchdog(WatchdogConfig{
		Store: store, Every: 3 * time.Second, stuckFor: 2 * time.Second, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	start(t, dog.Run)
	until(t, 10*time.Second, func() bool { return strings.Contains(log.String(), "ended a listener") })
	until(t, 10*time.Second, func() bool { return usage() == 0 })
	t.Logf("ended and cleaned up %s after the first notification", time.Since(began))
	want := "backend_pid=" + strconv.Itoa(int(stuck.PgConn().PID()))
	if text := log.String(); strings.Count(text, "backend_pid") != 1 || !strings.Contains(text, want) {
		t.Errorf("log %q, want only %s", text, want)
	}
	if s := healthy.State(); !s.Connected || s.Reconnects != 0 {
		t.Errorf("the healthy listener: %+v", s)
	}
}
