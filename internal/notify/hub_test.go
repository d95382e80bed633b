package notify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestHubOrder(t *testing.T) {
	withHub(t, "delivers each event once and in order, whatever it is notified of", func(t *testing.T, hub *Hub, tab *table) {
		for range 3 {
			tab.add("job", work.EventStatus) // before the subscription
		}
		sub := subscribe(t, hub, "job")
		for range 50 {
			e := tab.add("job", work.EventStatus)
			switch rand.N(4) {
			case 0:
				hub.Hint("job")
			case 1:
				hub.Publish([]work.Event{e})
			case 2:
				hub.Publish([]work.Event{e, e})
				hub.Hint("job", "job")
			}
		}
		hub.Hint("job")
		var want []int64
		for seq := int64(4); seq <= 53; seq++ {
			want = append(want, seq)
		}
		wantSeqs(t, take(sub).Events, want...)
	}, "job")

	withHub(t, "reads nothing when events are handed over in order", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		for range 3 {
			hub.Publish([]work.Event{tab.add("job", work.EventStatus)})
		}
		wantSeqs(t, take(sub).Events, 1, 2, 3)
		if tab.reads != 0 {
			t.Errorf("%d reads, want none", tab.reads)
		}
	}, "job")

	withHub(t, "reads the table after a gap, and goes on with what was handed over", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		tab.add("job", work.EventStatus)
		tab.add("job", work.EventStatus)
		e := tab.add("job", work.EventStatus)
		tab.set(func() { tab.hidden = 1 }) // committed, but not visible to others yet
		hub.Publish([]work.Event{e})
		wantSeqs(t, take(sub).Events, 1, 2, 3)
	}, "job")

	withHub(t, "waits for an event that commits after the one that follows it", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		for range 2 {
			tab.add("job", work.EventStatus)
		}
		third := tab.add("job", work.EventStatus)
		tab.set(func() { tab.late = 2 })
		hub.Publish([]work.Event{third}) // as the write-ahead log has them in the order of their commits
		hub.Hint("job")
		time.Sleep(notifiedWithin / 2)
		wantSeqs(t, take(sub).Events, 1)
		if tab.reads > 200 {
			t.Errorf("%d reads in %s", tab.reads, notifiedWithin/2)
		}
		tab.set(func() { tab.late = 0 })
		time.Sleep(notifiedMost)
		wantSeqs(t, take(sub).Events, 2, 3)
	}, "job")

	withHub(t, "goes on without an event that never comes", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		for range 3 {
			tab.add("job", work.EventStatus)
		}
		tab.set(func() { tab.late = 2 })
		hub.Hint("job")
		time.Sleep(notifiedWithin + time.Second)
		wantSeqs(t, take(sub).Events, 1, 3)
		tab.add("job", work.EventStatus)
		hub.Hint("job")
		wantSeqs(t, take(sub).Events, 4)
	}, "job")

	withHub(t, "delivers what was handed over while a watch begins", func(t *testing.T, hub *Hub, tab *table) {
		first, second := tab.add("job", work.EventStatus), tab.add("job", work.EventStatus)
		tab.set(func() { tab.hidden = 1 })
		sub, _ := hub.Subscribe()
		hub.mu.Lock()
		w, _ := hub.watchLocked(sub.(*mailbox), "job")
		hub.mu.Unlock()
		hub.Publish([]work.Event{first, second})
		if err := sub.Watch(t.Context(), "job"); err != nil {
			t.Fatal(err)
		}
		wantSeqs(t, take(sub).Events, 2)
		if w.topic.held != nil {
			t.Errorf("%d events are still held", len(w.topic.held))
		}
	}, "job")

	withHub(t, "reads what it was hinted at while a watch begins", func(t *testing.T, hub *Hub, tab *table) {
		tab.answered = func() {
			tab.add("job", work.EventStatus)
			hub.Hint("job")
		}
		sub := subscribe(t, hub, "job")
		tab.set(func() { tab.answered = nil })
		wantSeqs(t, take(sub).Events, 1)
	}, "job")

	withHub(t, "reads a job once for all its subscribers", func(t *testing.T, hub *Hub, tab *table) {
		var subs []work.Subscription
		for range 1000 {
			subs = append(subs, subscribe(t, hub, "job"))
		}
		tab.add("job", work.EventStatus)
		hub.Hint("job")
		for _, sub := range subs {
			wantSeqs(t, take(sub).Events, 1)
			sub.Close()
		}
		if tab.reads != 1 || tab.polls != 1 {
			t.Errorf("%d reads and %d polls, want one of each", tab.reads, tab.polls)
		}
		if s := hub.Stats(); s.Watched != 0 || s.Subscribers != 0 || s.Delivered != 1000 || s.Reads != 2 {
			t.Errorf("figures %+v", s)
		}
	}, "job")

	withHub(t, "reads a backlog of any size", func(t *testing.T, hub *Hub, tab *table) {
		var jobs []string
		for i := range 3 * readJobs {
			jobs = append(jobs, fmt.Sprint("job", i))
			tab.set(func() { tab.events[jobs[i]] = nil })
		}
		sub := subscribe(t, hub, jobs...)
		for _, job := range jobs {
			for range 3 {
				tab.add(job, work.EventStatus)
			}
		}
		hub.Hint(jobs...)
		if n := len(take(sub).Events); n != 3*len(jobs) {
			t.Errorf("%d events, want %d", n, 3*len(jobs))
		}
	})
}

