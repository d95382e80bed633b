package notify

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// once is a hook that fails the first time at a point, after a call of its own.
type once struct {
	point string
	then  func()

	mu      sync.Mutex // guards what follows
	reached []string
}

func (o *once) reach(_ context.Context, point string) error {
	o.mu.Lock()
	first := point == o.point && !slices.Contains(o.reached, point)
	o.reached = append(o.reached, point)
	o.mu.Unlock()
	if !first {
		return nil
	}
	if o.then != nil {
		o.then()
	}
	return errors.New("the hook says no")
}

// TestPoints has the hooks of sources fail: the source connects again, and has
// everything read.
func TestPoints(t *testing.T) {
	t.Parallel()
	for _, point := range []string{PointBeforeListen, PointAfterListen} {
		t.Run("a listener that fails "+point+" connects again", func(t *testing.T) {
			t.Parallel()
			hook, resynced := &once{point: point}, make(chan struct{}, 10)
			startSource(t, NewListener(ListenConfig{
				DSN: pgtest.NewDSN(t), ID: "me", Log: quiet, Hook: hook.reach, Handle: map[string]func(string){ChannelLanes: func(string) {}},
				Resync: func() { resynced <- struct{}{} },
			}))
			<-resynced
			want := []string{PointBeforeListen, PointBeforeListen, PointAfterListen}
			if point == PointAfterListen {
				want = []string{PointBeforeListen, PointAfterListen, PointBeforeListen, PointAfterListen}
			}
			hook.mu.Lock()
			defer hook.mu.Unlock()
			if !slices.Equal(hook.reached, want) || len(resynced) != 0 {
				t.Errorf("reached %q, want %q, and resynchronised %d times more", hook.reached, want, len(resynced))
			}
		})
	}
	t.Run("events that were received and not handed over are polled for", func(t *testing.T) {
		t.Parallel()
		pool, sink, hook := pgtest.NewPool(t), newWALSink(), &once{point: PointAfterReceive}
		startSource(t, NewWAL(WALConfig{DSN: pool.Config().ConnString(), ID: "me", Sink: sink, Hook: hook.reach, Log: quiet}))
		sink.awaitResync(t, 1)
		mustExec(t, pool, addProgress, "job_a", 1)
		sink.awaitResync(t, 2)
		mustExec(t, pool, addProgress, "job_a", 2)
		sink.await(t, "an event", func(batches [][]work.Event, _ int) bool { return len(batches) > 0 })
		if got := numbers(sink.take(t, 1)); got != "job_a 2" {
			t.Errorf("handed over %s, want the second event alone", got)
		}
	})
}
