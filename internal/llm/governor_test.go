package llm

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// fakeCalls is the store of one provider's calls, in memory.
type fakeCalls struct {
	mu        sync.Mutex
	limit     int
	next      int64
	calls     []models.LiveCall
	until     time.Time
	failures  int
	loses     bool // the answers to what is queued
	results   []models.CallResult
	withdrawn int
	dropped   bool
	others    bool
}

func (f *fakeCalls) view() models.CallView {
	state := models.ProviderState{Name: "p", ThrottledUntil: f.until, Failures: f.failures}
	limits := models.Limits{Providers: map[string]models.ProviderLimits{"p": {Calls: f.limit}}}
	for _, id := range limits.Grant([]models.ProviderState{state}, f.calls, "", time.Now()) {
		i := slices.IndexFunc(f.calls, func(c models.LiveCall) bool { return c.ID == id })
		f.calls[i].StartedAt = time.Now()
	}
	view := models.CallView{Throttled: map[string]models.ThrottledBy{}, Others: f.others}
	for _, c := range f.calls {
		if c.Runs() {
			view.Granted = append(view.Granted, c.ID)
		}
	}
	if wait := time.Until(f.until); wait > 0 {
		view.Throttled["p"] = models.ThrottledBy{Wait: wait, Reason: "away"}
	}
	return view
}

func (f *fakeCalls) QueueCall(_ context.Context, _ string, c models.Call) (int64, models.CallView, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	f.calls = append(f.calls, models.LiveCall{ID: f.next, Call: c})
	if f.loses {
		return 0, models.CallView{}, errors.New("the answer is lost")
	}
	return f.next, f.view(), nil
}

func (f *fakeCalls) ForgetCall(_ context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = slices.DeleteFunc(f.calls, func(c models.LiveCall) bool { return c.Key == key })
	return nil
}

func (f *fakeCalls) EndCall(_ context.Context, _ string, id int64, _ models.Call, r *models.CallResult) (models.CallView, time.Duration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = slices.DeleteFunc(f.calls, func(c models.LiveCall) bool { return c.ID == id })
	var wait time.Duration
	switch {
	case r == nil:
		f.withdrawn++
	case r.Cut:
		f.results = append(f.results, *r)
	case r.Outage == nil:
		f.results, f.failures, f.until = append(f.results, *r), 0, time.Time{}
	default:
		f.failures++
		wait = max(r.Outage.After, kappa.Backoff(f.failures, 0.5))
		f.results, f.until = append(f.results, *r), time.Now().Add(wait)
	}
	return f.view(), wait, nil
}

func (f *fakeCalls) TendCalls(context.Context, string, []int64) (models.CallView, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view(), nil
}

func (*fakeCalls) TellWaits(context.Context) (int, error) { return 0, nil }

func (f *fakeCalls) DropCalls(context.Context, string) error {
	f.dropped = true
	return nil
}

// govern runs a governor on a store while test runs, in fake time.
func govern(t *testing.T, f *fakeCalls, test func(t *testing.T, g *Governor)) {
	synctest.Test(t, func(t *testing.T) {
		once := func(ctx context.Context, _ string, call func(context.Context) error) error { return call(ctx) }
		g := NewGovernor(GovernorConfig{Store: f, Retry: once, Log: slog.New(slog.DiscardHandler)})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- g.Run(ctx) }()
		test(t, g)
		stop()
		if err := <-done; err != nil || !f.dropped {
			t.Errorf("Run returned %v, calls dropped: %v", err, f.dropped)
		}
		if len(f.calls) != 0 || len(g.waiting) != 0 || len(g.running) != 0 {
			t.Errorf("left %v, %v, %v", f.calls, g.waiting, g.running)
		}
	})
}

var aCall = models.Call{Provider: "p", JobID: "job_1"}

