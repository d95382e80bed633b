package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

var quiet = slog.New(slog.DiscardHandler)

// table is the event table.
type table struct {
	mu     sync.Mutex
	events map[string][]kappa.Event
	reads  int
	err    error
}

func newTable(jobs ...string) *table {
	t := &table{events: map[string][]kappa.Event{}}
	for _, id := range jobs {
		t.events[id] = nil
	}
	return t
}

func (t *table) add(job string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	seq := int64(len(t.events[job]) + 1)
	t.events[job] = append(t.events[job], kappa.Event{JobID: job, Seq: seq, Kind: kappa.EventProgress})
	return seq
}

func (t *table) EventsOf(_ context.Context, after map[string]int64, limit int) ([]kappa.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads++
	if t.err != nil {
		return nil, t.err
	}
	var list []kappa.Event
	for job, seq := range after {
		list = append(list, t.events[job][min(int(seq), len(t.events[job])):]...)
	}
	return list[:min(limit, len(list))], nil
}

func (t *table) EventSeqs(_ context.Context, ids []string) (map[string]int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return nil, t.err
	}
	seqs := map[string]int64{}
	for _, id := range ids {
		if list, ok := t.events[id]; ok {
			seqs[id] = int64(len(list))
		}
	}
	return seqs, nil
}

// run starts a hub; stop ends it.
func run(t *table) (hub *Hub, stop func()) {
	hub = NewHub(t, quiet)
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { _ = hub.Run(ctx) })
	return hub, func() {
		cancel()
		group.Wait()
	}
}

func subscribe(t *testing.T, hub *Hub, job string) kappa.Subscription {
	t.Helper()
	sub, err := hub.Subscribe(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

func TestHub(t *testing.T) {
	t.Run("delivers each event once, in order, whatever the hints", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tab := newTable("job")
			hub, stop := run(tab)
			defer stop()
			for range 3 {
				tab.add("job") // before the subscription
			}
			sub := subscribe(t, hub, "job")
			defer sub.Close()
			for range 50 {
				tab.add("job")
				for range rand.N(3) { // none, one or two hints
					hub.Hint("job")
				}
			}
			hub.Hint("job")
			synctest.Wait()
			for want := int64(4); want <= 53; want++ {
				if e := <-sub.Events; e.Seq != want {
					t.Fatalf("got event %d, want %d", e.Seq, want)
				}
			}
		})
	})

	t.Run("finds an event without any hint", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tab := newTable("job")
			hub, stop := run(tab)
			defer stop()
			sub := subscribe(t, hub, "job")
			defer sub.Close()
			tab.add("job")
			time.Sleep(safetyPoll + time.Millisecond)
			synctest.Wait()
			select {
			case <-sub.Events:
			default:
				t.Error("the event was not delivered")
			}
		})
	})

	t.Run("closes a reader that cannot follow, and it alone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tab := newTable("job")
			hub, stop := run(tab)
			defer stop()
			slow, quick := subscribe(t, hub, "job"), subscribe(t, hub, "job")
			defer slow.Close()
			defer quick.Close()
			for i := range int64(3 * subscriberBuffer) {
				tab.add("job")
				hub.Hint("job")
				synctest.Wait()
				if e, ok := <-quick.Events; !ok || e.Seq != i+1 {
					t.Fatalf("the quick reader got %d (open %v), want %d", e.Seq, ok, i+1)
				}
			}
			n := 0
			for range slow.Events { // ends because it is closed
				n++
			}
			if n != subscriberBuffer {
				t.Errorf("the slow reader got %d events before it was closed, want %d", n, subscriberBuffer)
			}
		})
	})

	t.Run("reads a job once for all its subscribers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tab := newTable("job")
			hub, stop := run(tab)
			defer stop()
			var subs []kappa.Subscription
			for range 1000 {
				subs = append(subs, subscribe(t, hub, "job"))
			}
			synctest.Wait()
			before := tab.reads
			tab.add("job")
			hub.Hint("job")
			synctest.Wait()
			if n := tab.reads - before; n != 1 {
				t.Errorf("%d reads for one event, want 1", n)
			}
			for _, s := range subs {
				if e := <-s.Events; e.Seq != 1 {
					t.Fatalf("got event %d", e.Seq)
				}
				s.Close()
			}
			if n := hub.Watched(); n != 0 {
				t.Errorf("%d jobs are still watched", n)
			}
		})
	})

	t.Run("goes on after reads failed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tab := newTable("job")
			hub, stop := run(tab)
			defer stop()
			sub := subscribe(t, hub, "job")
			defer sub.Close()
			tab.mu.Lock()
			tab.err = errors.New("away")
			tab.mu.Unlock()
			tab.add("job")
			hub.Hint("job")
			time.Sleep(time.Second)
			tab.mu.Lock()
			tab.err = nil
			tab.mu.Unlock()
			time.Sleep(time.Second)
			synctest.Wait()
			select {
			case <-sub.Events:
			default:
				t.Error("the event was not delivered")
			}
		})
	})

	t.Run("refuses an unknown job and leaves nothing behind", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			hub, stop := run(newTable())
			defer stop()
			if _, err := hub.Subscribe(t.Context(), "nobody"); kappa.ErrorCode(err) != kappa.CodeNotFound {
				t.Errorf("got %v", err)
			}
			if n := hub.Watched(); n != 0 {
				t.Errorf("%d jobs are watched", n)
			}
		})
	})

	t.Run("closes everybody when it stops, and takes nobody after", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			hub, stop := run(newTable("job"))
			sub := subscribe(t, hub, "job")
			stop()
			if _, open := <-sub.Events; open {
				t.Error("the subscription is still open")
			}
			sub.Close() // once more is harmless
			if _, err := hub.Subscribe(t.Context(), "job"); kappa.ErrorCode(err) != kappa.CodeUnavailable {
				t.Errorf("got %v", err)
			}
		})
	})
}

