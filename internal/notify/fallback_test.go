package notify

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// fakeSource counts how often it runs.
type fakeSource struct {
	runs    atomic.Int64
	running atomic.Bool
	fail    chan error
}

// Run implements Source.
func (s *fakeSource) Run(ctx context.Context) error {
	s.runs.Add(1)
	s.running.Store(true)
	defer s.running.Store(false)
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.fail:
		return err
	}
}

// State implements Source.
func (s *fakeSource) State() work.EventSource {
	return work.EventSource{Name: "listen", Active: true, Connected: s.running.Load()}
}

// fallbackWorld is a Fallback that runs, and what it reads.
type fallbackWorld struct {
	*Fallback
	database *fakeSource
	leads    atomic.Bool
	err      error
	stop     func()
}

func withFallback(t *testing.T, name string, test func(t *testing.T, w *fallbackWorld)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n, err := NewNATS(NATSConfig{Options: NATSOptions{URL: "host"}, ID: "me", Sink: newEar(), Log: quiet})
			if err != nil {
				t.Fatal(err)
			}
			w := &fallbackWorld{database: &fakeSource{fail: make(chan error)}}
			w.Fallback = NewFallback(n, w.database, w.leads.Load, quiet)
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { w.err = w.Run(ctx) })
			w.stop = func() {
				cancel()
				running.Wait()
			}
			defer w.stop()
			synctest.Wait()
			test(t, w)
		})
	})
}

// connect has NATS come or go.
func (w *fallbackWorld) connect(up bool) {
	w.nats.up.Store(up)
	w.nats.announce()
	synctest.Wait()
}

func (w *fallbackWorld) lead(yes bool) {
	w.leads.Store(yes)
	w.Changed()
	synctest.Wait()
}

// expect checks which sources are heard: the database, and NATS.
func (w *fallbackWorld) expect(t *testing.T, when string, database, fanout bool) {
	t.Helper()
	s := w.State()
	if s[0].Name != "listen" || s[0].Active != database || w.database.running.Load() != database {
		t.Errorf("%s: the database source is active %v, running %v, want %v", when, s[0].Active, w.database.running.Load(), database)
	}
	if s[1].Name != "nats" || s[1].Active != fanout || s[1].Connected != fanout {
		t.Errorf("%s: NATS is active %v, want %v", when, s[1].Active, fanout)
	}
}

func TestFallback(t *testing.T) {
	t.Parallel()

	withFallback(t, "hears the database until NATS has been there for 2 s", func(t *testing.T, w *fallbackWorld) {
		w.expect(t, "at first", true, false)
		w.connect(true)
		w.expect(t, "at once", true, true)
		time.Sleep(fallbackSettle - time.Millisecond)
		synctest.Wait()
		w.expect(t, "before 2 s", true, true)
		time.Sleep(fallbackPoll + 2*time.Millisecond)
		synctest.Wait()
		w.expect(t, "after 2 s", false, true)
	})

	withFallback(t, "hears the database at once when NATS goes", func(t *testing.T, w *fallbackWorld) {
		w.connect(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		w.expect(t, "later", false, true)
		w.connect(false)
		w.expect(t, "at once", true, false)
		if n := w.database.runs.Load(); n != 2 {
			t.Errorf("the database source ran %d times, want 2", n)
		}
	})

	withFallback(t, "does not stop while NATS comes and goes", func(t *testing.T, w *fallbackWorld) {
		for range 10 {
			w.connect(true)
			time.Sleep(1500 * time.Millisecond)
			w.connect(false)
			time.Sleep(100 * time.Millisecond)
		}
		if n := w.database.runs.Load(); n != 1 {
			t.Errorf("the database source ran %d times, want once", n)
		}
	})

	withFallback(t, "hears both while it leads", func(t *testing.T, w *fallbackWorld) {
		w.connect(true)
		time.Sleep(time.Minute)
		w.lead(true)
		w.expect(t, "as the leader", true, true)
		time.Sleep(time.Minute)
		synctest.Wait()
		w.expect(t, "a minute later", true, true)
		w.lead(false)
		w.expect(t, "no longer", false, true)
		w.leads.Store(true) // nobody says so
		time.Sleep(fallbackPoll)
		synctest.Wait()
		w.expect(t, "found by itself", true, true)
	})

	withFallback(t, "ends when the database source gives up", func(t *testing.T, w *fallbackWorld) {
		broken := errors.New("wal_level is replica")
		w.database.fail <- broken
		synctest.Wait()
		w.stop()
		if !errors.Is(w.err, broken) {
			t.Errorf("Run returned %v", w.err)
		}
	})

	withFallback(t, "ends with its source", func(t *testing.T, w *fallbackWorld) {
		w.stop()
		if w.err != nil || w.database.running.Load() {
			t.Errorf("Run returned %v, the source runs: %v", w.err, w.database.running.Load())
		}
	})
}

// TestFallbackReal stops and starts a real NATS server under a real listener.
func TestFallbackReal(t *testing.T) {
	t.Parallel()
	s := newNATSServer(t, nil)
	store := newPGStore(t)
	hub := NewHub(store, quiet)
	hub.poll = time.Hour
	nats, err := NewNATS(NATSConfig{Options: NATSOptions{URL: s.url()}, ID: "hears", Sink: hub, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	hub.OnInterest(nats.Interest)
	listener := NewListener(ListenConfig{
		DSN: store.dsn, ID: "hears", Log: quiet, Resync: hub.Resync,
		Handle: map[string]func(string){ChannelEvents: ReceiveEvents("hears", hub)},
	})
	fallback := NewFallback(nats, listener, func() bool { return false }, quiet)
	w := &world{store: store, hub: hub, sourceFixture: sourceFixture{source: listener}}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = hub.Run(ctx) })
	running.Go(func() { _ = fallback.Run(ctx) })
	defer running.Wait()
	defer cancel()
	runNATS(t, nats)
	sender := newFleet(t, s, "sender")[0]
	w.notify = func(events ...work.Event) {
		for _, e := range events {
			sender.Notify(e.JobID)
			if !sender.Connected() {
				_ = store.notify(t.Context(), ChannelEvents, "sender "+e.JobID)
			}
		}
	}
	job := store.addJobs(t, 1)[0]
	r := w.watch(t, job)
	until(t, 5*time.Second, func() bool { return !fallback.State()[0].Active })
	hear := func(seq int64, limit time.Duration) {
		t.Helper()
		w.commit(t, job, work.EventStatus)
		r.until(t, limit, func() bool { return r.last(job) == seq })
	}
	hear(1, time.Second)
	s.stop()
	hear(2, 2*time.Second)
	until(t, time.Second, func() bool { return fallback.State()[0].Connected && !fallback.State()[1].Active })
	hear(3, time.Second)
	s.start(t)
	until(t, 6*time.Second, func() bool { return fallback.State()[1].Active })
	hear(4, time.Second)
}
