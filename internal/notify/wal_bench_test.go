package notify

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// BenchmarkEventLatency measures from the moment before a commit is sent until
// it is heard of: by the wal the event itself, by listen a notification that was
// sent within the transaction, which is the least that it takes.
func BenchmarkEventLatency(b *testing.B) {
	b.Run("wal", func(b *testing.B) {
		dsn, sink := pgtest.NewDSN(b), newWALSink()
		runWAL(b, dsn, sink)
		sink.awaitResync(b, 1)
		select {
		case <-sink.changed:
		default:
		}
		benchmarkLatency(b, dsn, sink.changed, addProgress)
	})
	b.Run("listen", func(b *testing.B) {
		dsn, heard, ready := pgtest.NewDSN(b), make(chan struct{}, 1), make(chan struct{}, 1)
		startSource(b, NewListener(ListenConfig{
			DSN: dsn, ID: "bench", Log: quiet,
			Handle: map[string]func(string){ChannelEvents: func(string) { heard <- struct{}{} }},
			Resync: func() { ready <- struct{}{} },
		}))
		<-ready
		benchmarkLatency(b, dsn, heard, addProgress, "SELECT pg_notify('kg_events', $1 || $2::bigint)")
	})
}

func benchmarkLatency(b *testing.B, dsn string, heard <-chan struct{}, statements ...string) {
	conn, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	if _, err := conn.Exec(b.Context(), "SET synchronous_commit = on"); err != nil {
		b.Fatal(err)
	}
	var latencies []time.Duration
	for seq := 1; b.Loop(); seq++ {
		tx, err := conn.Begin(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for _, sql := range statements {
			if _, err := tx.Exec(b.Context(), sql, "job_a", seq); err != nil {
				b.Fatal(err)
			}
		}
		begin := time.Now()
		var at time.Time
		var group sync.WaitGroup
		group.Go(func() { at = waitHeard(b.Context(), heard) })
		if err := tx.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
		group.Wait()
		latencies = append(latencies, at.Sub(begin))
	}
	slices.Sort(latencies)
	for name, share := range map[string]float64{"p50-µs": 0.5, "p99-µs": 0.99} {
		b.ReportMetric(float64(latencies[int(share*float64(len(latencies)-1))].Microseconds()), name)
	}
}

// waitHeard returns when a message came.
func waitHeard(ctx context.Context, heard <-chan struct{}) time.Time {
	select {
	case <-heard:
	case <-ctx.Done():
	}
	return time.Now()
}
