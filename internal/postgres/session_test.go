package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/postgres"
)

// TestQ44_SilentLeader wins the leader's lock and is not heard of any more,
// as a stopped process or one behind a half-open connection: another one takes
// over, under the next term.
func TestQ44_SilentLeader(t *testing.T) {
	t.Parallel()
	const limit = 250 * time.Millisecond
	store, _ := newStore(t)
	lead := func() *postgres.LeaderSession {
		s, err := store.DialLeader(t.Context(), limit)
		must(t, err)
		t.Cleanup(func() { _ = s.Close(context.WithoutCancel(t.Context())) })
		return s
	}
	silent, next := lead(), lead()
	first, won, err := silent.Campaign(t.Context(), workerA)
	if err != nil || !won {
		t.Fatalf("the first campaign: won %v, %v", won, err)
	}
	began := time.Now()
	for time.Since(began) < 5*time.Second {
		term, won, err := next.Campaign(t.Context(), workerB)
		must(t, err)
		if !won {
			continue
		}
		if took := time.Since(began); term != first+1 || took < limit {
			t.Errorf("term %d after %s, want %d after at least %s", term, took, first+1, limit)
		}
		if err := silent.Check(t.Context()); err == nil {
			t.Error("the silent leader still has its session")
		}
		return
	}
	t.Errorf("nobody took over from a leader that is silent for %s", time.Since(began))
}
