package lanes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// stubborn is handlers that ignore their contexts in the first attempt at a job, and
// succeed in the next one.
type stubborn struct{ released chan struct{} }

func newStubborn() *stubborn { return &stubborn{make(chan struct{})} }

func (s *stubborn) work(_ context.Context, c work.Claim) (json.RawMessage, error) {
	if strings.HasPrefix(c.JobID, "stubborn") && c.Token <= 9 {
		s.ignoreTheContext()
	}
	return json.RawMessage(`{}`), nil
}

func (s *stubborn) ignoreTheContext() { <-s.released }

// release lets the handlers return.
func (s *stubborn) release() { close(s.released) }

// watch runs the Orphans of a rig until the test's time in the bubble is over.
func (r *rig) watch(t *testing.T) (*Orphans, func()) {
	t.Helper()
	o := NewOrphans(r.runner, quiet)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := o.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	return o, func() {
		cancel()
		<-done
	}
}

func TestOrphans(t *testing.T) {
	const soon = DefaultHeartbeat + (orphanRounds+2)*orphanEvery // after the claim is gone

	t.Run("a handler that does not return holds no slot once its claim is gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("stubborn")
			s.lanes[0].MaxSlots = 1
			s.token = 9 - 1 // the next one is not stubborn any more
			h := newStubborn()
			r := start(t, s, h.work, nil)
			orphans, end := r.watch(t)
			defer end()
			time.Sleep(time.Second)
			s.approve("other")
			time.Sleep(10 * time.Second)
			if n := len(s.outcomes()); n != 0 {
				t.Fatalf("%d jobs have ended beside the one that holds the only slot", n)
			}
			s.takeBack("stubborn") // by the stale timeout
			r.worker.Reconcile("stubborn")
			time.Sleep(10 * time.Millisecond)
			if got := s.outcomes(); got["other"].Status != work.StatusCompleted || got["stubborn"].Status != work.StatusCompleted {
				t.Errorf("ended have %v, want both jobs in the slot that came free", got)
			}
			if n := len(orphans.List()); n != 0 {
				t.Errorf("%d orphans at once, want none: the handler may be about to return", n)
			}
			time.Sleep(soon)
			list := orphans.List()
			if len(list) != 1 || list[0].JobID != "stubborn" || list[0].JobType != "work" || list[0].Attempt != 1 {
				t.Fatalf("the orphans are %+v", list)
			}
			if lines := strings.Split(list[0].Stack, "\n"); !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "ignoreTheContext orphans_test.go:") }) ||
				!strings.Contains(lines[len(lines)-1], ".(*Runner).handle") {
				t.Errorf("its stack is\n%s", list[0].Stack)
			}
			began := time.Now()
			r.stop(time.Minute)
			if took := time.Since(began); took != 0 {
				t.Errorf("the stop took %s, want that it does not wait for the orphan", took)
			}
			stored := len(s.ended)
			h.release()
			time.Sleep(2 * orphanEvery)
			if n := len(orphans.List()); n != 0 || len(s.ended) != stored {
				t.Errorf("%d orphans, and %d outcomes were stored after it had returned", n, len(s.ended)-stored)
			}
		})
	})

	t.Run("nor once the lease of its worker is lost", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("stubborn")
			s.lanes[0].MaxSlots = 1
			s.token = 9 - 1
			h := newStubborn()
			lost := false
			r := start(t, s, h.work, func() error {
				if time.Sleep(time.Millisecond); !lost {
					lost = true
					return kappa.ErrLeaseLost
				}
				return nil
			})
			orphans, end := r.watch(t)
			defer end()
			time.Sleep(DefaultHeartbeat + time.Second)
			s.takeBack("stubborn") // by the leader
			s.approve("other")
			r.manager.WakeAll()
			time.Sleep(10 * time.Millisecond)
			if got := s.outcomes(); got["other"].Status != work.StatusCompleted {
				t.Errorf("ended have %v, want the other job in the slot that came free", got)
			}
			time.Sleep(soon)
			if list := orphans.List(); len(list) != 1 || list[0].JobID != "stubborn" {
				t.Errorf("the orphans are %+v", list)
			}
			if n := r.runner.Running(); n != 0 {
				t.Errorf("%d jobs run", n)
			}
			r.stop(0)
			h.release()
		})
	})

	t.Run("a handler that ignores a cancel is reported, and keeps its slot as long as its claim", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("stubborn", "other")
			s.lanes[0].MaxSlots = 1
			h := newStubborn()
			r := start(t, s, h.work, nil)
			orphans, end := r.watch(t)
			defer end()
			time.Sleep(time.Second)
			s.mu.Lock()
			s.held["stubborn"] = work.HeldClaim{JobID: "stubborn", Token: 1, CancelRequested: true}
			s.mu.Unlock()
			time.Sleep(soon)
			if n, ended := len(orphans.List()), s.outcomes(); n != 1 || len(ended) != 0 {
				t.Errorf("%d orphans, ended have %v", n, ended)
			}
			h.release()
			time.Sleep(2 * time.Second)
			if got := s.outcomes(); got["other"].Status != work.StatusCompleted || len(orphans.List()) != 0 {
				t.Errorf("after it has returned ended have %v, the orphans are %v", got, orphans.List())
			}
			r.stop(0)
		})
	})

	t.Run("a handler that stops within seconds is not reported, nor while the process was stopped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("stubborn")
			s.token = 9 - 1
			h := newStubborn()
			r := start(t, s, h.work, nil)
			o := NewOrphans(r.runner, quiet)
			time.Sleep(time.Second)
			s.takeBack("stubborn")
			time.Sleep(DefaultHeartbeat)
			o.runOnce(t.Context())
			time.Sleep(time.Hour) // the process is stopped: the next round is late
			for range orphanRounds - 1 {
				o.runOnce(t.Context())
			}
			if list := o.List(); len(list) != 0 {
				t.Errorf("the orphans are %+v", list)
			}
			o.runOnce(t.Context())
			if list := o.List(); len(list) != 1 {
				t.Errorf("the orphans are %+v", list)
			}
			h.release()
			r.stop(time.Second)
		})
	})

	t.Run("above the limit the server says that it should be restarted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			jobs := make([]string, work.MaxOrphans)
			for i := range jobs {
				jobs[i] = fmt.Sprintf("stubborn-%d", i)
			}
			s := newFakeStore(jobs...)
			s.lanes[0].MaxSlots = work.MaxOrphans + 1
			h := newStubborn()
			r := start(t, s, h.work, nil)
			orphans, end := r.watch(t)
			defer end()
			loseAll := func() {
				time.Sleep(time.Second)
				s.mu.Lock()
				clear(s.held)
				s.mu.Unlock()
				time.Sleep(soon)
			}
			loseAll()
			if err := orphans.Check(); err != nil || len(orphans.List()) != work.MaxOrphans {
				t.Errorf("with %d orphans the check says %v", len(orphans.List()), err)
			}
			s.approve("stubborn-more")
			r.manager.WakeAll()
			loseAll()
			if err := orphans.Check(); kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.Contains(err.Error(), "restart the server") {
				t.Errorf("with %d orphans the check says %v", len(orphans.List()), err)
			}
			h.release()
			time.Sleep(2 * orphanEvery)
			if err := orphans.Check(); err != nil {
				t.Errorf("after they have returned the check says %v", err)
			}
			r.stop(0)
		})
	})
}
