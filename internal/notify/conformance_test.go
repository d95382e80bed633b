package notify

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// sourceFixture is a source under test and its surroundings.
type sourceFixture struct {
	source Source
	// notify is what the server that has committed events does then; nil when the
	// source needs nothing, because it sees the commits themselves.
	notify func(events ...work.Event)
	// cut breaks the source's connection.
	cut func(t *testing.T)
	// connections returns how many connections the source has.
	connections func(t *testing.T) int
}

// openSource makes a source that notifies hub. What it needs besides is closed by
// t.Cleanup; the source itself is run by the suite.
type openSource func(t *testing.T, store *pgStore, hub *Hub) sourceFixture

// testSource is what every source must do.
func testSource(t *testing.T, open openSource) {
	t.Run("an event committed elsewhere arrives within a second", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, open)
		job := w.store.addJobs(t, 1)[0]
		r := w.watch(t, job)
		for seq := int64(1); seq <= 5; seq++ {
			began := time.Now()
			w.commit(t, job, work.EventStatus)
			r.until(t, time.Second, func() bool { return r.last(job) == seq })
			t.Logf("event %d after %s", seq, time.Since(began))
		}
	})

	t.Run("what a job's history says arrives as its readers get it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, open)
		job := w.store.addJobs(t, 1)[0]
		r := w.watch(t, job)
		want := w.commit(t, job, work.EventStatus)
		r.until(t, time.Second, func() bool { return r.last(job) == 1 })
		got := r.events[job][0]
		if got.Kind != want.Kind || string(got.Payload) != string(want.Payload) || !got.At.Equal(want.At.Time) {
			t.Errorf("got %s %s at %s, want %s %s at %s", got.Kind, got.Payload, got.At, want.Kind, want.Payload, want.At)
		}
	})

	t.Run("an event that has no row arrives too", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, open)
		job := w.store.addJobs(t, 1)[0]
		r := w.watch(t, job)
		want, err := w.store.claim(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if w.notify != nil {
			w.notify(want)
		}
		r.until(t, time.Second, func() bool { return r.last(job) == 1 })
		if got := r.events[job][0]; string(got.Payload) != string(want.Payload) || !got.At.Equal(want.At.Time) {
			t.Errorf("got %s at %s, want %s at %s", got.Payload, got.At, want.Payload, want.At)
		}
	})

	t.Run("1,000 events of 20 jobs arrive in order, without hole or double", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, open)
		jobs := w.store.addJobs(t, 20)
		r := w.watch(t, jobs...)
		written := w.commitAtOnce(t, jobs, 50)
		r.untilAll(t, 30*time.Second, jobs, 50)
		written.Wait()
	})

	t.Run("nothing is lost when the connection is cut", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, open)
		jobs := w.store.addJobs(t, 20)
		r := w.watch(t, jobs...)
		var cuts sync.WaitGroup
		cuts.Go(func() {
			for range 3 {
				before := w.source.State().Reconnects
				w.cut(t)
				until(t, 30*time.Second, func() bool { s := w.source.State(); return s.Connected && s.Reconnects > before })
			}
		})
		written := w.commitAtOnce(t, jobs, 50)
		r.untilAll(t, 30*time.Second, jobs, 50)
		written.Wait()
		cuts.Wait()
		if s := w.source.State(); s.Reconnects < 3 || !s.Connected || s.Since == nil || s.Error != "" {
			t.Errorf("state %+v, want at least 3 reconnects and a connection", s)
		}
	})

	t.Run("what nobody was notified of arrives with the next connection", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, open)
		job := w.store.addJobs(t, 1)[0]
		r := w.watch(t, job)
		if _, err := w.store.commit(t.Context(), job, work.EventStatus); err != nil {
			t.Fatal(err)
		}
		w.cut(t)
		r.until(t, 3*time.Second, func() bool { return r.last(job) == 1 })
	})

	t.Run("the end leaves no connection", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, open)
		if s := w.source.State(); s.Name == "" || !s.Active || s.Since == nil || s.Reconnects != 0 {
			t.Errorf("state %+v", s)
		}
		if n := w.connections(t); n == 0 {
			t.Error("no connection is counted while the source is connected")
		}
		began := time.Now()
		w.stop()
		if d := time.Since(began); d > 20*time.Second {
			t.Errorf("Run returned after %s", d)
		}
		if s := w.source.State(); s.Connected || s.Reconnects != 0 {
			t.Errorf("state after the end %+v", s)
		}
		until(t, 2*time.Second, func() bool { return w.connections(t) == 0 })
	})
}