// A call whose queueing was not answered, and that is given up, keeps no slot from others.
func TestLostAnswerToAQueuedCall(t *testing.T) {
	f := &fakeCalls{limit: 1, loses: true}
	govern(t, f, func(t *testing.T, g *Governor) {
		made := func(context.Context) (models.CallResult, error) { return models.CallResult{}, nil }
		if err := g.Call(t.Context(), aCall, made); err == nil {
			t.Error("it was made")
		}
		f.mu.Lock()
		left := len(f.calls)
		f.loses = false
		f.mu.Unlock()
		if left != 0 {
			t.Errorf("%d calls wait that nobody makes", left)
		}
		began := time.Now()
		if err := g.Call(t.Context(), aCall, made); err != nil || time.Since(began) > time.Second {
			t.Errorf("the next one took %s, %v", time.Since(began), err)
		}
	})
}

func TestGovernor(t *testing.T) {
	ok := func(context.Context) (models.CallResult, error) { return models.CallResult{}, nil }
	t.Run("as many calls as allowed run at once, and all are made", func(t *testing.T) {
		f := &fakeCalls{limit: 3}
		govern(t, f, func(t *testing.T, g *Governor) {
			var mu sync.Mutex
			var calls sync.WaitGroup
			now, most := 0, 0
			began := time.Now()
			for range 30 {
				calls.Go(func() {
					err := g.Call(t.Context(), aCall, func(context.Context) (models.CallResult, error) {
						mu.Lock()
						now++
						most = max(most, now)
						mu.Unlock()
						time.Sleep(2 * time.Second)
						mu.Lock()
						now--
						mu.Unlock()
						return models.CallResult{}, nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			if most != 3 || time.Since(began) != 20*time.Second {
				t.Errorf("%d at once, all in %s", most, time.Since(began))
			}
		})
	})
	t.Run("a provider that fails for a moment is called again", func(t *testing.T) {
		f := &fakeCalls{limit: 1}
		govern(t, f, func(t *testing.T, g *Governor) {
			tries := 0
			err := g.Call(t.Context(), aCall, func(context.Context) (models.CallResult, error) {
				if tries++; tries < 3 {
					return models.CallResult{Outage: &models.Outage{Reason: "overloaded"}}, errors.New("overloaded")
				}
				return models.CallResult{}, nil
			})
			if err != nil || tries != 3 {
				t.Errorf("%d tries: %v", tries, err)
			}
		})
	})
	t.Run("one that is away for long has the job wait", func(t *testing.T) {
		f := &fakeCalls{limit: 1}
		govern(t, f, func(t *testing.T, g *Governor) {
			err := g.Call(t.Context(), aCall, func(context.Context) (models.CallResult, error) {
				return models.CallResult{Outage: &models.Outage{Reason: "limited", After: time.Minute}}, errors.New("limited")
			})
			if wait, postponed := kappa.Postponed(err); !postponed || wait < 50*time.Second || kappa.ErrorMessage(err) != "waits for p: limited" {
				t.Errorf("%v, wait %s", err, wait)
			}
			began := time.Now()
			if _, postponed := kappa.Postponed(g.Call(t.Context(), aCall, ok)); !postponed || time.Since(began) > time.Second {
				t.Errorf("the next call waited %s", time.Since(began))
			}
			time.Sleep(time.Minute)
			if err := g.Call(t.Context(), aCall, ok); err != nil {
				t.Errorf("after the minute: %v", err)
			}
		})
	})
	t.Run("calls that wait learn that the provider went away", func(t *testing.T) {
		f := &fakeCalls{limit: 1}
		govern(t, f, func(t *testing.T, g *Governor) {
			var calls sync.WaitGroup
			calls.Go(func() {
				_ = g.Call(t.Context(), aCall, func(context.Context) (models.CallResult, error) {
					time.Sleep(time.Second)
					return models.CallResult{Outage: &models.Outage{Reason: "limited", After: time.Hour}}, errors.New("limited")
				})
			})
			synctest.Wait()
			began := time.Now()
			if _, postponed := kappa.Postponed(g.Call(t.Context(), aCall, ok)); !postponed || time.Since(began) > 2*time.Second {
				t.Errorf("postponed: %v, after %s", postponed, time.Since(began))
			}
			calls.Wait()
		})
	})
	t.Run("a call that is cancelled while it waits is withdrawn", func(t *testing.T) {
		f := &fakeCalls{limit: 0}
		govern(t, f, func(t *testing.T, g *Governor) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(kappa.ErrCancelled) })
			if err := g.Call(ctx, aCall, ok); !errors.Is(err, kappa.ErrCancelled) || f.withdrawn != 1 {
				t.Errorf("%v, %d withdrawn", err, f.withdrawn)
			}
		})
	})
	t.Run("a cancelled call is no outage", func(t *testing.T) {
		f := &fakeCalls{limit: 1}
		govern(t, f, func(t *testing.T, g *Governor) {
			ctx, cancel := context.WithCancelCause(t.Context())
			err := g.Call(ctx, aCall, func(context.Context) (models.CallResult, error) {
				cancel(kappa.ErrCancelled)
				return models.CallResult{Outage: &models.Outage{Reason: "cut"}}, kappa.ErrCancelled
			})
			if !errors.Is(err, kappa.ErrCancelled) || f.failures != 0 {
				t.Errorf("%v, %d failures", err, f.failures)
			}
		})
	})
	t.Run("what another process has ended is seen soon", func(t *testing.T) {
		f := &fakeCalls{limit: 0, others: true}
		govern(t, f, func(t *testing.T, g *Governor) {
			time.AfterFunc(time.Second, func() {
				f.mu.Lock()
				f.limit = 1
				f.mu.Unlock()
			})
			began := time.Now()
			if err := g.Call(t.Context(), aCall, ok); err != nil || time.Since(began) > time.Second+2*pollShared {
				t.Errorf("%v after %s", err, time.Since(began))
			}
		})
	})
}

// TestGovernorBudget has a job reach its budget while calls wait: those that run end, and
// no other one begins.
func TestGovernorBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeCalls{limit: 3}
		budget := func(_ context.Context, job string) error {
			store.mu.Lock()
			defer store.mu.Unlock()
			if job == "job_1" && len(store.results) >= 4 {
				return kappa.Pause(errors.New("enough"))
			}
			return nil
		}
		g := NewGovernor(GovernorConfig{
			Store: store, Holder: "h", Budget: budget, Log: slog.New(slog.DiscardHandler),
			Retry: func(ctx context.Context, _ string, do func(context.Context) error) error { return do(ctx) },
		})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = g.Run(ctx) })
		var made, paused sync.Map
		var calls sync.WaitGroup
		for i := range 20 {
			calls.Go(func() {
				err := g.Call(t.Context(), models.Call{Provider: "p", JobID: "job_1"}, func(context.Context) (models.CallResult, error) {
					made.Store(i, true)
					time.Sleep(time.Second)
					return models.CallResult{}, nil
				})
				if kappa.Paused(err) {
					paused.Store(i, true)
				}
			})
		}
		calls.Wait()
		count := func(m *sync.Map) (n int) { m.Range(func(any, any) bool { n++; return true }); return n }
		// The calls in flight when the fourth one ends.
		if n := count(&made); n < 4 || n > 4+2 {
			t.Errorf("%d calls were made, want 4 and at most the 2 that ran beside the fourth", n)
		}
		if m, p := count(&made), count(&paused); m+p != 20 {
			t.Errorf("%d calls were made and %d paused, of 20", m, p)
		}
		if err := g.Call(t.Context(), models.Call{Provider: "p", JobID: "job_2"}, func(context.Context) (models.CallResult, error) { return models.CallResult{}, nil }); err != nil {
			t.Errorf("another job: %v", err)
		}
		stop()
		running.Wait()
	})
}
