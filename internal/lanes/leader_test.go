package lanes

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// named is an identity that does not change.
func named(id string) func() string { return func() string { return id } }

// electing runs an elector for a while, in fake time.
func electing(lock Leadership, during time.Duration, lead func(ctx context.Context, term int64) error) {
	e := NewElector(ElectorConfig{ID: named("w"), Log: quiet, Dial: func(context.Context) (Leadership, error) { return lock, nil }, Lead: lead})
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { _ = e.Run(ctx) })
	time.Sleep(during)
	cancel()
	group.Wait()
}

// flappingLock is a fakeLock whose connection breaks again and again, soon after
// the lock is won.
type flappingLock struct {
	fakeLock
	calm atomic.Bool // it breaks no more
	wins []time.Time
}

// Campaign wins.
func (l *flappingLock) Campaign(ctx context.Context, id string) (int64, bool, error) {
	term, won, err := l.fakeLock.Campaign(ctx, id)
	if won {
		l.wins = append(l.wins, time.Now())
	}
	return term, won, err
}

// Check fails while the connection flaps.
func (l *flappingLock) Check(ctx context.Context) error {
	if l.calm.Load() {
		return l.fakeLock.Check(ctx)
	}
	return errors.New("the connection broke")
}

// TestQ42_AFlappingLeaderHoldsBack breaks the leader's connection whenever there
// is one: the process campaigns less and less often, down to a term each 5 s, and
// leads again soon after the connection is good. One break in a long while costs
// no more than a second.
func TestQ42_AFlappingLeaderHoldsBack(t *testing.T) {
	work := func(ctx context.Context, _ int64) error { <-ctx.Done(); return nil }
	t.Run("at most one term in 5 s", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			lock := &flappingLock{}
			electing(lock, 10*time.Minute, work)
			for i := 3; i < len(lock.wins); i++ { // it holds back more each time
				if between := lock.wins[i].Sub(lock.wins[i-1]); between < 5*time.Second || between > 15*time.Second {
					t.Errorf("term %d came %s after the last one", i+1, between)
				}
			}
			if len(lock.wins) < 40 {
				t.Errorf("only %d terms in 10 minutes", len(lock.wins))
			}
		})
	})
	t.Run("the next one after a long term comes soon", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			lock := &flappingLock{}
			go func() {
				time.Sleep(time.Minute)
				lock.calm.Store(true)
				time.Sleep(time.Minute)
				lock.calm.Store(false) // for one check
				time.Sleep(leaderCheck)
				lock.calm.Store(true)
			}()
			electing(lock, 4*time.Minute, work)
			last := len(lock.wins) - 1
			if ended := lock.wins[0].Add(2*time.Minute + leaderCheck); lock.wins[last].Sub(ended) > 1500*time.Millisecond || lock.wins[last].Before(ended.Add(-leaderCheck)) {
				t.Errorf("the last term began at %s, the one before ended at about %s", lock.wins[last], ended)
			}
		})
	})
}

