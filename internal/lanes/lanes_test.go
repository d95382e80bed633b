package lanes

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// fakeStore is the database as the lanes see it: a queue of approved jobs and
// the claims on them.
type fakeStore struct {
	mu          sync.Mutex
	lanes       []kappa.Lane
	queue       []kappa.Claim
	token       int64
	held        map[string]kappa.HeldClaim
	ended       []kappa.Outcome
	batches     []int // outcomes in each Finish
	claims      int   // calls of Claim
	asked       kappa.ClaimRequest
	claimErr    error
	claimed     map[string]time.Time
	loseClaim   bool // the next claim is made, and its answer lost
	finishErr   error
	finishTime  time.Duration // of each outcome
	finishing   func()        // called in Finish
	claiming    func()        // called in Claim
	lanesErr    error
	registerErr error
	polls       int // calls of Held
	ceiling     int // of slots
}

func newFakeStore(jobs ...string) *fakeStore {
	s := &fakeStore{
		held: map[string]kappa.HeldClaim{}, claimed: map[string]time.Time{},
		lanes: []kappa.Lane{{Name: "interactive", JobTypes: []string{"work"}, MaxSlots: 2, PollIntervalMS: 2000, Enabled: true}},
	}
	s.approve(jobs...)
	return s
}

func (s *fakeStore) approve(jobs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range jobs {
		s.queue = append(s.queue, kappa.Claim{JobID: id, JobType: "work", MaxRetries: 3})
	}
}

func (s *fakeStore) Lanes(context.Context) ([]kappa.Lane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]kappa.Lane(nil), s.lanes...), s.lanesErr
}

// Claim makes a claim whatever becomes of ctx; but whoever does not wait for the
// answer does not learn of it.
func (s *fakeStore) Claim(ctx context.Context, r kappa.ClaimRequest) (kappa.ClaimBatch, error) {
	if s.claiming != nil {
		s.claiming()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims++
	s.asked = r
	if s.claimErr != nil {
		return kappa.ClaimBatch{}, s.claimErr
	}
	for _, l := range s.lanes {
		if l.Name == r.Lane && !l.Enabled {
			return kappa.ClaimBatch{}, nil
		}
	}
	var claims []kappa.Claim
	for len(s.queue) > 0 && len(claims) < r.Most {
		c := s.queue[0]
		s.queue = s.queue[1:]
		s.token++
		c.Token, c.Worker, c.Lane, c.Attempt = s.token, r.Worker, r.Lane, c.Attempt+1
		c.ClaimedAt = time.Now()
		s.held[c.JobID], s.claimed[c.JobID] = kappa.HeldClaim{JobID: c.JobID, Token: c.Token}, c.ClaimedAt
		claims = append(claims, c)
	}
	if (s.loseClaim || ctx.Err() != nil) && len(claims) > 0 {
		s.loseClaim = false
		return kappa.ClaimBatch{}, kappa.NewError(kappa.CodeUnavailable, "the answer is lost")
	}
	return kappa.ClaimBatch{Claims: claims}, nil
}

func (s *fakeStore) Locked(context.Context, []string) ([]string, error) { return nil, nil }

func (s *fakeStore) Finish(ctx context.Context, _ string, outcomes []kappa.Outcome) (map[string]kappa.Status, error) {
	if s.finishing != nil {
		s.finishing()
	}
	if s.finishTime > 0 {
		select {
		case <-ctx.Done():
			return nil, kappa.NewError(kappa.CodeUnavailable, "the database took too long")
		case <-time.After(time.Duration(len(outcomes)) * s.finishTime):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, len(outcomes))
	if s.finishErr != nil {
		return nil, s.finishErr
	}
	statuses := map[string]kappa.Status{}
	for _, o := range outcomes {
		if h, ok := s.held[o.Claim.JobID]; ok && h.Token == o.Claim.Token {
			delete(s.held, o.Claim.JobID)
			s.ended = append(s.ended, o)
			if o.Status == kappa.StatusApproved {
				s.queue = append(s.queue, kappa.Claim{JobID: o.Claim.JobID, JobType: "work", MaxRetries: 3})
			}
			statuses[o.Claim.JobID] = o.Status
		}
	}
	return statuses, nil
}

func (s *fakeStore) outcomes() map[string]kappa.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := map[string]kappa.Outcome{}
	for _, o := range s.ended {
		m[o.Claim.JobID] = o
	}
	return m
}

// heldPolls returns how often the database was asked what is held.
func (s *fakeStore) heldPolls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polls
}

