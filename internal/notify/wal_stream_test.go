package notify

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pglogrepl"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestWALPosition is Q54 and Q55: what is reported as done.
func TestWALPosition(t *testing.T) {
	const end = 0x24EC450 // of walCommit
	sink := newWALSink()
	s := &walStream{sink: sink, state: newState("wal"), done: 100, reported: end} // nothing calls for a report
	step := func(want pglogrepl.LSN, lag int64, keepalive pglogrepl.LSN, message string) {
		t.Helper()
		if message != "" {
			batch, err := s.decoder.decode([]byte(message))
			if err != nil {
				t.Fatal(err)
			}
			s.handOver(batch, time.Now())
		} else if err := s.keepalive(t.Context(), pglogrepl.PrimaryKeepaliveMessage{ServerWALEnd: keepalive}); err != nil {
			t.Fatal(err)
		}
		if s.done != want {
			t.Errorf("done up to %d, want %d", s.done, want)
		}
		if now := s.state.snapshot().LagBytes; message == "" && *now != lag {
			t.Errorf("%d bytes behind, want %d", *now, lag)
		}
	}
	step(1000, 0, 1000, "")
	step(1000, 0, 900, "") // never back
	step(1000, 0, 0, walBegin)
	step(1000, 0, 0, walRelation)
	step(1000, 0, 0, walProgress)
	step(1000, end+1000, end+2000, "") // read by the server, not handed over by us
	if len(sink.batches) != 0 {
		t.Errorf("handed over before the commit: %v", sink.batches)
	}
	step(end, 0, 0, walCommit)
	if len(sink.batches) != 1 {
		t.Errorf("handed over with the commit: %v", sink.batches)
	}
	step(end+2000, 0, end+2000, "")
}

// TestWALAsksMidMessage has the source interrupt nearly every message while
// it is only partly there.
func TestWALAsksMidMessage(t *testing.T) {
	t.Parallel()
	pool, sink := pgtest.NewPool(t), newWALSink()
	w := NewWAL(WALConfig{
		DSN: newProxy(t, pool.Config().ConnString(), nil).DSN, // which passes at most 8 kB at once
		ID:  "mid", Sink: sink, Log: quiet,
	})
	w.timing = walTiming{ask: 200 * time.Microsecond, answer: time.Minute, look: time.Minute}
	startSource(t, w)
	sink.awaitResync(t, 1)
	const events = 60
	for seq := range events {
		mustExec(t, pool, `INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
			VALUES ('job_a', $1, 'progress', to_jsonb(repeat($1::bigint::text, 100000)))`, seq)
	}
	seq := int64(0)
	for _, batch := range sink.take(t, events) {
		for _, e := range batch {
			if want := `"` + strings.Repeat(strconv.FormatInt(seq, 10), 100000) + `"`; e.Seq != seq || string(e.Payload) != want {
				t.Fatalf("event %d, want %d; payload of %d bytes, want %d", e.Seq, seq, len(e.Payload), len(want))
			}
			seq++
		}
	}
	if s := w.State(); s.Reconnects != 0 || s.LagMS == nil {
		t.Errorf("state %+v", s)
	}
}

// TestWALBlackhole is the wal's part of Q22: a connection that is dead without
// anybody having said so.
func TestWALBlackhole(t *testing.T) {
	t.Parallel()
	pool, sink := pgtest.NewPool(t), newWALSink()
	proxy := newProxy(t, pool.Config().ConnString(), nil)
	w, _ := runWAL(t, proxy.DSN, sink)
	sink.awaitResync(t, 1)
	proxy.set(proxyBlackholes)
	dark := time.Now()
	until(t, 10*time.Second, func() bool { return !w.State().Connected })
	t.Logf("noticed after %s: %s", time.Since(dark).Round(10*time.Millisecond), w.State().Error)
	// The server may not have noticed yet; its slot is no hindrance.
	proxy.set(proxyPasses)
	mustExec(t, pool, addProgress, "job_a", 1)
	sink.awaitResync(t, 2)
	mustExec(t, pool, addProgress, "job_a", 2)
	got := numbers(sink.take(t, 1))
	if got == "job_a 1" { // it was connected again before that
		got = numbers(sink.take(t, 1))
	}
	if !strings.HasSuffix(got, "job_a 2") {
		t.Errorf("got %s", got)
	}
}

// TestWALMovesOn is Q54: the slot must not keep the log of what others write.
func TestWALMovesOn(t *testing.T) {
	t.Parallel()
	pool, _, w, _ := startWAL(t)
	mustExec(t, pool, "CREATE TABLE other (n int, filler text)")
	for range 4 {
		mustExec(t, pool, "INSERT INTO other SELECT n, repeat('x', 200) FROM generate_series(1, 60000) n")
	}
	var written int64
	mustScan(t, pool, &written, "SELECT pg_relation_size('other')")
	if written < 32<<20 {
		t.Fatalf("only %d bytes written", written)
	}
	var target string
	mustScan(t, pool, &target, "SELECT pg_current_wal_lsn()::text")
	started := time.Now()
	eventually(t, pool, 15*time.Second,
		`SELECT confirmed_flush_lsn >= $1::text::pg_lsn FROM pg_replication_slots WHERE database = current_database()`, target)
	t.Logf("after %d MB the slot moved on within %s", written>>20, time.Since(started).Round(time.Millisecond))
	if s := w.State(); s.Reconnects != 0 || s.LagMS == nil || s.LagBytes == nil || *s.LagBytes != 0 {
		t.Errorf("state %+v", s)
	}
}