// TestElectorWakes has a standby try for the lock when it hears that the leader has gone,
// and soon even when it does not.
func TestElectorWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lock := &fakeLock{}
		lock.set(true, nil)
		var led []time.Time
		e := NewElector(ElectorConfig{
			ID: named("w"), Log: quiet, Dial: func(context.Context) (Leadership, error) { return lock, nil },
			Lead: func(ctx context.Context, _ int64) error { led = append(led, time.Now()); <-ctx.Done(); return nil },
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }()
		time.Sleep(10 * time.Second)
		lock.set(false, nil)
		freed := time.Now()
		e.Wake()
		synctest.Wait()
		if len(led) != 1 || led[0] != freed {
			t.Errorf("led at %v, want at once at %v", led, freed)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// hangs is calls that hang until their contexts end, and how long each did.
type hangs struct {
	mu     sync.Mutex
	begun  []time.Time
	lasted []time.Duration
}

func (h *hangs) hang(ctx context.Context) error {
	began := time.Now()
	<-ctx.Done()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun, h.lasted = append(h.begun, began), append(h.lasted, time.Since(began))
	return ctx.Err()
}

// hangingHouse is a store in which what a leader asks hangs, of the cleanup's
// calls one.
type hangingHouse struct {
	fakeCleanup
	hangs
	ofCleanup string
}

func (h *hangingHouse) Sweep(ctx context.Context, _ int64, within time.Duration, _ int) (work.Sweep, error) {
	return work.Sweep{Next: within}, h.hang(ctx)
}

func (h *hangingHouse) MakeDue(ctx context.Context, within time.Duration) ([]string, time.Duration, error) {
	return nil, within, h.hang(ctx)
}

func (h *hangingHouse) Rescue(ctx context.Context, _ int64, _ int) (map[string]work.Status, error) {
	return nil, h.hang(ctx)
}

func (h *hangingHouse) RecoverStale(ctx context.Context, _ int64, _ int) (map[string]work.Status, error) {
	return nil, h.hang(ctx)
}

func (h *hangingHouse) ExpireJobs(ctx context.Context) (int, error) {
	return 0, h.hang(ctx)
}

func (h *hangingHouse) WaitingTypes(ctx context.Context) ([]string, error) {
	return nil, h.hang(ctx)
}

func (h *hangingHouse) RecountJobs(ctx context.Context, _ int64) (int, error) {
	return 0, h.inCleanup(ctx, "recount")
}

func (h *hangingHouse) PruneScheduleRuns(ctx context.Context, _ int64, _ time.Duration, _ int) (int, error) {
	return 0, h.inCleanup(ctx, "prune")
}

func (h *hangingHouse) PlanCleanup(ctx context.Context, _ time.Duration) (time.Duration, error) {
	return 0, h.inCleanup(ctx, "plan")
}

func (h *hangingHouse) CleanupDone(ctx context.Context, _ time.Duration) error {
	return h.inCleanup(ctx, "done")
}

// inCleanup hangs, or does not because another call of the cleanup does.
func (h *hangingHouse) inCleanup(ctx context.Context, call string) error {
	if h.ofCleanup != "" && h.ofCleanup != call {
		return nil
	}
	return h.hang(ctx)
}

// hangingLanes is a table of lanes that does not answer.
type hangingLanes struct {
	*fakeStore
	*hangs
}

func (h *hangingLanes) Lanes(ctx context.Context) ([]work.Lane, error) { return nil, h.hang(ctx) }

// TestQ43_NoTaskOfTheLeaderHangs has the calls of the leader's tasks hang: each is
// given up within 30 s, and tried again as soon. A task that is cancelled stops
// at once, so that the next leader need not wait for it.
func TestQ43_NoTaskOfTheLeaderHangs(t *testing.T) {
	const most = 30 * time.Second
	tasks := map[string]func(ctx context.Context, h *hangingHouse) error{
		"sweep": func(ctx context.Context, h *hangingHouse) error {
			return NewSweeper(SweeperConfig{Store: h, Wake: func() {}, Overdue: func() {}, Log: quiet}).Run(ctx, 1)
		},
		"stale recovery": func(ctx context.Context, h *hangingHouse) error {
			return NewStale(StaleConfig{Store: h, Log: quiet}).Run(ctx, 1)
		},
		"expiry": func(ctx context.Context, h *hangingHouse) error {
			return NewExpire(ExpireConfig{Store: h, Log: quiet}).Run(ctx)
		},
		"unhandled job types": func(ctx context.Context, h *hangingHouse) error {
			return NewUnhandled(UnhandledConfig{Store: h, Types: workTypes(succeed), Log: quiet}).Run(ctx)
		},
		"lanes": func(ctx context.Context, h *hangingHouse) error {
			s := &hangingLanes{fakeStore: newFakeStore(), hangs: &h.hangs}
			runner := NewRunner(workTypes(succeed), NewFinisher(s, quiet), quiet)
			return NewManager(ManagerConfig{Store: s, Worker: NewWorker(WorkerConfig{Store: s, Dial: noHeartbeat, Log: quiet}, nil), Runner: runner, Log: quiet}).Run(ctx)
		},
	}
	for _, call := range []string{"plan", "prune", "done"} {
		tasks["prune: "+call] = func(ctx context.Context, h *hangingHouse) error {
			h.ofCleanup, h.term = call, 1
			return NewPrune(PruneConfig{Store: h, Every: time.Hour, Log: quiet}).Run(ctx, 1)
		}
	}
	for name, task := range tasks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &hangingHouse{}
				ctx, cancel := context.WithCancel(t.Context())
				var group sync.WaitGroup
				group.Go(func() { _ = task(ctx, h) })
				time.Sleep(20*most + time.Second)
				cancelled := time.Now()
				cancel()
				group.Wait()
				if took := time.Since(cancelled); took != 0 {
					t.Errorf("it stopped after %s", took)
				}
				if len(h.begun) < 10 {
					t.Errorf("%d calls in %s", len(h.begun), 20*most)
				}
				for i, lasted := range h.lasted {
					if lasted > most {
						t.Errorf("call %d hung for %s", i+1, lasted)
					}
					if i > 0 && h.begun[i].Sub(h.begun[i-1])-h.lasted[i-1] > most {
						t.Errorf("call %d came %s after the last one was given up", i+1, h.begun[i].Sub(h.begun[i-1])-h.lasted[i-1])
					}
				}
			})
		})
	}
}

