package lanes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestFinisherStatements(t *testing.T) {
	t.Run("a second one goes beside the first when many outcomes wait, and never a third", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "first-%d")
			r.finish(secondGroup-1, "second-%d")
			r.wantStatements(1)
			r.finish(1, "last-%d")
			r.wantStatements(1, secondGroup)
			r.finish(2*secondGroup, "third-%d")
			r.wantStatements(1, secondGroup)
			r.answer(0, nil)
			r.wantStatements(1, secondGroup, 2*secondGroup)
			r.answer(1, nil)
			r.answer(2, nil)
			r.stop()
		})
	})

	t.Run("never two of the same job at a time, and its attempts in their order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "job-%d") // token 1
			r.finish(1, "job-%d") // token 2
			r.finish(secondGroup, "other-%d")
			r.finish(1, "other-%d") // the second attempt at other-0, while the first is on its way
			r.wantStatements(1, secondGroup)
			r.answer(0, nil)
			r.wantStatements(1, secondGroup) // the rest is too little for a second one
			r.answer(1, nil)
			r.wantStatements(1, secondGroup, 2)
			if got, want := r.store.statement(2).claims, []string{"job-0/2", fmt.Sprintf("other-0/%d", secondGroup+3)}; !slices.Equal(got, want) {
				t.Errorf("the last statement stores %v, want %v", got, want)
			}
			r.answer(2, nil)
			r.stop()
		})
	})

	t.Run("one that fails is tried again and does not hold up the other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "first-%d")
			r.finish(secondGroup, "second-%d")
			r.wantStatements(1, secondGroup)
			r.answer(0, kappa.NewError(kappa.CodeUnavailable, "away"))
			r.answer(1, nil)
			if taken := r.lane.running.Load(); taken != 1 {
				t.Errorf("%d slots are taken, want that of the first statement", taken)
			}
			time.Sleep(time.Second)
			r.wantStatements(1, secondGroup, 1)
			if got := r.store.statement(2).claims; got[0] != "first-0/1" {
				t.Errorf("stores %v once more, want the one that failed", got)
			}
			r.answer(2, nil)
			if taken := r.lane.running.Load(); taken != 0 {
				t.Errorf("%d slots are taken at last", taken)
			}
			r.stop()
		})
	})

	t.Run("those of jobs that somebody has locked are deferred, and hold up nobody", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "first-%d")
			r.finish(2, "job-%d") // wait for each other
			r.answer(0, nil)
			r.wantStatements(1, 2)
			r.store.lock("job-1")
			r.answer(1, kappa.NewError(kappa.CodeUnavailable, "took too long"))
			r.wantStatements(1, 2, 1)
			r.answer(2, nil)
			r.finish(1, "other-%d")
			r.wantStatements(1, 2, 1, 1)
			r.answer(3, nil)
			time.Sleep(10 * time.Second)
			r.wantStatements(1, 2, 1, 1) // not once while it is locked
			if taken := r.lane.running.Load(); taken != 1 {
				t.Errorf("%d slots are taken, want that of the locked job", taken)
			}
			r.store.lock()
			time.Sleep(deferredEvery)
			synctest.Wait()
			r.wantStatements(1, 2, 1, 1, 1)
			if got := r.store.statement(4).claims; got[0] != "job-1/3" {
				t.Errorf("stores %v at last, want the job that was locked", got)
			}
			r.answer(4, nil)
			r.stop()
		})
	})

	t.Run("a stop frees those that are deferred", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.store.lock("job-0")
			r.finish(1, "job-%d")
			r.answer(0, kappa.NewError(kappa.CodeUnavailable, "took too long"))
			r.stop()
			r.wantStatements(1)
		})
	})

	t.Run("are tried again rarely while the disk is full", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			full := &kappa.Error{Code: kappa.CodeUnavailable, Err: kappa.ErrDiskFull}
			r.finish(1, "job-%d")
			r.answer(0, full)
			time.Sleep(diskRetry * 8 / 10)
			synctest.Wait()
			r.wantStatements(1)
			time.Sleep(diskRetry * 3 / 10)
			synctest.Wait()
			r.wantStatements(1, 1)
			r.answer(1, nil)
			r.stop()
		})
	})

	t.Run("a stop says of what it cuts off that it is stored too late, and not that its claim was stale", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			var log strings.Builder
			r.f.log = slog.New(slog.NewTextHandler(&log, nil))
			r.finish(1, "job-%d")
			r.cancel()
			r.answer(0, context.Canceled)
			r.stop()
			if got := log.String(); !strings.Contains(got, "too late") {
				t.Errorf("the log says %q", got)
			}
		})
	})

	t.Run("a stop waits for both, and frees what they do not take", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "first-%d")
			r.finish(secondGroup, "second-%d")
			r.wantStatements(1, secondGroup)
			r.finish(3, "third-%d")
			r.finish(1, "first-%d")
			r.cancel()
			for i := range 2 {
				synctest.Wait()
				if r.over() {
					t.Fatalf("it has ended while %d statements are on their way", 2-i)
				}
				r.answer(i, nil)
			}
			r.stop()
			r.finish(1, "late-%d")
			if taken := r.lane.running.Load(); taken != 0 {
				t.Errorf("%d slots are taken after the stop", taken)
			}
			r.wantStatements(1, secondGroup)
		})
	})

	t.Run("a stop frees what waits for another outcome of its job", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "job-%d")
			r.finish(1, "job-%d")
			r.cancel()
			synctest.Wait()
			if taken := r.lane.running.Load(); taken != 1 {
				t.Errorf("%d slots are taken, want that of the statement", taken)
			}
			r.answer(0, nil)
			r.stop()
			r.wantStatements(1)
		})
	})

	t.Run("do not wait for an attempt that was given up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "first-%d")
			r.answer(0, nil) // there is traffic
			r.f.expect(1)
			r.lane.running.Add(1)
			r.f.dismiss(newRun(t.Context(), work.Claim{}, r.lane))
			r.f.expect(1)
			r.lane.running.Add(1)
			r.f.finish(endedRun(t.Context(), work.Claim{JobID: "second"}, r.lane))
			synctest.Wait() // no time passes
			r.wantStatements(1, 1)
			r.answer(1, nil)
			r.stop()
		})
	})

	t.Run("each is of one worker", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := startFinisher(t)
			r.finish(1, "first-%d")
			r.worker = "old"
			r.finish(2, "old-%d")
			r.worker = "new"
			r.finish(3, "new-%d")
			r.answer(0, nil)
			r.wantStatements(1, 2)
			r.answer(1, nil)
			r.wantStatements(1, 2, 3)
			if a, b := r.store.statement(1).worker, r.store.statement(2).worker; a != "old" || b != "new" {
				t.Errorf("they are of the workers %q and %q", a, b)
			}
			r.answer(2, nil)
			r.stop()
		})
	})
}

