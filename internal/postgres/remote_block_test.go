package postgres_test

import (
	"context"
	"testing"
	"time"
)

// TestBlockIsOneStep says that the server to which a worker is connected hears of its block
// when that is stored: a worker that connects again at once is refused.
func TestBlockIsOneStep(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	w := remoteWorker(t, s, "bad", workerA)
	hears := connect(t, dsn)
	_, err := hears.Exec(t.Context(), "LISTEN kg_remote")
	must(t, err)
	locks := connect(t, dsn)
	tx, err := locks.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "LOCK TABLE kg_api.blocked_workers IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	ended := make(chan error, 1)
	go func() { ended <- s.Remote().Operate(context.WithoutCancel(t.Context()), w.WorkerID, "block", 1) }()
	early, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if n, err := hears.WaitForNotification(early); err == nil {
		t.Errorf("it is said before it is stored: %s", n.Payload)
	}
	must(t, tx.Rollback(t.Context()))
	must(t, <-ended)
	known, err := s.Remote().Known(t.Context(), "bad")
	must(t, err)
	if !known.Blocked {
		t.Error("it is not blocked")
	}
}