// takeBack makes a job approved again, as stale recovery does.
func (s *fakeStore) takeBack(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
	s.queue = append(s.queue, kappa.Claim{JobID: id, JobType: "work", MaxRetries: 3})
}

func (s *fakeStore) Register(context.Context, kappa.Worker, string, time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registerErr
}
func (s *fakeStore) Unregister(context.Context, string) error { return nil }

// fakeHeartbeat renews as renew says; nil renews always.
type fakeHeartbeat struct {
	store *fakeStore
	renew func() error
}

func (h fakeHeartbeat) Renew(ctx context.Context, _ string, _ time.Duration) error {
	if h.renew == nil {
		return nil
	}
	return h.renew()
}

func (h fakeHeartbeat) Held(context.Context, string) ([]kappa.HeldClaim, error) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.polls++
	var held []kappa.HeldClaim
	for id, c := range h.store.held {
		c.Age = time.Since(h.store.claimed[id])
		held = append(held, c)
	}
	return held, nil
}

func (h fakeHeartbeat) Close(context.Context) error { return nil }

// rig is a worker with its lanes.
type rig struct {
	store    *fakeStore
	runner   *Runner
	manager  *Manager
	finisher *Finisher
	worker   *Worker
	stop     func(grace time.Duration) // as the server stops: claims first, then jobs, then the rest
}

