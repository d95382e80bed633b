package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestTurns: one owner asks for far more than there is, and another one now and then.
func TestTurns(t *testing.T) {
	t.Run("who floods keeps nobody waiting, and is refused beyond the bound", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := newTurns(4)
			ctx, stop := context.WithCancel(t.Context())
			var group sync.WaitGroup
			refused := 0
			for range 12 {
				group.Go(func() {
					leave, err := turns.enter(ctx, "flood", 8)
					if errors.Is(err, errFlood) {
						refused++
						return
					}
					if err == nil {
						<-ctx.Done() // an endless question
						leave()
					}
				})
				synctest.Wait()
			}
			if refused != 2 || turns.running["flood"] != 2 || len(turns.waiting["flood"]) != 8 {
				t.Errorf("%d refused, %d run, %d wait", refused, turns.running["flood"], len(turns.waiting["flood"]))
			}
			begin := time.Now()
			for range 6 {
				leave, err := turns.enter(t.Context(), "other", 8)
				if err != nil || time.Since(begin) > 0 {
					t.Fatalf("another one waited %s: %v", time.Since(begin), err)
				}
				leave()
			}
			stop()
			group.Wait()
			if turns.busy != 0 || len(turns.order)+len(turns.waiting)+len(turns.running) != 0 {
				t.Errorf("left behind: %+v", turns)
			}
		})
	})
	t.Run("owners take turns", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := newTurns(1)
			hold, _ := turns.enter(t.Context(), "x", 0)
			var got []string
			var group sync.WaitGroup
			for _, owner := range []string{"a", "a", "a", "b", "b", "c"} {
				group.Go(func() {
					leave, _ := turns.enter(t.Context(), owner, 0)
					got = append(got, owner)
					leave()
				})
				synctest.Wait()
			}
			hold()
			group.Wait()
			if !slices.Equal(got, []string{"a", "b", "c", "a", "b", "a"}) {
				t.Errorf("got %v", got)
			}
		})
	})
	t.Run("in any order of coming and going the limits hold, and nobody is forgotten", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			workers := rapid.IntRange(1, 5).Draw(r, "workers")
			turns := newTurns(workers)
			type task struct {
				owner  string
				cancel context.CancelFunc
				leave  chan func()
			}
			var running []task
			for range rapid.IntRange(1, 40).Draw(r, "steps") {
				if len(running) > 0 && rapid.Bool().Draw(r, "end") {
					i := rapid.IntRange(0, len(running)-1).Draw(r, "which")
					if rapid.Bool().Draw(r, "cancel") {
						running[i].cancel()
					}
					select {
					case leave := <-running[i].leave:
						if leave != nil {
							leave()
						}
						running = slices.Delete(running, i, i+1)
					case <-time.After(0):
					}
				} else {
					ctx, cancel := context.WithCancel(context.Background())
					k := task{fmt.Sprint(rapid.IntRange(0, 3).Draw(r, "owner")), cancel, make(chan func(), 1)}
					go func() {
						leave, _ := turns.enter(ctx, k.owner, 3)
						k.leave <- leave
					}()
					running = append(running, k)
				}
				turns.mu.Lock()
				busy := turns.busy
				for _, n := range turns.running {
					if n > turns.each {
						r.Errorf("an owner has %d of %d workers", n, workers)
					}
				}
				turns.mu.Unlock()
				if busy > workers {
					r.Fatalf("%d of %d workers", busy, workers)
				}
			}
			for _, k := range running {
				k.cancel()
			}
			for _, k := range running {
				if leave := <-k.leave; leave != nil {
					leave()
				}
			}
			if turns.busy != 0 || len(turns.order)+len(turns.waiting)+len(turns.running) != 0 {
				r.Fatalf("left behind: %+v", turns)
			}
		})
	})
}
