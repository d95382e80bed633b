package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// walSink keeps what it is notified of. onResync, when set, is called with each Resync.
type walSink struct {
	onResync func()
	changed  chan struct{}

	mu      sync.Mutex // guards what follows
	batches [][]work.Event
	resyncs int
}

func newWALSink() *walSink { return &walSink{changed: make(chan struct{}, 1)} }

func (s *walSink) Publish(events []work.Event) {
	s.mu.Lock()
	s.batches = append(s.batches, events)
	s.mu.Unlock()
	s.notify()
}

func (s *walSink) Hint(...string) {}

func (s *walSink) HintSeqs(map[string]int64) {}

func (s *walSink) Resync() {
	if s.onResync != nil {
		s.onResync()
	}
	s.mu.Lock()
	s.resyncs++
	s.mu.Unlock()
	s.notify()
}

func (s *walSink) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// await waits until the sink has got what is wanted.
func (s *walSink) await(t testing.TB, what string, wanted func(batches [][]work.Event, resyncs int) bool) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		s.mu.Lock()
		done := wanted(s.batches, s.resyncs)
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-s.changed:
		case <-limit:
			t.Fatalf("%s did not come", what)
		}
	}
}

func (s *walSink) awaitResync(t testing.TB, n int) {
	t.Helper()
	s.await(t, fmt.Sprintf("resync %d", n), func(_ [][]work.Event, resyncs int) bool { return resyncs >= n })
}

// take returns the batches up to now, once there are n events in them.
func (s *walSink) take(t testing.TB, n int) [][]work.Event {
	t.Helper()
	s.await(t, fmt.Sprintf("%d events", n), func(batches [][]work.Event, _ int) bool {
		count := 0
		for _, b := range batches {
			count += len(b)
		}
		return count >= n
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	batches := s.batches
	s.batches = nil
	return batches
}

// runWAL starts a source; stop ends it, and so does the end of the test.
func runWAL(t testing.TB, dsn string, sink WALSink) (w *WAL, stop func()) {
	t.Helper()
	w = NewWAL(WALConfig{DSN: dsn, ID: "01234567-89AB-cdef", Sink: sink, Log: quiet})
	return w, startSource(t, w)
}

// startSource runs a source until stop is called or the test ends.
func startSource(t testing.TB, source Source) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if err := source.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		group.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// startWAL is runWAL on a database of its own, when the stream has begun.
func startWAL(t testing.TB) (pool *pgxpool.Pool, sink *walSink, w *WAL, stop func()) {
	t.Helper()
	pool, sink = pgtest.NewPool(t), newWALSink()
	w, stop = runWAL(t, pool.Config().ConnString(), sink)
	sink.awaitResync(t, 1)
	return pool, sink, w, stop
}

func mustExec(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func mustScan(t testing.TB, pool *pgxpool.Pool, to any, sql string, args ...any) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), sql, args...).Scan(to); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a statement returns true.
func eventually(t testing.TB, pool *pgxpool.Pool, within time.Duration, sql string, args ...any) {
	t.Helper()
	until(t, within, func() (yes bool) {
		mustScan(t, pool, &yes, sql, args...)
		return yes
	})
}

const (
	addProgress = `INSERT INTO kg_api.job_events (job_id, seq, kind, payload) VALUES ($1, $2, 'progress', '{"percent": 7, "größe": "½"}')`
	killWAL     = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE application_name = 'kg-wal' AND datname = current_database()`
	noSlot = `SELECT count(*) = 0 FROM pg_replication_slots WHERE database = current_database()`
)

// asTold is the JSON of an event that was read from its row.
func asTold(t *testing.T, row work.Event) string {
	t.Helper()
	notified, err := work.StoredEvent(row)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(notified)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// numbers lists jobs and numbers of events.
func numbers(batches [][]work.Event) string {
	var list []string
	for _, batch := range batches {
		for _, e := range batch {
			list = append(list, fmt.Sprint(e.JobID, " ", e.Seq))
		}
	}
	return strings.Join(list, ", ")
}
