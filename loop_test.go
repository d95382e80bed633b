package kappa_test

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
)

// looping runs a Loop under Loops, until the test ends, and returns when its rounds began.
func looping(t *testing.T, l kappa.Loop, round func(n int) (time.Duration, error)) (known *kappa.Loops, began func() []time.Duration) {
	t.Helper()
	start, known := time.Now(), &kappa.Loops{}
	l.Log = slog.New(slog.DiscardHandler)
	var mu sync.Mutex
	var rounds []time.Duration
	ctx, cancel := context.WithCancel(kappa.WithLoops(t.Context(), known))
	ended := make(chan error, 1)
	go func() {
		ended <- l.RunPlanned(ctx, func(context.Context) (time.Duration, error) {
			mu.Lock()
			rounds = append(rounds, time.Since(start))
			n := len(rounds)
			mu.Unlock()
			return round(n)
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if list := known.State(); len(list) != 0 {
			t.Errorf("it has ended, and is still known: %+v", list)
		}
	})
	return known, func() []time.Duration {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(rounds)
	}
}

// in returns a round that plans the next one.
func in(d time.Duration) func(int) (time.Duration, error) {
	return func(int) (time.Duration, error) { return d, nil }
}

func TestLoop(t *testing.T) {
	const s = time.Second
	t.Run("the first round is at once, and each other one a period later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, began := looping(t, kappa.Loop{Every: 10 * s}, in(10*s))
			time.Sleep(25 * s)
			if got := began(); !slices.Equal(got, []time.Duration{0, 10 * s, 20 * s}) {
				t.Errorf("rounds at %v", got)
			}
		})
	})
	t.Run("the first round may be a period later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, began := looping(t, kappa.Loop{Every: 10 * s, Later: true}, in(10*s))
			time.Sleep(15 * s)
			if got := began(); !slices.Equal(got, []time.Duration{10 * s}) {
				t.Errorf("rounds at %v", got)
			}
		})
	})
	t.Run("a wake-up during a round is not lost, and several are one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			wake := kappa.NewWaker()
			_, began := looping(t, kappa.Loop{Every: 10 * s, Wake: wake.C()}, func(int) (time.Duration, error) {
				time.Sleep(2 * s)
				return 10 * s, nil
			})
			time.Sleep(s)
			wake.Wake()
			wake.Wake()
			time.Sleep(10 * s)
			if got := began(); !slices.Equal(got, []time.Duration{0, 2 * s}) {
				t.Errorf("rounds at %v", got)
			}
			time.Sleep(4 * s)
			if got := began(); len(got) != 3 || got[2] != 14*s {
				t.Errorf("rounds at %v, and then a period after the end", got)
			}
		})
	})
	t.Run("what fails is done again after ever longer, and no longer than it says", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			known, began := looping(t, kappa.Loop{Name: "sweeping", Every: time.Hour, Retry: 3 * s}, func(n int) (time.Duration, error) {
				if n > 4 {
					return time.Hour, nil
				}
				return 0, kappa.NewError(kappa.CodeUnavailable, "the database is away")
			})
			time.Sleep(30 * s)
			got := began()
			if len(got) != 5 {
				t.Fatalf("rounds at %v", got)
			}
			for i, least := range []time.Duration{s * 8 / 10, s * 16 / 10, 3 * s, 3 * s} {
				if wait := got[i+1] - got[i]; wait < least || wait > 3*s || i == 0 && wait > s*12/10 {
					t.Errorf("the wait after failure %d is %v", i+1, wait)
				}
			}
			is := known.State()[0]
			if is.Rounds != 5 || is.Failures != 4 || is.FailedInARow != 0 || is.LastError == nil || *is.LastError != "the database is away" || is.Stuck() || is.Name != "sweeping" || is.Period != 3600 {
				t.Errorf("got %+v", is)
			}
		})
	})
	t.Run("the end of its context is no failure", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), s)
			defer cancel()
			if err := (kappa.Loop{Every: s}).Run(ctx, func(ctx context.Context) error { // it would log, and has no log
				<-ctx.Done()
				return ctx.Err()
			}); err != nil {
				t.Error(err)
			}
		})
	})
}

func TestLoopState(t *testing.T) {
	const s = time.Second
	t.Run("a round that hangs is overdue after several periods", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			known, began := looping(t, kappa.Loop{Every: 40 * s}, func(int) (time.Duration, error) {
				<-free
				return 40 * s, nil
			})
			time.Sleep(120 * s)
			began()
			if is := known.State()[0]; is.Stuck() || is.LastRun != nil {
				t.Errorf("after three periods got %+v", is)
			}
			time.Sleep(s)
			if is := known.State()[0]; !is.Stuck() || is.Overdue != 121 {
				t.Errorf("got %+v", is)
			}
			close(free)
			began()
			if is := known.State()[0]; is.Stuck() || is.LastRun == nil || is.Rounds != 1 {
				t.Errorf("after the round got %+v", is)
			}
		})
	})
	t.Run("what fails again and again is stuck", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			known, began := looping(t, kappa.Loop{Every: s}, func(int) (time.Duration, error) { return 0, errors.New("pq: secret") })
			time.Sleep(s / 2)
			began()
			if is := known.State()[0]; is.Stuck() || is.FailedInARow != 1 {
				t.Errorf("got %+v", is)
			}
			time.Sleep(8 * s)
			began()
			if is := known.State()[0]; !is.Stuck() || *is.LastError == "pq: secret" {
				t.Errorf("got %+v: a cause is for the log alone", is)
			}
		})
	})
}
