package notify

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/kappagraph/kappa/work"
)

// table is the event table, in memory.
type table struct {
	mu     sync.Mutex
	events map[string][]work.Event
	hidden int   // events at the end of each job that cannot be seen yet
	late   int64 // the number of an event that commits after those that follow it
	reads  int   // statements that read events
	polls  int   // statements that read numbers
	err    error

	answered func() // called after numbers were read
}

func newTable(jobs ...string) *table {
	t := &table{events: map[string][]work.Event{}}
	for _, id := range jobs {
		t.events[id] = nil
	}
	return t
}

// add commits an event and returns it.
func (t *table) add(job string, kind work.EventKind) work.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := work.Event{JobID: job, Seq: int64(len(t.events[job]) + 1), Kind: kind}
	t.events[job] = append(t.events[job], e)
	return e
}

func (t *table) set(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (t *table) EventsOf(_ context.Context, after map[string]int64, limit int) ([]work.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads++
	if t.err != nil {
		return nil, t.err
	}
	var list []work.Event
	for job, seq := range after {
		seen := t.events[job][:max(0, len(t.events[job])-t.hidden)]
		list = append(list, seen[min(int(seq), len(seen)):]...)
	}
	list = slices.DeleteFunc(list, func(e work.Event) bool { return e.Seq == t.late })
	return slices.Clone(list[:min(limit, len(list))]), nil
}

func (t *table) EventSeqs(_ context.Context, ids []string) (map[string]int64, error) {
	t.mu.Lock()
	defer func() {
		f := t.answered
		t.mu.Unlock()
		if f != nil {
			f()
		}
	}()
	t.polls++
	if t.err != nil {
		return nil, t.err
	}
	seqs := map[string]int64{}
	for _, id := range ids {
		if list, ok := t.events[id]; ok {
			seqs[id] = int64(max(0, len(list)-t.hidden))
		}
	}
	return seqs, nil
}

// withHub runs test inside a bubble, with a hub on a table of jobs.
func withHub(t *testing.T, name string, test func(t *testing.T, hub *Hub, tab *table), jobs ...string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tab := newTable(jobs...)
			hub, stop := run(tab)
			defer stop()
			test(t, hub, tab)
		})
	})
}

// run starts a hub; stop ends it.
func run(tab *table) (hub *Hub, stop func()) {
	hub = NewHub(tab, quiet)
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { _ = hub.Run(ctx) })
	return hub, func() {
		cancel()
		group.Wait()
	}
}

// subscribe returns a subscription to jobs that the test does not have to close.
func subscribe(t testing.TB, hub *Hub, jobs ...string) work.Subscription {
	t.Helper()
	sub, err := hub.Subscribe()
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		if err := sub.Watch(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	return sub
}

// take waits until the hub has nothing to do and returns what sub collected.
func take(sub work.Subscription) work.Delivery {
	synctest.Wait()
	return sub.Take()
}

// wantSeqs checks the numbers of events of one job.
func wantSeqs(t *testing.T, events []*work.Event, want ...int64) {
	t.Helper()
	got := make([]int64, len(events))
	for i, e := range events {
		got[i] = e.Seq
	}
	if !slices.Equal(got, want) {
		t.Errorf("got events %v, want %v", got, want)
	}
}
