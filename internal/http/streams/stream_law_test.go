package streams

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa/work"
)

// TestStreamLaw lets a job run its course while clients come and go, and while
// its events are notified late or twice. Whatever the schedule, each client sees
// every event after its first snapshot once and in order, but for progress that
// later progress has overtaken, up to the terminal one, and is then asked not to
// come back (S05, S07).
func TestStreamLaw(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			b := withHistory(r.IntN(4), work.StatusProcessing)
			b.slow = 500 * time.Microsecond
			url := []func(testing.TB, Config) string{listen, listenWithin}[seed%2](t, testConfig(b))
			var clients sync.WaitGroup
			for range 3 {
				rounds := rand.New(rand.NewPCG(seed, r.Uint64()))
				clients.Go(func() { followToTheEnd(t, b, url, rounds) })
			}
			runJob(b, r)
			clients.Wait()
		})
	}
}

// runJob commits a random number of events and notifies of them as it likes.
func runJob(b *backend, r *rand.Rand) {
	var notified []work.Event
	notify := func(e work.Event) {
		notified = append(notified, e)
		for range r.IntN(3) { // not yet, once or twice
			b.deliver(notified[max(0, len(notified)-1-r.IntN(3)*r.IntN(2))]) // or an old one again
		}
	}
	for range 5 + r.IntN(40) {
		if r.IntN(5) == 0 {
			notify(b.commit(knownJob, work.EventStatus, `{}`))
		}
		notify(b.commit(knownJob, work.EventProgress, `{}`))
		if r.IntN(3) == 0 {
			<-time.After(time.Duration(r.IntN(2000)) * time.Microsecond)
		}
	}
	notify(b.commit(knownJob, work.EventStatus, `{}`))
	b.deliver(b.commit(knownJob, work.EventCompleted, `{}`))
}

// followToTheEnd follows the job, leaving and coming back at random.
func followToTheEnd(t *testing.T, b *backend, url string, r *rand.Rand) {
	last := int64(-1) // nothing seen
	for {
		id := ""
		if last >= 0 {
			id = strconv.FormatInt(last, 10)
		}
		w := openWatch(t, url, id)
		if w.resp.StatusCode == nethttp.StatusNoContent {
			t.Errorf("asked to stay away after event %d, before the end", last)
			return
		}
		over, err := readSome(w, b, &last, 1+r.IntN(12))
		w.cancel()
		if err != nil {
			t.Error(err)
			return
		}
		if over {
			break
		}
	}
	if resp := openWatch(t, url, strconv.FormatInt(last, 10)).resp; resp.StatusCode != nethttp.StatusNoContent {
		t.Errorf("status %d after the end, want 204", resp.StatusCode)
	}
}

// readSome reads up to n events and checks their numbers.
func readSome(w *watch, b *backend, last *int64, n int) (over bool, err error) {
	for range n {
		f, err := readFrame(w.r)
		if err != nil {
			return false, fmt.Errorf("after event %d: %w", *last, err)
		}
		switch {
		case f.event == "snapshot" && *last < 0:
			*last = f.id
		case f.id <= *last || !overtaken(b, *last+1, f):
			return false, fmt.Errorf("event %d %s after %d", f.id, f.event, *last)
		default:
			*last = f.id
		}
		if f.event == "completed" {
			return true, nil
		}
	}
	return false, nil
}

// overtaken reports whether the known job's events from seq up to f are
// progress, as f is if there are any.
func overtaken(b *backend, seq int64, f frame) bool { return overtakenOf(b, knownJob, seq, f) }

func overtakenOf(b *backend, id string, seq int64, f frame) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events[id] {
		if seq <= e.Seq && e.Seq < f.id && (e.Kind != work.EventProgress || f.event != string(work.EventProgress)) {
			return false
		}
	}
	return true
}