func start(t *testing.T, s *fakeStore, handler kappa.Handler, renew func() error) *rig {
	t.Helper()
	r := &rig{store: s, finisher: NewFinisher(s, quiet)}
	r.runner = NewRunner(workTypes(handler), r.finisher, quiet)
	r.worker = NewWorker(WorkerConfig{
		ID: "w", Store: s, Log: quiet, Live: func() { r.manager.WakeAll() },
		Dial: func(context.Context) (Heartbeat, error) { return fakeHeartbeat{s, renew}, nil },
	}, r.runner)
	r.manager = NewManager(ManagerConfig{Store: s, Worker: r.worker, Runner: r.runner, Ceiling: s.ceiling, Log: quiet})
	var groups [3]sync.WaitGroup
	var cancels [3]context.CancelFunc
	for i, run := range []func(context.Context) error{r.finisher.Run, r.worker.Run, r.manager.Run} {
		ctx, cancel := context.WithCancel(context.Background())
		cancels[i] = cancel
		groups[i].Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	r.stop = func(grace time.Duration) {
		cancels[2]()
		groups[2].Wait()
		r.runner.Drain(context.Background(), grace)
		for _, i := range []int{1, 0} {
			cancels[i]()
			groups[i].Wait()
		}
	}
	return r
}

// workTypes are the job type work, with a handler.
func workTypes(handler kappa.Handler) *kappa.JobTypes {
	types, err := kappa.NewJobTypes(kappa.JobType{Name: "work", Lane: "interactive", Handler: handler})
	if err != nil {
		panic(err)
	}
	return types
}

func succeed(context.Context, kappa.Claim) (json.RawMessage, error) {
	return json.RawMessage(`{}`), nil
}

// hang works until its context ends.
func hang(ctx context.Context, _ kappa.Claim) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func TestLane(t *testing.T) {
	t.Run("works on what waits, and on what comes at the next poll without any wake-up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a", "b", "c")
			r := start(t, s, succeed, nil)
			defer r.stop(time.Second)
			time.Sleep(3 * time.Second) // fake time: returns at once
			if n := len(s.outcomes()); n != 3 {
				t.Fatalf("%d jobs have ended, want 3", n)
			}
			s.approve("d")
			time.Sleep(2200 * time.Millisecond) // the poll interval and its jitter
			if _, ok := s.outcomes()["d"]; !ok {
				t.Error("the poll did not find the job")
			}
		})
	})

	t.Run("starts at once when woken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore()
			r := start(t, s, succeed, nil)
			defer r.stop(time.Second)
			time.Sleep(2500 * time.Millisecond)
			s.approve("a")
			r.manager.Wake("interactive")
			synctest.Wait() // no time passes
			if _, ok := s.outcomes()["a"]; !ok {
				t.Error("the wake-up did not start the job")
			}
		})
	})

	t.Run("claims again when slots come free, and does not wait for the poll", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a", "b", "c", "d", "e")
			r := start(t, s, succeed, nil)
			defer r.stop(time.Second)
			time.Sleep(100 * time.Millisecond)
			if n := len(s.outcomes()); n != 5 {
				t.Errorf("%d jobs have ended in 2 slots, want 5", n)
			}
		})
	})

	t.Run("fills more slots than one claim takes without waiting for anything", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const slots = 2*maxClaim + 1
			jobs := make([]string, slots+1)
			for i := range jobs {
				jobs[i] = strconv.Itoa(i)
			}
			s := newFakeStore(jobs...)
			s.lanes[0].MaxSlots = slots
			r := start(t, s, hang, nil)
			defer r.stop(0)
			synctest.Wait() // no time passes
			if n := len(r.runner.runsOf("w")); n != slots || s.claims != 3 {
				t.Errorf("%d jobs run after %d claims, want %d after 3", n, s.claims, slots)
			}
		})
	})

	t.Run("reads more jobs than it claims after a claim that got too few, for some may be locked", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a", "b")
			r := start(t, s, hang, nil)
			defer r.stop(0)
			spare := func(wait time.Duration) int {
				time.Sleep(wait)
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.asked.Spare
			}
			first := spare(time.Millisecond)
			s.mu.Lock()
			s.lanes[0].MaxSlots = 3
			s.mu.Unlock()
			r.manager.reread.Wake()
			without := spare(2 * rereadPause) // it got nothing
			if with := spare(3 * time.Second); first != 0 || without != 0 || with != spareJobs {
				t.Errorf("it reads %d, %d and %d more, want 0, 0 and %d", first, without, with, spareJobs)
			}
		})
	})

	t.Run("tries again soon when the database was away, and not too often", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			s.lanes[0].PollIntervalMS = 60_000
			s.claimErr = kappa.NewError(kappa.CodeUnavailable, "away")
			r := start(t, s, succeed, nil)
			defer r.stop(time.Second)
			time.Sleep(time.Second)
			s.mu.Lock()
			if s.claims > 6 {
				t.Errorf("%d claims in a second of failures, want at most 6", s.claims)
			}
			s.claimErr = nil
			s.mu.Unlock()
			time.Sleep(time.Second)
			if _, ok := s.outcomes()["a"]; !ok {
				t.Error("a second after the database came back the job was not claimed")
			}
		})
	})

	t.Run("keeps to its slots, and takes over new ones without a restart", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a", "b", "c", "d", "e")
			r := start(t, s, hang, nil)
			time.Sleep(time.Second)
			if n := len(r.runner.runsOf("w")); n != 2 {
				t.Errorf("%d jobs run in 2 slots", n)
			}
			s.mu.Lock()
			s.lanes[0].MaxSlots, s.lanes[0].UpdatedAt = 4, kappa.At(time.Now())
			s.mu.Unlock()
			r.manager.Wake("interactive")
			time.Sleep(time.Second)
			if n := len(r.runner.runsOf("w")); n != 4 {
				t.Errorf("%d jobs run in 4 slots", n)
			}
			r.stop(0)
		})
	})

	t.Run("keeps to the ceiling, whatever its row says", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a", "b", "c", "d", "e")
			s.lanes[0].MaxSlots, s.ceiling = 40, 3
			r := start(t, s, hang, nil)
			time.Sleep(time.Minute)
			n := len(r.runner.runsOf("w"))
			r.stop(0)
			if n != 3 || s.asked.Ceiling != 3 {
				t.Errorf("%d jobs run, and the claim asked for a ceiling of %d, want 3", n, s.asked.Ceiling)
			}
			if want := []string{`lane "interactive" has max_slots 40, of which it uses 3: the ceiling is MAX_LANE_SLOTS`}; !slices.Equal(r.manager.warnings, want) {
				t.Errorf("it warns of %q, want %q", r.manager.warnings, want)
			}
		})
	})

	t.Run("a new lane starts and a removed one stops without a restart", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore()
			lanes := s.lanes
			s.lanes = nil
			r := start(t, s, succeed, nil)
			defer r.stop(time.Second)
			s.approve("a")
			time.Sleep(10 * time.Second)
			if n := len(s.outcomes()); n != 0 {
				t.Fatalf("%d jobs ended without a lane", n)
			}
			s.mu.Lock()
			s.lanes = lanes
			s.mu.Unlock()
			time.Sleep(6 * time.Second)
			if n := len(s.outcomes()); n != 1 {
				t.Fatal("the new lane did not start")
			}
			s.mu.Lock()
			s.lanes = nil
			s.mu.Unlock()
			time.Sleep(6 * time.Second)
			s.approve("b")
			time.Sleep(10 * time.Second)
			if n := len(s.outcomes()); n != 1 {
				t.Error("the removed lane still claims")
			}
		})
	})
}