func TestHubReconciles(t *testing.T) {
	withHub(t, "finds an event without a notification, with one statement for all jobs", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "a", "b", "c")
		before := tab.polls
		tab.add("b", work.EventStatus)
		time.Sleep(safetyPoll + time.Second)
		d := take(sub)
		wantSeqs(t, d.Events, 1)
		if tab.polls-before != 1 || tab.reads != 1 || d.Resync {
			t.Errorf("%d polls and %d reads, want one of each; resync %v", tab.polls-before, tab.reads, d.Resync)
		}
	}, "a", "b", "c")

	withHub(t, "asks nothing while nobody watches", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		sub.Unwatch("job")
		before := tab.polls
		time.Sleep(time.Minute)
		synctest.Wait()
		if tab.polls != before || tab.reads != 0 {
			t.Errorf("%d polls and %d reads, want none", tab.polls-before, tab.reads)
		}
	}, "job")

	withHub(t, "resyncs at once when messages may have been lost", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "a", "b")
		tab.add("a", work.EventStatus)
		tab.add("b", work.EventStatus)
		hub.Resync()
		time.Sleep(time.Millisecond)
		if n := len(take(sub).Events); n != 2 {
			t.Errorf("%d events, want 2", n)
		}
	}, "a", "b")

	for name, notify := range map[string]func(*Hub){
		"reads of events": func(h *Hub) { h.Hint("job") },
		"resyncs":         func(h *Hub) { h.Resync() },
	} {
		withHub(t, "goes on after failed "+name, func(t *testing.T, hub *Hub, tab *table) {
			sub := subscribe(t, hub, "job")
			tab.set(func() { tab.err = errors.New("away") })
			tab.add("job", work.EventStatus)
			notify(hub)
			time.Sleep(2 * time.Second)
			tab.set(func() { tab.err = nil })
			time.Sleep(retryMost)
			d := take(sub)
			wantSeqs(t, d.Events, 1)
			if d.Ended || len(d.Gone) != 0 {
				t.Errorf("got %+v", d)
			}
		}, "job")
	}

	withHub(t, "notifies of deleted jobs, and of those alone", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "a", "b", "c")
		hub.Deleted("a") // it is not
		time.Sleep(time.Millisecond)
		if d := take(sub); len(d.Gone) != 0 {
			t.Errorf("gone %v, want none", d.Gone)
		}
		tab.set(func() { delete(tab.events, "b") })
		hub.Deleted("b")
		time.Sleep(time.Millisecond)
		if d := take(sub); !slices.Equal(d.Gone, []string{"b"}) || d.Ended {
			t.Errorf("got %+v, want b to be gone", d)
		}
		tab.set(func() { delete(tab.events, "c") })
		time.Sleep(safetyPoll + time.Second) // nobody says so
		if d := take(sub); !slices.Equal(d.Gone, []string{"c"}) {
			t.Errorf("gone %v, want c", d.Gone)
		}
		if n := hub.Stats().Watched; n != 1 {
			t.Errorf("%d jobs are watched, want 1", n)
		}
	}, "a", "b", "c")

	withHub(t, "ends the readers of a history that the table has lost", func(t *testing.T, hub *Hub, tab *table) {
		sub, other := subscribe(t, hub, "job"), subscribe(t, hub, "other")
		for range 3 {
			hub.Publish([]work.Event{tab.add("job", work.EventStatus)})
		}
		wantSeqs(t, take(sub).Events, 1, 2, 3)
		tab.set(func() { tab.events["job"] = tab.events["job"][:1] })
		hub.Resync()
		time.Sleep(time.Millisecond)
		if take(sub).Ended {
			t.Error("ended after the first poll")
		}
		time.Sleep(safetyPoll)
		if !take(sub).Ended || take(other).Ended {
			t.Error("want the reader of the lost history to have ended, and no other")
		}
	}, "job", "other")

	withHub(t, "spends at most a tenth of its time on polls", func(t *testing.T, hub *Hub, tab *table) {
		slow := &slowTable{table: tab, takes: 10 * time.Millisecond}
		hub.store = slow
		_ = subscribe(t, hub, "job")
		for range 1000 { // for a second
			hub.Resync()
			time.Sleep(time.Millisecond)
		}
		var polls int
		tab.set(func() { polls = tab.polls })
		if polls < 5 || polls > 12 {
			t.Errorf("%d polls in a second, want about 10", polls)
		}
	}, "job")
}

// slowTable takes its time to answer.
type slowTable struct {
	*table
	takes time.Duration
}

func (s *slowTable) EventSeqs(ctx context.Context, ids []string) (map[string]int64, error) {
	time.Sleep(s.takes)
	return s.table.EventSeqs(ctx, ids)
}

