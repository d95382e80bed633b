package notify

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestListener runs against a real server.
func TestListener(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewEmptyDSN(t)
	received, resyncs := make(chan string, 10), make(chan struct{}, 10)
	l := NewListener(ListenConfig{
		DSN: dsn, ID: "me", Log: quiet,
		Handle: map[string]func(string){ChannelLanes: func(p string) { received <- p }},
		Resync: func() { resyncs <- struct{}{} },
	})
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if err := l.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer group.Wait()
	defer cancel()
	wait(t, resyncs, "the first connect")
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over

	notify := func(payload string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "SELECT pg_notify($1, $2)", ChannelLanes, payload); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, received, "the notification "+payload); got != payload {
			t.Errorf("received %q, want %q", got, payload)
		}
	}
	notify("interactive")

	// Q21: the connection is cut; a resync follows the reconnect.
	if _, err := conn.Exec(t.Context(),
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kg-listen' AND datname = current_database()"); err != nil {
		t.Fatal(err)
	}
	wait(t, resyncs, "the reconnect")
	if l.Reconnects() != 1 {
		t.Errorf("%d reconnects, want 1", l.Reconnects())
	}
	notify("maintenance")

	// Longer than a probe's interval: a notification to itself keeps it alive.
	time.Sleep(probeEvery + time.Second)
	if l.Reconnects() != 1 || !l.Connected() {
		t.Errorf("after a probe: %d reconnects, connected %v", l.Reconnects(), l.Connected())
	}
	notify("system")
}

func wait[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not arrive", what)
		panic("unreachable")
	}
}
