package notify

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// writeEvents has writers add events to 20 jobs, each in a transaction that
// stays open for up to delay, while more says so. It returns how many there are.
// As everywhere, the number of an event is taken under the lock of the job's row.
func writeEvents(t *testing.T, pool *pgxpool.Pool, writers int, delay time.Duration, more func(written int) bool) (total int) {
	t.Helper()
	const jobs = 20
	mustExec(t, pool, "CREATE TABLE last (job_id text PRIMARY KEY, seq bigint NOT NULL DEFAULT 0)")
	mustExec(t, pool, "INSERT INTO last (job_id) SELECT 'job_' || n FROM generate_series(1, $1::int) n", jobs)
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for n := 0; more(n); n++ {
				if err := writeEvent(t, pool, fmt.Sprint("job_", 1+rand.N(jobs)), rand.N(delay)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	mustScan(t, pool, &total, "SELECT sum(seq) FROM last")
	return total
}

func writeEvent(t *testing.T, pool *pgxpool.Pool, job string, open time.Duration) error {
	tx, err := pool.Begin(t.Context())
	if err != nil {
		return err
	}
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), `WITH numbered AS (UPDATE last SET seq = seq + 1 WHERE job_id = $1 RETURNING job_id, seq)
		INSERT INTO kg_api.job_events (job_id, seq, kind, payload) SELECT job_id, seq, 'progress', '{}' FROM numbered`, job)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(t.Context(), "SELECT pg_sleep($1)", open.Seconds()); err != nil {
		return err
	}
	return tx.Commit(t.Context())
}

// widePool is a pool on a database of its own with a connection for each writer.
func widePool(t *testing.T, connections int32) *pgxpool.Pool {
	t.Helper()
	cc, err := pgxpool.ParseConfig(pgtest.NewDSN(t))
	if err != nil {
		t.Fatal(err)
	}
	cc.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(t.Context(), cc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// TestWALOrder is Q58: what commits out of the order in which it began.
func TestWALOrder(t *testing.T) {
	t.Parallel()
	const writers, each = 64, 60
	pool, sink := widePool(t, writers+1), newWALSink()
	runWAL(t, pool.Config().ConnString(), sink)
	sink.awaitResync(t, 1)
	total := writeEvents(t, pool, writers, 10*time.Millisecond, func(written int) bool { return written < each })
	last := map[string]int64{}
	for _, batch := range sink.take(t, total) {
		for _, e := range batch {
			if e.Seq != last[e.JobID]+1 {
				t.Fatalf("event %d of %s after %d", e.Seq, e.JobID, last[e.JobID])
			}
			last[e.JobID] = e.Seq
		}
	}
	if n := count(last); n != writers*each {
		t.Errorf("%d events, want %d", n, writers*each)
	}
}

func count(last map[string]int64) (n int) {
	for _, seq := range last {
		n += int(seq)
	}
	return n
}

// TestWALLosesNothing is Q55 and R11: the connection is cut again and again, at
// any moment, and what was received but not handed over is lost with it. What the
// stream reads after each resync, together with what the table has at that
// moment, is everything.
func TestWALLosesNothing(t *testing.T) {
	t.Parallel()
	const writers, cuts = 16, 6
	pool, sink := widePool(t, writers+3), newWALSink()
	seen := map[string]int64{} // the highest number up to which nothing is missing; used by the source's goroutine only
	sink.onResync = func() {
		var events []work.Event
		rows, err := pool.Query(t.Context(), "SELECT job_id, max(seq) FROM kg_api.job_events GROUP BY job_id")
		if err != nil {
			t.Error(err)
			return
		}
		for rows.Next() {
			var e work.Event
			if err := rows.Scan(&e.JobID, &e.Seq); err != nil {
				t.Error(err)
			}
			events = append(events, e)
		}
		if rows.Err() != nil {
			t.Error(rows.Err())
		}
		for _, e := range events {
			seen[e.JobID] = max(seen[e.JobID], e.Seq)
		}
	}
	collect := &walCollector{walSink: sink, seen: seen}
	proxy := newProxy(t, pool.Config().ConnString(), nil)
	w, stop := runWAL(t, proxy.DSN, collect)
	sink.awaitResync(t, 1)

	cut, total := make(chan struct{}), 0
	var group sync.WaitGroup
	group.Go(func() {
		total = writeEvents(t, pool, writers, 20*time.Millisecond, func(int) bool {
			select {
			case <-cut:
				return false
			default:
				return true
			}
		})
	})
	for n := range cuts {
		select {
		case <-t.Context().Done():
		case <-time.After(rand.N(50 * time.Millisecond)): // at any moment
		}
		if n%2 == 0 {
			proxy.cut()
		} else {
			mustExec(t, pool, killWAL)
		}
		sink.awaitResync(t, n+2)
	}
	close(cut)
	group.Wait()
	mustExec(t, pool, addProgress, "job_last", 1)
	sink.await(t, "the last event", func([][]work.Event, int) bool { return collect.last })
	stop()
	if len(collect.holes) > 0 {
		t.Errorf("holes: %v", collect.holes)
	}
	delete(seen, "job_last")
	if n := count(seen); n != total {
		t.Errorf("%d events, want %d", n, total)
	}
	t.Logf("%d events, %d cuts", total, cuts)
	if n := w.State().Reconnects; n < cuts {
		t.Errorf("%d reconnects after %d cuts", n, cuts)
	}
}

// walCollector follows the events as the Hub does, but reads the table at a
// resync only.
type walCollector struct {
	*walSink
	seen  map[string]int64
	holes []string
	last  bool // guarded by walSink.mu
}

func (c *walCollector) Publish(events []work.Event) {
	for _, e := range events {
		if e.Seq > c.seen[e.JobID]+1 {
			c.holes = append(c.holes, fmt.Sprintf("%s: %d after %d", e.JobID, e.Seq, c.seen[e.JobID]))
		}
		c.seen[e.JobID] = max(c.seen[e.JobID], e.Seq)
		if e.JobID == "job_last" {
			c.mu.Lock()
			c.last = true
			c.mu.Unlock()
		}
	}
	c.notify()
}

// TestEventNumbersFollowCommits forces what the Hub waits for not to happen: the transaction
// that takes the next number of a job waits for the one that has taken the one before, so
// that whoever sees an event sees all before it.
func TestEventNumbersFollowCommits(t *testing.T) {
	t.Parallel()
	store := newPGStore(t)
	job := store.addJobs(t, 1)[0]
	first, err := store.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Rollback(t.Context())
	if _, err := first.Exec(t.Context(), `WITH job AS (UPDATE kg_api.jobs SET event_seq = event_seq + 1 WHERE job_id = $1 RETURNING job_id, event_seq)
		INSERT INTO kg_api.job_events (job_id, seq, kind, payload) SELECT job_id, event_seq, 'progress', '{}' FROM job`, job); err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	go func() {
		_, err := store.commit(t.Context(), job, work.EventProgress)
		second <- err
	}()
	eventually(t, store.pool, 10*time.Second, "SELECT EXISTS (SELECT FROM pg_locks l WHERE NOT l.granted AND l.locktype = 'transactionid')")
	if events, err := store.EventsOf(t.Context(), map[string]int64{job: 0}, 10); err != nil || len(events) != 0 {
		t.Errorf("a reader between sees %v, %v, want nothing", events, err)
	}
	if err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	events, err := store.EventsOf(t.Context(), map[string]int64{job: 0}, 10)
	if err != nil || len(events) != 2 || events[0].Seq != 1 || events[1].Seq != 2 {
		t.Errorf("got %v, %v", events, err)
	}
}