func TestRun(t *testing.T) {
	t.Run("what stops a job after it has failed does not change how it ended", func(t *testing.T) {
		session, end := context.WithCancelCause(t.Context())
		r := newRun(session, work.Claim{JobID: "a", MaxRetries: 3}, &Lane{wake: kappa.NewWaker()})
		r.ended(nil, errors.New("boom"))
		end(kappa.ErrLeaseLost)
		if o := r.outcome(0.5); o.Status != work.StatusApproved || !o.CountRetry || o.Error != "boom" {
			t.Errorf("it ended as %+v, want a retry that counts", o)
		}
	})
}

// finisherRig is a Finisher whose statements are answered by hand.
type finisherRig struct {
	t      *testing.T
	f      *Finisher
	store  *slowStore
	lane   *Lane
	worker string
	token  int64
	cancel context.CancelFunc
	ended  chan struct{}
}

func startFinisher(t *testing.T) *finisherRig {
	t.Helper()
	s := &slowStore{}
	r := &finisherRig{t: t, f: NewFinisher(s, quiet), store: s, lane: &Lane{wake: kappa.NewWaker()}, worker: "w", ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() {
		defer close(r.ended)
		if err := r.f.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	return r
}

// finish ends attempts at jobs with numbered names, and waits for what happens
// then.
func (r *finisherRig) finish(n int, name string) {
	r.f.expect(n)
	r.lane.running.Add(int64(n))
	for i := range n {
		r.token++
		r.f.finish(endedRun(r.t.Context(), work.Claim{JobID: fmt.Sprintf(name, i), Token: r.token, Worker: r.worker}, r.lane))
	}
	time.Sleep(2 * finishLinger)
	synctest.Wait()
}

// wantStatements checks how many outcomes the statements had that were sent.
func (r *finisherRig) wantStatements(sizes ...int) {
	r.t.Helper()
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	var got []int
	for _, s := range r.store.sent {
		got = append(got, len(s.claims))
	}
	if !slices.Equal(got, sizes) {
		r.t.Fatalf("statements of %v outcomes were sent, want %v", got, sizes)
	}
}

// answer ends a statement, and waits for what happens then.
func (r *finisherRig) answer(i int, err error) {
	r.store.statement(i).answer <- err
	time.Sleep(2 * finishLinger)
	synctest.Wait()
}

func (r *finisherRig) over() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// stop stops the Finisher; nothing may be left to store.
func (r *finisherRig) stop() {
	r.t.Helper()
	r.cancel()
	<-r.ended
	if taken := r.lane.running.Load(); taken != 0 {
		r.t.Errorf("%d slots are taken", taken)
	}
}

// slowStore answers a statement when the test says so, whatever its context says.
type slowStore struct {
	mu     sync.Mutex
	sent   []*statement
	locked []string // jobs
}

type statement struct {
	worker string
	claims []string // "job/token"
	answer chan error
}

// lock has somebody lock these jobs, and no others.
func (s *slowStore) lock(jobs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked = jobs
}

func (s *slowStore) statement(i int) *statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[i]
}

func (s *slowStore) Locked(context.Context, []string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locked, nil
}

func (s *slowStore) Finish(_ context.Context, worker string, outcomes []work.Outcome) (map[string]work.Status, error) {
	st := &statement{worker: worker, answer: make(chan error)}
	statuses := map[string]work.Status{}
	for _, o := range outcomes {
		st.claims = append(st.claims, fmt.Sprintf("%s/%d", o.Claim.JobID, o.Claim.Token))
		statuses[o.Claim.JobID] = o.Status
	}
	s.mu.Lock()
	s.sent = append(s.sent, st)
	s.mu.Unlock()
	if err := <-st.answer; err != nil {
		return nil, err
	}
	return statuses, nil
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
			if o := s.outcomes()["a"]; o.Status != work.StatusCompleted {
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
			batch, err := s.Claim(ctx, work.ClaimRequest{Lane: "interactive", Worker: "w", Most: 2})
			if err != nil {
				t.Fatal(err)
			}
			f.expect(len(batch.Claims))
			for _, c := range batch.Claims {
				f.finish(endedRun(ctx, c, &Lane{wake: kappa.NewWaker()}))
			}
			synctest.Wait()
			got := s.outcomes()
			if got["good"].Status != work.StatusCompleted || got["bad"].Status != work.StatusFailed {
				t.Errorf("ended as good %q, bad %q", got["good"].Status, got["bad"].Status)
			}
		})
	})
}