func TestWorker(t *testing.T) {
	t.Run("Q03: stops its jobs before a lease ends that cannot be renewed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			var lost, stopped atomic.Pointer[time.Time]
			r := start(t, s, func(ctx context.Context, _ kappa.Claim) (json.RawMessage, error) {
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
			if o.Status != kappa.StatusApproved || o.CountRetry {
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
			}
			s.approve("a")
			time.Sleep(5 * time.Second)
			if o := s.outcomes()["a"]; o.Claim.Worker == "w" || o.Status != kappa.StatusCompleted {
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
			r := start(t, s, func(ctx context.Context, c kappa.Claim) (json.RawMessage, error) {
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
			if o := s.outcomes()["lost"]; o.Status != kappa.StatusCompleted {
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
			s.held["late"], s.claimed["late"] = kappa.HeldClaim{JobID: "late", Token: 1}, time.Now()
			s.mu.Unlock()
			time.Sleep(2*pollIdle + 2*DefaultHeartbeat)
			if o := s.outcomes()["late"]; o.Status != kappa.StatusCompleted {
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
			if o := s.outcomes()["lost"]; o.Status != kappa.StatusApproved || o.CountRetry {
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
			s.held["a"] = kappa.HeldClaim{JobID: "a", Token: 1, CancelRequested: true}
			s.mu.Unlock()
			time.Sleep(DefaultHeartbeat + 100*time.Millisecond)
			if o := s.outcomes()["a"]; o.Status != kappa.StatusCancelled {
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
			s.held["a"] = kappa.HeldClaim{JobID: "a", Token: 1, CancelRequested: true}
			s.mu.Unlock()
			for _, id := range []string{"a", "b", "unknown"} {
				r.worker.Reconcile(id)
				synctest.Wait() // no time passes
			}
			if got := s.outcomes(); got["a"].Status != kappa.StatusCancelled || got["b"].Status != "" {
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

func TestRunner(t *testing.T) {
	t.Run("a panic fails its own job only", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("bad", "good")
			r := start(t, s, func(_ context.Context, c kappa.Claim) (json.RawMessage, error) {
				if c.JobID == "bad" {
					panic("boom")
				}
				return json.RawMessage(`{}`), nil
			}, nil)
			time.Sleep(time.Second)
			r.stop(0)
			got := s.outcomes()
			if got["bad"].Status != kappa.StatusFailed || got["good"].Status != kappa.StatusCompleted {
				t.Errorf("ended as %s and %s", got["bad"].Status, got["good"].Status)
			}
		})
	})

	t.Run("a stop lets a claim end that is under way", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			s.claiming = func() { time.Sleep(100 * time.Millisecond) }
			r := start(t, s, succeed, nil)
			time.Sleep(50 * time.Millisecond)
			r.stop(time.Second)
			if o := s.outcomes()["a"]; o.Status != kappa.StatusCompleted {
				t.Errorf("the job is %q", o.Status)
			}
		})
	})

	t.Run("a stop does not wait for ever for a job that does not stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			end := make(chan struct{})
			r := start(t, s, func(context.Context, kappa.Claim) (json.RawMessage, error) {
				<-end
				return nil, nil
			}, nil)
			time.Sleep(time.Second)
			began := time.Now()
			r.stop(time.Second)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("the stop took %s", took)
			}
			close(end)
		})
	})

	t.Run("a stop lets jobs finish for the grace, then hands them back uncounted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("quick", "slow")
			r := start(t, s, func(ctx context.Context, c kappa.Claim) (json.RawMessage, error) {
				if c.JobID == "slow" {
					return hang(ctx, c)
				}
				time.Sleep(5 * time.Second)
				return json.RawMessage(`{}`), nil
			}, nil)
			time.Sleep(time.Second)
			began := time.Now()
			r.stop(10 * time.Second)
			if took := time.Since(began); took > 11*time.Second {
				t.Errorf("the stop took %s", took)
			}
			got := s.outcomes()
			if got["quick"].Status != kappa.StatusCompleted {
				t.Errorf("the quick job ended as %s", got["quick"].Status)
			}
			if slow := got["slow"]; slow.Status != kappa.StatusApproved || slow.CountRetry {
				t.Errorf("the slow job ended as %s (counted %v)", slow.Status, slow.CountRetry)
			}
		})
	})
}

