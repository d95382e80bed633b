package lanes

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestBatch(t *testing.T) {
	// runAll works on jobs with their numbers as types, and returns how often each
	// was begun.
	runAll := func(t *testing.T, n int, handler func(i int)) map[string]int {
		var mu sync.Mutex
		begun := map[string]int{}
		f := NewFinisher(newFakeStore(), quiet)
		r := NewRunner(workTypes(func(_ context.Context, c work.Claim) (json.RawMessage, error) {
			mu.Lock()
			begun[c.JobID]++
			mu.Unlock()
			handler(c.Attempt)
			return nil, nil
		}), f, quiet)
		claims := make([]work.Claim, n)
		for i := range claims {
			claims[i] = work.Claim{JobID: strconv.Itoa(i), JobType: "work", Attempt: i}
		}
		r.start(t.Context(), claims, &Lane{wake: kappa.NewWaker()})
		r.workers.Wait()
		f.refuse(f.queue.close()...)
		if len(r.running) != 0 {
			t.Errorf("%d runs are left", len(r.running))
		}
		return begun
	}
	check := func(t *testing.T, begun map[string]int, n int) {
		for i := range n {
			if times := begun[strconv.Itoa(i)]; times != 1 {
				t.Errorf("job %d was begun %d times", i, times)
			}
		}
	}

	t.Run("all of its jobs run at the same time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const n = 100
			var all sync.WaitGroup // each job waits for all others to begin
			all.Add(n)
			check(t, runAll(t, n, func(int) {
				all.Done()
				all.Wait()
			}), n)
		})
	})

	t.Run("a job that waits holds up nobody, wherever it stands", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const n = 100
			last := make(chan struct{})
			check(t, runAll(t, n, func(i int) {
				switch {
				case i == n-1:
					close(last)
				case i%7 == 0 || i == n-2:
					<-last
				}
			}), n)
		})
	})

	t.Run("each job runs once, when many goroutines take them", func(t *testing.T) {
		const n = 20_000
		check(t, runAll(t, n, func(int) { runtime.Gosched() }), n)
	})
}
