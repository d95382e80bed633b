package notify

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// BenchmarkFanOut measures how long it takes until the last of many readers has
// taken one event.
func BenchmarkFanOut(b *testing.B) {
	for _, readers := range []int{1000, 5000} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) {
			tab := newTable("job")
			hub, stop := run(tab)
			var running, round sync.WaitGroup
			for range readers {
				sub := subscribe(b, hub, "job")
				running.Go(func() {
					for range sub.Ready() {
						d := sub.Take()
						round.Add(-len(d.Events))
						if d.Ended {
							return
						}
					}
				})
			}
			var publishing time.Duration
			for b.Loop() {
				round.Add(readers)
				e := tab.add("job", work.EventStatus)
				began := time.Now()
				hub.Publish([]work.Event{e})
				publishing += time.Since(began)
				round.Wait()
			}
			b.ReportMetric(float64(publishing.Microseconds())/float64(b.N), "µs-publish/op")
			stop()
			running.Wait()
		})
	}
}

// TestIdleSubscriptions holds many subscriptions to a job each.
func TestIdleSubscriptions(t *testing.T) {
	const n, most = 10_000, 2048 // bytes each
	tab := newTable()
	jobs := make([]string, n)
	for i := range jobs {
		jobs[i] = fmt.Sprintf("job_%012x", i)
		tab.events[jobs[i]] = nil
	}
	hub, stop := run(tab)
	defer stop()
	subs := make([]work.Subscription, n)
	before := heap()
	for i, job := range jobs {
		subs[i] = subscribe(t, hub, job)
	}
	each := (heap() - before) / n
	t.Logf("%d bytes for each subscription", each)
	if each > most {
		t.Errorf("%d bytes for each subscription, want at most %d", each, most)
	}
	for i, sub := range subs { // what was taken leaves nothing behind
		hub.Publish([]work.Event{tab.add(jobs[i], work.EventStatus)})
		if len(sub.Take().Events) != 1 {
			t.Fatal("no event")
		}
		if m := sub.(*mailbox); m.next.Events != nil {
			t.Fatal("an empty mailbox holds memory for events")
		}
		sub.Close()
	}
	if s := hub.Stats(); s.Watched != 0 || s.Subscribers != 0 || len(hub.dirty) != 0 {
		t.Errorf("left over: %+v", s)
	}
}

// heap returns the bytes in use after a collection.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