func TestNotifier(t *testing.T) {
	t.Run("sends at most 50 notifications a second, and loses no job", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var payloads []string
			n := NewNotifier("me", func(_ context.Context, _, payload string) error {
				mu.Lock()
				defer mu.Unlock()
				payloads = append(payloads, payload)
				return nil
			}, quiet)
			ctx, cancel := context.WithCancel(t.Context())
			var group sync.WaitGroup
			group.Go(func() { _ = n.Run(ctx) })
			for i := range 1000 { // for one second
				n.Tell(fmt.Sprintf("job_%012x", i%7))
				time.Sleep(time.Millisecond)
			}
			n.Tell("job_last")
			time.Sleep(time.Second)
			cancel()
			group.Wait()
			if len(payloads) > 53 {
				t.Errorf("%d notifications in a second", len(payloads))
			}
			if last := payloads[len(payloads)-1]; last != "me job_last" && !slices.Contains(payloads, last) {
				t.Errorf("the last job was not told: %q", last)
			}
			for _, p := range payloads {
				if len(p) > maxPayload {
					t.Errorf("payload of %d bytes", len(p))
				}
			}
		})
	})

	t.Run("says everything when the jobs do not fit", func(t *testing.T) {
		jobs := map[string]struct{}{}
		for i := range 100 {
			jobs[fmt.Sprintf("job_%012x", i)] = struct{}{}
		}
		if p := payload("me", jobs); p != "me *" {
			t.Errorf("got %q", p)
		}
	})
}

func TestReceiveEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := newTable("a", "b")
		hub, stop := run(tab)
		defer stop()
		a, b := subscribe(t, hub, "a"), subscribe(t, hub, "b")
		defer a.Close()
		defer b.Close()
		receive := ReceiveEvents("me", hub)
		got := func() [2]int {
			synctest.Wait()
			return [2]int{len(a.Events), len(b.Events)}
		}
		got() // the hub looks once at a newly watched job
		tab.add("a")
		tab.add("b")
		receive("me a b") // our own
		receive("")
		receive("other")
		if n := got(); n != [2]int{0, 0} {
			t.Errorf("own and empty payloads delivered %v", n)
		}
		receive("other b")
		if n := got(); n != [2]int{0, 1} {
			t.Errorf("a hint for b delivered %v", n)
		}
		receive("other *")
		if n := got(); n != [2]int{1, 1} {
			t.Errorf("a hint for all delivered %v", n)
		}
	})
}