// world is a database, a hub and a source, all running. The hub does not poll, so
// that only the source brings events.
type world struct {
	sourceFixture
	store *pgStore
	hub   *Hub
	stop  func()
}

func newWorld(t *testing.T, open openSource) *world {
	t.Helper()
	w := &world{store: newPGStore(t)}
	w.hub = NewHub(w.store, quiet)
	w.hub.poll = time.Hour
	w.sourceFixture = open(t, w.store, w.hub)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = w.hub.Run(ctx) })
	running.Go(func() {
		if err := w.source.Run(ctx); err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
	w.stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(w.stop)
	until(t, 10*time.Second, func() bool { return w.source.State().Connected })
	return w
}

// commit adds an event, and does what a server does then.
func (w *world) commit(t *testing.T, jobID string, kind work.EventKind) work.Event {
	t.Helper()
	e, err := w.store.commit(t.Context(), jobID, kind)
	if err != nil {
		t.Fatal(err)
	}
	if w.notify != nil {
		w.notify(e)
	}
	return e
}

// commitAtOnce adds n events to each job from several connections. It does not
// wait for them.
func (w *world) commitAtOnce(t *testing.T, jobs []string, n int) (writers *sync.WaitGroup) {
	t.Helper()
	writers = new(sync.WaitGroup)
	for part := range 4 {
		writers.Go(func() {
			for range n {
				for i := part; i < len(jobs); i += 4 {
					e, err := w.store.commit(t.Context(), jobs[i], work.EventStatus)
					if err != nil {
						t.Error(err)
						return
					}
					if w.notify != nil {
						w.notify(e)
					}
				}
			}
		})
	}
	return writers
}

// reader takes what a subscription collects.
type reader struct {
	sub    work.Subscription
	events map[string][]*work.Event
	gone   []string
	ended  bool
}

func (w *world) watch(t *testing.T, jobs ...string) *reader {
	t.Helper()
	sub, err := w.hub.Subscribe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	for _, job := range jobs {
		if err := sub.Watch(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	return &reader{sub: sub, events: map[string][]*work.Event{}}
}

// last returns the number of the last event of a job.
func (r *reader) last(job string) int64 {
	if list := r.events[job]; len(list) > 0 {
		return list[len(list)-1].Seq
	}
	return 0
}

// until takes deliveries until done says that it is enough. Each job's events
// must come in order, without hole or double.
func (r *reader) until(t *testing.T, limit time.Duration, done func() bool) {
	t.Helper()
	timeout := time.After(limit + time.Minute) // likewise
	for !done() {
		select {
		case <-timeout:
			t.Fatalf("not there after %s; last events: %v", limit, r.lasts())
		case <-r.sub.Ready():
		}
		d := r.sub.Take()
		for _, e := range d.Events {
			if last := r.last(e.JobID); e.Seq != last+1 {
				t.Errorf("event %d of %s follows %d", e.Seq, e.JobID, last)
			}
			r.events[e.JobID] = append(r.events[e.JobID], e)
		}
		r.gone = append(r.gone, d.Gone...)
		if r.ended = d.Ended; r.ended {
			t.Fatal("the subscription has ended")
		}
	}
}

// untilAll takes deliveries until each job has n events.
func (r *reader) untilAll(t *testing.T, limit time.Duration, jobs []string, n int64) {
	t.Helper()
	r.until(t, limit, func() bool {
		for _, job := range jobs {
			if r.last(job) < n {
				return false
			}
		}
		return true
	})
}

func (r *reader) lasts() map[string]int64 {
	m := map[string]int64{}
	for job := range r.events {
		m[job] = r.last(job)
	}
	return m
}

// until waits for what no channel notifies of. The limit is that of a machine which does
// nothing else; another one may take longer.
func until(t testing.TB, limit time.Duration, done func() bool) {
	t.Helper()
	timeout := time.After(limit + time.Minute)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for !done() {
		select {
		case <-timeout:
			t.Errorf("not there after %s", limit)
			return
		case <-poll.C:
		}
	}
}