func TestFinisher(t *testing.T) {
	t.Run("gets on with fewer when the database is too slow for many", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			jobs := make([]string, maxFinish)
			for i := range jobs {
				jobs[i] = strconv.Itoa(i)
			}
			s := newFakeStore(jobs...)
			s.lanes[0].MaxSlots = 2 * len(jobs)
			s.finishTime = 2 * finishTimeout / maxFinish // all at once take twice the time that they have
			r := start(t, s, succeed, nil)
			time.Sleep(5 * time.Minute)
			if n := len(s.outcomes()); n != len(jobs) {
				t.Errorf("the ends of %d of %d jobs are stored", n, len(jobs))
			}
			r.stop(0)
		})
	})

	t.Run("what ends while a statement is on its way shares the next one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			jobs := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
			s := newFakeStore(jobs...)
			s.lanes[0].MaxSlots = len(jobs)
			s.finishing = func() { time.Sleep(time.Second) }
			r := start(t, s, succeed, nil)
			time.Sleep(5 * time.Second)
			r.stop(time.Second)
			if len(s.outcomes()) != len(jobs) || len(s.batches) > 3 {
				t.Errorf("%d outcomes in batches of %v", len(s.outcomes()), s.batches)
			}
		})
	})

	t.Run("waits for a database that is away", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			s.finishErr = kappa.NewError(kappa.CodeUnavailable, "away")
			r := start(t, s, succeed, nil)
			time.Sleep(5 * time.Second)
			s.mu.Lock()
			s.finishErr = nil
			s.mu.Unlock()
			time.Sleep(10 * time.Second)
			if o := s.outcomes()["a"]; o.Status != kappa.StatusCompleted {
				t.Errorf("the outcome is %q", o.Status)
			}
			r.stop(0)
		})
	})

	t.Run("an outcome that the database refuses fails alone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("bad", "good")
			refusing := &refusingStore{fakeStore: s}
			f := NewFinisher(refusing, quiet)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go f.Run(ctx)
			batch, err := s.Claim(ctx, kappa.ClaimRequest{Lane: "interactive", Worker: "w", Most: 2})
			if err != nil {
				t.Fatal(err)
			}
			f.expect(len(batch.Claims))
			for _, c := range batch.Claims {
				f.finish(endedRun(ctx, c, &Lane{wake: kappa.NewWaker()}))
			}
			synctest.Wait()
			got := s.outcomes()
			if got["good"].Status != kappa.StatusCompleted || got["bad"].Status != kappa.StatusFailed {
				t.Errorf("ended as good %q, bad %q", got["good"].Status, got["bad"].Status)
			}
		})
	})
}

// endedRun returns an attempt that has succeeded.
func endedRun(ctx context.Context, c kappa.Claim, l *Lane) *run {
	r := newRun(ctx, c, l)
	r.ended(succeed(ctx, c))
	return r
}

// refusingStore refuses the result of the job "bad".
type refusingStore struct{ *fakeStore }

func (s *refusingStore) Finish(ctx context.Context, worker string, outcomes []kappa.Outcome) (map[string]kappa.Status, error) {
	for _, o := range outcomes {
		if o.Claim.JobID == "bad" && o.Result != nil {
			return nil, kappa.NewError(kappa.CodeInvalid, "NUL")
		}
	}
	return s.fakeStore.Finish(ctx, worker, outcomes)
}

func TestElector(t *testing.T) {
	t.Run("campaigns until it wins, leads, and campaigns again after a loss", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			lock := &fakeLock{taken: true}
			var terms, leading atomic.Int64
			e := NewElector(ElectorConfig{
				ID: "w", Log: quiet,
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

type fakeLock struct {
	mu     sync.Mutex
	taken  bool
	term   int64
	broken error
}

func (l *fakeLock) set(taken bool, broken error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken, l.broken = taken, broken
}

func (l *fakeLock) Campaign(context.Context, string) (int64, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil || l.taken {
		return 0, false, l.broken
	}
	l.term++
	return l.term, true, nil
}

func (l *fakeLock) Check(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

func (l *fakeLock) Close(context.Context) error { return nil }
