package lanes

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestWorker(t *testing.T) {
	t.Run("Q03: stops its jobs before a lease ends that cannot be renewed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			var lost, stopped atomic.Pointer[time.Time]
			r := start(t, s, func(ctx context.Context, _ work.Claim) (json.RawMessage, error) {
				<-ctx.Done()
				now := time.Now()
				stopped.Store(&now)
				return nil, context.Cause(ctx)
			}, func() error {
				if lost.Load() == nil {
					return nil
				}
				return errors.New("no answer")
			})
			time.Sleep(5 * time.Second)
			now := time.Now()
			lost.Store(&now)
			time.Sleep(20 * time.Second)
			if stopped.Load() == nil {
				t.Fatal("the job still runs under a lost lease")
			}
			if after := stopped.Load().Sub(now); after > DefaultLease-DefaultMargin {
				t.Errorf("stopped %s after the last renewal, want at most %s", after, DefaultLease-DefaultMargin)
			}
			o := s.outcomes()["a"]
			if o.Status != work.StatusApproved || o.CountRetry {
				t.Errorf("the job ended as %s (counted %v), want released", o.Status, o.CountRetry)
			}
			r.stop(0)
		})
	})

	t.Run("goes on under a new identity after its lease was taken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore()
			var renewals atomic.Int64
			r := start(t, s, succeed, func() error {
				if renewals.Add(1) == 1 {
					return kappa.ErrLeaseLost
				}
				return nil
			})
			defer r.stop(time.Second)
			time.Sleep(5 * time.Second)
			if c := r.worker.current(); c == nil || c.id == "w" {
				t.Fatalf("the identity is %+v", c)
			} else if id := r.worker.ID(); id != c.id {
				t.Errorf("the worker says that it is %q, not %q", id, c.id)
			}
			s.approve("a")
			time.Sleep(5 * time.Second)
			if o := s.outcomes()["a"]; o.Claim.Worker == "w" || o.Status != work.StatusCompleted {
				t.Errorf("the job ended as %+v", o)
			}
		})
	})

	t.Run("a job that was taken away writes nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			r := start(t, s, hang, nil)
			time.Sleep(time.Second)
			s.mu.Lock()
			delete(s.held, "a")
			s.mu.Unlock()
			time.Sleep(5 * time.Second)
			if n := len(r.runner.runsOf("w")); n != 0 {
				t.Error("the job still runs")
			}
			r.stop(0)
			if len(s.batches) != 0 {
				t.Errorf("stored %v outcomes", s.batches)
			}
		})
	})

	t.Run("gives back claims whose answer was lost, and no others", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("long", "lost")
			s.lanes[0].MaxSlots = 1
			r := start(t, s, func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
				if c.JobID == "long" {
					return hang(ctx, c)
				}
				return nil, nil
			}, nil)
			time.Sleep(10 * time.Second) // the long job is older than any lost claim then
			s.mu.Lock()
			s.loseClaim, s.lanes[0].MaxSlots = true, 2
			s.mu.Unlock()
			r.manager.reread.Wake()
			time.Sleep(claimSettled + 2*DefaultHeartbeat + time.Second)
			s.mu.Lock()
			var got []string
			for _, o := range s.ended {
				got = append(got, o.Claim.JobID+" "+string(o.Status))
				if o.CountRetry {
					t.Errorf("the attempt at %s was counted", o.Claim.JobID)
				}
			}
			s.mu.Unlock()
			if !slices.Equal(got, []string{"lost approved", "lost completed"}) {
				t.Errorf("the jobs ended as %v", got)
			}
			if r.worker.unconfirmed.any() {
				t.Error("the worker still asks")
			}
			r.stop(0)
		})
	})

	t.Run("asks for lost claims also while nothing runs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("lost")
			s.loseClaim = true
			r := start(t, s, succeed, nil)
			time.Sleep(claimSettled + 2*DefaultHeartbeat + time.Second)
			if o := s.outcomes()["lost"]; o.Status != work.StatusCompleted {
				t.Errorf("the job is %q", o.Status)
			}
			r.stop(0)
		})
	})

	t.Run("gives back a claim that is made long after it was given up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore()
			r := start(t, s, succeed, nil)
			time.Sleep(time.Minute) // nothing runs, and no claim is unconfirmed
			s.mu.Lock()
			s.held["late"], s.claimed["late"] = work.HeldClaim{JobID: "late", Token: 1}, time.Now()
			s.mu.Unlock()
			time.Sleep(2*pollIdle + 2*DefaultHeartbeat)
			if o := s.outcomes()["late"]; o.Status != work.StatusCompleted {
				t.Errorf("the job is %q", o.Status)
			}
			r.stop(0)
		})
	})

	t.Run("gives back at a stop what was claimed, and the answer lost", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("lost")
			s.loseClaim = true
			r := start(t, s, succeed, nil)
			time.Sleep(time.Second)
			r.stop(time.Second)
			if o := s.outcomes()["lost"]; o.Status != work.StatusApproved || o.CountRetry {
				t.Errorf("the job is %q (counted %v), want released", o.Status, o.CountRetry)
			}
		})
	})

	t.Run("gives back many claims to a database that is slow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			jobs := make([]string, 1000)
			for i := range jobs {
				jobs[i] = strconv.Itoa(i)
			}
			s := newFakeStore(jobs...)
			s.lanes[0].MaxSlots, s.lanes[0].PollIntervalMS = 2*len(jobs), 120_000
			s.loseClaim, s.finishTime = true, 5*time.Millisecond
			r := start(t, s, hang, nil)
			time.Sleep(time.Minute)
			if n := len(s.outcomes()); n != len(jobs) {
				t.Errorf("%d of %d jobs went back", n, len(jobs))
			}
			r.stop(0)
		})
	})

	t.Run("Q15: sees a cancel without any notification", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			r := start(t, s, hang, nil)
			time.Sleep(time.Second)
			s.mu.Lock()
			s.held["a"] = work.HeldClaim{JobID: "a", Token: 1, CancelRequested: true}
			s.mu.Unlock()
			time.Sleep(DefaultHeartbeat + 100*time.Millisecond)
			if o := s.outcomes()["a"]; o.Status != work.StatusCancelled {
				t.Errorf("the job ended as %q", o.Status)
			}
			r.stop(0)
		})
	})

	t.Run("asks the database at once when a notification says that a job is to stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a", "b")
			r := start(t, s, hang, nil)
			time.Sleep(DefaultHeartbeat / 2)
			polls := s.heldPolls()
			s.mu.Lock()
			s.held["a"] = work.HeldClaim{JobID: "a", Token: 1, CancelRequested: true}
			s.mu.Unlock()
			for _, id := range []string{"a", "b", "unknown"} {
				r.worker.Reconcile(id)
				synctest.Wait() // no time passes
			}
			if got := s.outcomes(); got["a"].Status != work.StatusCancelled || got["b"].Status != "" {
				t.Errorf("the jobs ended as %q and %q", got["a"].Status, got["b"].Status)
			}
			if polls = s.heldPolls() - polls; polls != 2 {
				t.Errorf("the database was asked %d times, want once for each job that runs here", polls)
			}
			r.stop(0)
		})
	})

	t.Run("a notification that nobody's request caused ends nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			r := start(t, s, hang, nil)
			time.Sleep(time.Second)
			for range 100 {
				r.worker.Reconcile("a")
				time.Sleep(100 * time.Millisecond)
			}
			if n, ended := len(r.runner.runsOf("w")), s.outcomes(); n != 1 || len(ended) != 0 {
				t.Errorf("%d jobs run, ended have %v", n, ended)
			}
			r.stop(0)
		})
	})

	t.Run("a notification about the last attempt does not end the next one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			s.lanes[0].PollIntervalMS = 500
			r := start(t, s, hang, nil)
			time.Sleep(time.Second)
			s.takeBack("a") // by the stale timeout, which notifies; the notification is late
			time.Sleep(2 * DefaultHeartbeat)
			if runs := r.runner.runsOf("w"); len(runs) != 1 || runs[0].claim.Token != 2 {
				t.Fatalf("%d attempts run, want the second one", len(runs))
			}
			r.worker.Reconcile("a")
			time.Sleep(time.Minute)
			if n, ended := len(r.runner.runsOf("w")), s.outcomes(); n != 1 || len(ended) != 0 {
				t.Errorf("%d attempts run, ended have %v", n, ended)
			}
			r.stop(0)
		})
	})
}
