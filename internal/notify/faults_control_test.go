package notify

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// missTries is how often a world in which ends can be missed is tried: on a machine
// that is slow enough all of them may be found by chance, by somebody who begins to
// watch the same job.
const missTries = 3

// TestFaultsControls_Slow shows that TestFaults would notice: what the package
// relies on is taken out, and the watchers must miss the ends of jobs. With it,
// they must not.
func TestFaultsControls_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	var controls sync.WaitGroup
	defer controls.Wait()
	for name, c := range map[string]struct {
		by     string
		tune   func(*faultServer)
		deaf   bool // sources do not have the table read after a reconnect
		misses bool
	}{
		"a read after a reconnect is enough":                      {by: byWAL, tune: noPoll},
		"neither a read after a reconnect nor the safety poll":    {by: byWAL, tune: noPoll, deaf: true, misses: true},
		"the safety poll is enough":                               {by: byListen, tune: noMessages},
		"neither messages from others nor the safety poll either": {by: byListen, tune: func(s *faultServer) { noMessages(s); noPoll(s) }, misses: true},
	} {
		controls.Go(func() {
			t.Run(name, func(t *testing.T) {
				run := func() (misses bool) {
					w := newFaultWorld(t, c.by, rand.Uint64()>>32, 10, 20)
					w.keepsConnection = true
					if c.deaf {
						w.sink = func(s WALSink) WALSink { return forgetful{s} }
					}
					w.start(t, c.tune)
					w.runUntil(t, []fault{{"refused everywhere", w.deafForEnds}}, nil, func() bool { return true })
					return w.problems.has("the terminal event was missed")
				}
				misses := run()
				for tries := 1; c.misses && !misses && tries < missTries; tries++ {
					misses = run()
				}
				if misses != c.misses {
					t.Errorf("the ends of jobs were missed: %v, want %v", misses, c.misses)
				}
			})
		})
	}
}

func noPoll(s *faultServer) { s.hub.poll = time.Hour }

func noMessages(s *faultServer) {
	s.notifier.send = func(context.Context, string, string) error { return errors.New("lost") }
}

// deafForEnds has no server hear the others until some watched jobs have ended.
// More of them end once the reads after the reconnect are over, which find
// nothing of these.
func (w *faultWorld) deafForEnds(ctx context.Context, _ *rand.Rand) {
	w.wait(ctx, time.Second)
	for _, s := range w.servers {
		s.toSource.refuse(true)
	}
	w.untilEnds(ctx, 10)
	for _, s := range w.servers {
		s.toSource.refuse(false)
	}
	for _, s := range w.servers {
		w.until(ctx, startWithin, func() bool { _, ok := s.connectedSince(); return ok })
	}
	w.wait(ctx, 2*reconcileRest)
	for _, s := range w.servers {
		w.until(ctx, startWithin, func() bool { return !s.hub.anyUnconfirmed() })
	}
	w.untilEnds(ctx, 5)
}

// untilEnds waits until so many more jobs have ended.
func (w *faultWorld) untilEnds(ctx context.Context, more int64) {
	enough := w.ends.Load() + more
	w.until(ctx, 20*time.Second, func() bool { return w.ends.Load() >= enough })
}

// forgetful is a sink for a source that never calls Resync.
type forgetful struct{ WALSink }

// Resync implements Sink.
func (forgetful) Resync() {}