// A job whose error the database refuses, as it may refuse anything, ends all the same: it
// would be done again for ever.
func TestRefusedErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore("bad")
		f := NewFinisher(&refusingErrors{s}, quiet)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go f.Run(ctx)
		batch, err := s.Claim(ctx, work.ClaimRequest{Lane: "interactive", Worker: "w", Most: 1})
		if err != nil {
			t.Fatal(err)
		}
		f.expect(1)
		r := newRun(ctx, batch.Claims[0], &Lane{wake: kappa.NewWaker()})
		r.ended(nil, kappa.Permanent(errors.New("what the database does not take")))
		f.finish(r)
		synctest.Wait()
		if got := s.outcomes()["bad"]; got.Status != work.StatusFailed || got.Error != unstorable {
			t.Errorf("ended as %+v", got)
		}
	})
}

// refusingErrors refuses every text but the plainest.
type refusingErrors struct{ *fakeStore }

func (s *refusingErrors) Finish(ctx context.Context, worker string, outcomes []work.Outcome) (map[string]work.Status, error) {
	if outcomes[0].Error != unstorable {
		return nil, kappa.NewError(kappa.CodeInternal, "refused")
	}
	return s.fakeStore.Finish(ctx, worker, outcomes)
}

// endedRun returns an attempt that has succeeded.
func endedRun(ctx context.Context, c work.Claim, l *Lane) *run {
	r := newRun(ctx, c, l)
	r.ended(succeed(ctx, c))
	return r
}

// refusingStore refuses the result of the job "bad".
type refusingStore struct{ *fakeStore }

func (s *refusingStore) Finish(ctx context.Context, worker string, outcomes []work.Outcome) (map[string]work.Status, error) {
	for _, o := range outcomes {
		if o.Claim.JobID == "bad" && o.Result != nil {
			return nil, kappa.NewError(kappa.CodeInvalid, "NUL")
		}
	}
	return s.fakeStore.Finish(ctx, worker, outcomes)
}