func TestElector(t *testing.T) {
	t.Run("campaigns until it wins, leads, and campaigns again after a loss", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			lock := &fakeLock{taken: true}
			var terms, leading atomic.Int64
			e := NewElector(ElectorConfig{
				ID: named("w"), Log: quiet,
				Dial: func(context.Context) (Leadership, error) { return lock, nil },
				Lead: func(ctx context.Context, term int64) error {
					terms.Store(term)
					leading.Add(1)
					<-ctx.Done()
					leading.Add(-1)
					return nil
				},
			})
			ctx, cancel := context.WithCancel(t.Context())
			var group sync.WaitGroup
			group.Go(func() { _ = e.Run(ctx) })
			time.Sleep(10 * time.Second)
			if terms.Load() != 0 {
				t.Error("leads without the lock")
			}
			lock.set(false, nil)
			time.Sleep(2 * time.Second)
			if leading.Load() != 1 || e.Term() != 1 {
				t.Errorf("leading %d under term %d", leading.Load(), e.Term())
			}
			lock.set(false, errors.New("gone"))
			time.Sleep(leaderCheck + time.Second)
			if leading.Load() != 0 || e.Term() != 0 {
				t.Error("still leads on a dead connection")
			}
			lock.set(false, nil)
			time.Sleep(3 * time.Second)
			if terms.Load() != 2 {
				t.Errorf("leads under term %d, want 2", terms.Load())
			}
			cancel()
			group.Wait()
		})
	})
}

// TestLeaderIsRenamed has the worker of the leader go on under a new identity: it
// is stored by the next check, or the one after when the row is locked, and once.
func TestLeaderIsRenamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lock := &fakeLock{locked: 1}
		began := time.Now()
		id := func() string {
			if time.Since(began) < time.Minute {
				return "first"
			}
			return "second"
		}
		e := NewElector(ElectorConfig{
			ID: id, Log: quiet, Dial: func(context.Context) (Leadership, error) { return lock, nil },
			Lead: func(ctx context.Context, _ int64) error { <-ctx.Done(); return nil },
		})
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { _ = e.Run(ctx) })
		time.Sleep(2 * time.Minute)
		cancel()
		group.Wait()
		if want := []string{"first", "second"}; !slices.Equal(lock.names, want) || lock.locked != 0 {
			t.Errorf("stored %v, want %v; the row was to be locked %d more times", lock.names, want, lock.locked)
		}
	})
}

type fakeLock struct {
	mu     sync.Mutex
	taken  bool
	term   int64
	broken error
	names  []string // that were stored, one after another
	locked int      // how many more times the row is locked
}

func (l *fakeLock) set(taken bool, broken error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken, l.broken = taken, broken
}

func (l *fakeLock) Campaign(_ context.Context, id string) (int64, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil || l.taken {
		return 0, false, l.broken
	}
	l.term++
	l.names = append(l.names, id)
	return l.term, true, nil
}

func (l *fakeLock) Rename(_ context.Context, term int64, id string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locked > 0 {
		l.locked--
		return false, nil
	}
	l.names = append(l.names, id)
	return term == l.term, nil
}

func (l *fakeLock) Check(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

func (l *fakeLock) Close(context.Context) error { return nil }

func noHeartbeat(context.Context) (Heartbeat, error) { return nil, errors.ErrUnsupported }
