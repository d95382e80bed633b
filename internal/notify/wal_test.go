package notify

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// TestWALSource has the wal do what every source does.
func TestWALSource(t *testing.T) {
	t.Parallel()
	testSource(t, func(_ *testing.T, store *pgStore, hub *Hub) sourceFixture {
		return sourceFixture{
			source:      NewWAL(WALConfig{DSN: store.dsn, ID: "suite", Sink: hub, Log: quiet}),
			cut:         func(t *testing.T) { store.cut(t, walApplication) },
			connections: func(t *testing.T) int { return store.connections(t, walApplication) },
		}
	})
}

func TestWAL(t *testing.T) {
	t.Parallel()

	t.Run("hands over a transaction at once, as the table has it", func(t *testing.T) {
		t.Parallel()
		pool, sink, _, _ := startWAL(t)
		mustExec(t, pool, `WITH first AS (INSERT INTO kg_api.job_events (job_id, seq, kind, payload, at) VALUES
				('job_a', 1, 'status', '{"status": "approved", "previous": null, "retries": 2}', '2025-02-03 04:05:06.789123+05:30'))
			INSERT INTO kg_api.job_events (job_id, seq, kind, payload) VALUES
				('job_b', 1, 'progress', '{"b": "\u00bd \\ \"", "a": [1, null]}'), ('job_a', 2, 'completed', '{}')`)
		batches := sink.take(t, 3)
		if len(batches) != 1 {
			t.Fatalf("%d batches, want 1: %v", len(batches), batches)
		}
		rows, err := pool.Query(t.Context(), "SELECT job_id, seq, kind, payload, at FROM kg_api.job_events ORDER BY job_id, seq")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		want := map[string]string{}
		for rows.Next() {
			var e work.Event
			if err := rows.Scan(&e.JobID, &e.Seq, &e.Kind, &e.Payload, &e.At.Time); err != nil {
				t.Fatal(err)
			}
			want[fmt.Sprint(e.JobID, e.Seq)] = asTold(t, e)
		}
		for _, e := range batches[0] {
			text, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if key := fmt.Sprint(e.JobID, e.Seq); string(text) != want[key] {
				t.Errorf("event %s:\n got %s\nwant %s", key, text, want[key])
			}
		}
	})

	t.Run("leaves out what was not committed", func(t *testing.T) {
		t.Parallel()
		pool, sink, _, _ := startWAL(t)
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{
			"SAVEPOINT s", strings.NewReplacer("$1", "'job_a'", "$2", "1").Replace(addProgress), "ROLLBACK TO s",
			strings.NewReplacer("$1", "'job_a'", "$2", "2").Replace(addProgress),
		} {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustExec(t, pool, addProgress, "job_a", 3)
		if got := numbers(sink.take(t, 2)); got != "job_a 2, job_a 3" {
			t.Errorf("got %s", got)
		}
	})

	t.Run("finds the columns by name", func(t *testing.T) {
		t.Parallel()
		pool, sink, _, _ := startWAL(t)
		mustExec(t, pool, addProgress, "job_a", 1)
		mustExec(t, pool, "DROP VIEW kg_api.job_history; ALTER TABLE kg_api.job_events ADD COLUMN later text NOT NULL DEFAULT 'x', DROP COLUMN at")
		mustExec(t, pool, "ALTER TABLE kg_api.job_events ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp()")
		mustExec(t, pool, addProgress, "job_a", 2)
		if got := numbers(sink.take(t, 2)); got != "job_a 1, job_a 2" {
			t.Errorf("got %s", got)
		}
	})

	t.Run("hands over a huge transaction in parts", func(t *testing.T) {
		t.Parallel()
		pool, sink, _, _ := startWAL(t)
		mustExec(t, pool, `INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
			SELECT 'job_a', n, 'progress', '{}' FROM generate_series(1, $1::int) n`, 2*walBatchMost+1)
		var sizes []int
		seq := int64(0)
		for _, batch := range sink.take(t, 2*walBatchMost+1) {
			sizes = append(sizes, len(batch))
			for _, e := range batch {
				if seq++; e.Seq != seq {
					t.Fatalf("event %d after %d", e.Seq, seq-1)
				}
			}
		}
		if fmt.Sprint(sizes) != fmt.Sprint([]int{walBatchMost, walBatchMost, 1}) {
			t.Errorf("batches of %v", sizes)
		}
	})

	t.Run("goes on after its connection was ended, and has everything read", func(t *testing.T) {
		t.Parallel()
		pool, sink, w, _ := startWAL(t)
		mustExec(t, pool, killWAL)
		sink.awaitResync(t, 2)
		mustExec(t, pool, addProgress, "job_a", 1)
		sink.take(t, 1)
		if s := w.State(); s.Name != "wal" || !s.Active || !s.Connected || s.Reconnects != 1 || s.Error != "" {
			t.Errorf("state %+v", s)
		}
	})

	t.Run("leaves no slot behind", func(t *testing.T) {
		t.Parallel()
		pool, _, w, stop := startWAL(t)
		var slot string
		mustScan(t, pool, &slot, "SELECT slot_name FROM pg_replication_slots WHERE database = current_database() AND temporary")
		if !strings.HasPrefix(slot, "kg_01234567_89ab_cdef_") {
			t.Errorf("slot %s", slot)
		}
		stop()
		eventually(t, pool, 2*time.Second, noSlot)
		if s := w.State(); s.Connected || s.Reconnects != 0 {
			t.Errorf("state %+v", s)
		}
	})

	t.Run("servers of one name do not meet", func(t *testing.T) {
		t.Parallel()
		pool, sink, _, _ := startWAL(t)
		other := newWALSink()
		runWAL(t, pool.Config().ConnString(), other)
		other.awaitResync(t, 1)
		mustExec(t, pool, addProgress, "job_a", 1)
		for _, s := range []*walSink{sink, other} {
			if got := numbers(s.take(t, 1)); got != "job_a 1" {
				t.Errorf("got %s", got)
			}
		}
	})

	t.Run("says what to do when the publication is gone, and goes on when it is back", func(t *testing.T) {
		t.Parallel()
		pool, sink, w, _ := startWAL(t)
		mustExec(t, pool, "DROP PUBLICATION kg_events")
		mustExec(t, pool, addProgress, "job_a", 1) // the server notices when it has to decode
		until(t, 5*time.Second, func() bool {
			return strings.Contains(w.State().Error, "CREATE PUBLICATION kg_events FOR TABLE kg_api.job_events")
		})
		mustExec(t, pool, "CREATE PUBLICATION kg_events FOR ALL TABLES")
		sink.awaitResync(t, 2)
		mustExec(t, pool, "CREATE TABLE other (n int)")
		mustExec(t, pool, "INSERT INTO other VALUES (1)")
		mustExec(t, pool, "UPDATE kg_api.job_events SET seq = 9")
		mustExec(t, pool, "TRUNCATE other")
		mustExec(t, pool, addProgress, "job_a", 2)
		if got := numbers(sink.take(t, 1)); got != "job_a 2" {
			t.Errorf("got %s", got)
		}
		if s := w.State(); s.Reconnects != 1 || !s.Connected {
			t.Errorf("state %+v", s)
		}
	})

	t.Run("sees that the table was taken out of the publication, of which the server says nothing", func(t *testing.T) {
		t.Parallel()
		pool, sink := pgtest.NewPool(t), newWALSink()
		w := NewWAL(WALConfig{DSN: pool.Config().ConnString(), ID: "look", Sink: sink, Log: quiet})
		w.timing.look = 50 * time.Millisecond
		startSource(t, w)
		sink.awaitResync(t, 1)
		mustExec(t, pool, "ALTER PUBLICATION kg_events DROP TABLE kg_api.job_events")
		until(t, 5*time.Second, func() bool {
			return strings.Contains(w.State().Error, "does not publish the inserts of kg_api.job_events")
		})
		mustExec(t, pool, "ALTER PUBLICATION kg_events ADD TABLE kg_api.job_events")
		sink.awaitResync(t, 2)
	})

	t.Run("waits for open transactions, and misses none of them", func(t *testing.T) {
		t.Parallel()
		pool, sink := pgtest.NewPool(t), newWALSink()
		var seen int
		sink.onResync = func() { mustScan(t, pool, &seen, "SELECT count(*) FROM kg_api.job_events") }
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), addProgress, "job_a", 1); err != nil {
			t.Fatal(err)
		}
		mustExec(t, pool, "ALTER ROLE kappa IN DATABASE "+pool.Config().ConnConfig.Database+" SET lock_timeout = '10ms'")
		runWAL(t, pool.Config().ConnString(), sink)
		eventually(t, pool, 10*time.Second, `SELECT count(*) = 1 FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'kg-wal' AND wait_event_type = 'Lock' AND state_change < clock_timestamp() - interval '100 ms'`)
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		sink.awaitResync(t, 1)
		if seen != 1 {
			t.Errorf("the resync found %d events, want 1", seen)
		}
	})
}