func TestHubAll(t *testing.T) {
	withHub(t, "notifies of jobs that are not watched", func(t *testing.T, hub *Hub, tab *table) {
		all, err := hub.SubscribeAll()
		if err != nil {
			t.Fatal(err)
		}
		some := subscribe(t, hub)
		if err := all.Watch(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		hub.Publish([]work.Event{tab.add("a", work.EventStatus), tab.add("b", work.EventStatus), tab.add("b", work.EventStatus)})
		hub.Hint("c", "a")
		d := take(all)
		slices.Sort(d.Changed)
		wantSeqs(t, d.Events, 1)
		if !slices.Equal(d.Changed, []string{"b", "c"}) || d.Resync {
			t.Errorf("changed %v, resync %v, want b and c", d.Changed, d.Resync)
		}
		hub.Resync()
		if d := take(all); !d.Resync || len(d.Changed) != 0 {
			t.Errorf("got %+v, want a resync", d)
		}
		if d := take(some); len(d.Changed) != 0 || d.Resync || len(d.Events) != 0 {
			t.Errorf("an ordinary subscription got %+v", d)
		}
		time.Sleep(safetyPoll + time.Second)
		if take(all).Resync {
			t.Error("the safety poll says that messages were lost")
		}
	}, "a", "b", "c")

	withHub(t, "asks to read all when too many have changed", func(t *testing.T, hub *Hub, _ *table) {
		all, _ := hub.SubscribeAll()
		for i := range mailboxChanges + 2 {
			hub.Hint(fmt.Sprint(i))
		}
		if d := take(all); !d.Resync || len(d.Changed) != 0 || d.Ended {
			t.Errorf("resync %v, ended %v, %d changed", d.Resync, d.Ended, len(d.Changed))
		}
	})
}

func TestHubInterest(t *testing.T) {
	withHub(t, "follows what is watched", func(t *testing.T, hub *Hub, _ *table) {
		wanted := map[string]int{}
		hub.OnInterest(func(jobID string, watched bool) {
			if watched {
				wanted[jobID]++
			} else if wanted[jobID]--; wanted[jobID] == 0 {
				delete(wanted, jobID)
			}
		})
		check := func(want ...string) {
			t.Helper()
			for id, n := range wanted {
				if n != 1 {
					t.Errorf("interest in %s is counted %d times", id, n)
				}
			}
			if got := slices.Sorted(maps.Keys(wanted)); !slices.Equal(got, want) {
				t.Errorf("interest in %v, want %v", got, want)
			}
		}
		one, two := subscribe(t, hub, "a", "b"), subscribe(t, hub, "b")
		check("a", "b")
		one.Close()
		check("b")
		all, _ := hub.SubscribeAll()
		check(AllJobs, "b")
		two.Unwatch("b")
		all.Close()
		check()
		if sub, _ := hub.Subscribe(); kappa.ErrorCode(sub.Watch(t.Context(), "nobody")) != kappa.CodeNotFound {
			t.Error("an unknown job can be watched")
		}
		check()
	}, "a", "b")
}

func TestHubEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := newTable("job")
		hub, stop := run(tab)
		sub := subscribe(t, hub, "job")
		hub.Publish([]work.Event{tab.add("job", work.EventStatus)})
		stop()
		if d := take(sub); !d.Ended || len(d.Events) != 1 {
			t.Errorf("got %+v, want the event and the end", d)
		}
		sub.Close()
		sub.Close() // once more is harmless
		if !sub.Take().Ended {
			t.Error("a closed subscription has not ended")
		}
		if _, err := hub.Subscribe(); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("subscribing after the end: %v", err)
		}
		if err := sub.Watch(t.Context(), "job"); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("watching after the end: %v", err)
		}
	})
}

// busyTable is a table of which a job gets another event while events are read.
type busyTable struct {
	*table
	hub *Hub
	job string
}

func (b *busyTable) EventsOf(ctx context.Context, after map[string]int64, limit int) ([]work.Event, error) {
	if err := pauseFor(ctx, time.Millisecond); err != nil {
		return nil, err
	}
	list, err := b.table.EventsOf(ctx, after, limit)
	b.add(b.job, work.EventProgress)
	b.hub.Hint(b.job)
	return list, err
}

func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// TestHubBusy has events to read at any time: the hub polls for what was not notified, and
// for jobs that are gone, all the same.
func TestHubBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := &busyTable{table: newTable("busy", "untold", "gone"), job: "busy"}
		tab.hub = NewHub(tab, quiet)
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { _ = tab.hub.Run(ctx) })
		defer group.Wait()
		defer cancel()
		subscribe(t, tab.hub, "busy")
		sub := subscribe(t, tab.hub, "untold", "gone")
		tab.hub.Hint("busy")
		tab.add("untold", work.EventStatus) // its notification is lost
		tab.set(func() { delete(tab.events, "gone") })
		time.Sleep(safetyPoll + time.Second)
		if d := sub.Take(); len(d.Events) != 1 || len(d.Gone) != 1 {
			t.Errorf("%d events and %v gone after the safety poll, want one of each", len(d.Events), d.Gone)
		}
	})
}
