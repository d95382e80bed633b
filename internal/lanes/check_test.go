package lanes

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// longestFlip is how long a check may take to notice, either way.
const longestFlip = 10 * time.Second

// switched is called by many and hangs while it is on.
type switched struct {
	mu  sync.Mutex
	off chan struct{} // nil: it is off
}

func (s *switched) on() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = make(chan struct{})
}

func (s *switched) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.off)
	s.off = nil
}

func (s *switched) hang() {
	s.mu.Lock()
	off := s.off
	s.mu.Unlock()
	if off != nil {
		<-off
	}
}

// TestQ39_ClaimLoop breaks what the lanes do, and mends it: the check says so
// within ten seconds of the poll that should have been, and not before anything
// is wrong.
func TestQ39_ClaimLoop(t *testing.T) {
	for name, tt := range map[string]struct {
		pollMS     int
		mend, harm func(s *fakeStore, hang *switched)
		want       string
	}{
		"a claim hangs and heeds no context": {
			2000, func(_ *fakeStore, hang *switched) { hang.release() }, func(_ *fakeStore, hang *switched) { hang.on() },
			"lane interactive has not polled",
		},
		"claims fail": {
			2000, func(s *fakeStore, _ *switched) { s.claimErr = nil }, func(s *fakeStore, _ *switched) { s.claimErr = errors.New("refused") },
			"lane interactive has not polled",
		},
		"claims fail in a lane that polls rarely": {
			60_000, func(s *fakeStore, _ *switched) { s.claimErr = nil }, func(s *fakeStore, _ *switched) { s.claimErr = errors.New("refused") },
			"lane interactive has not polled",
		},
		"the table cannot be read": {
			2000, func(s *fakeStore, _ *switched) { s.lanesErr = nil }, func(s *fakeStore, _ *switched) { s.lanesErr = errors.New("refused") },
			"the table of lanes has not been read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, hang := newFakeStore(), &switched{}
				s.lanes[0].PollIntervalMS = tt.pollMS
				s.claiming = hang.hang
				r := start(t, s, succeed, nil)
				defer r.stop(time.Second)
				quietFor(t, r.manager.Check, 5*time.Minute)

				s.mu.Lock()
				tt.harm(s, hang)
				s.mu.Unlock()
				r.manager.Wake("interactive") // a poll is due now
				if err := awaitCheck(r.manager.Check, false); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("after %s the check says %v, want %q", longestFlip, err, tt.want)
				}
				time.Sleep(3 * time.Minute)
				if r.manager.Check() == nil {
					t.Error("the check gave up")
				}
				s.mu.Lock()
				tt.mend(s, hang)
				s.mu.Unlock()
				if err := awaitCheck(r.manager.Check, true); err != nil {
					t.Errorf("%s after it was mended the check says %v", longestFlip, err)
				}
				quietFor(t, r.manager.Check, 5*time.Minute)
			})
		})
	}

	t.Run("one claim that takes its time is nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore()
			var once sync.Once
			s.claiming = func() { once.Do(func() { time.Sleep(claimTimeout) }) }
			r := start(t, s, succeed, nil)
			defer r.stop(time.Second)
			quietFor(t, r.manager.Check, time.Minute)
		})
	})

	t.Run("lanes that do not run are not late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore()
			m := NewManager(ManagerConfig{Store: s, Worker: new(Worker), Runner: new(Runner), Log: quiet})
			r := start(t, s, succeed, nil)
			time.Sleep(time.Minute)
			r.stop(0)
			time.Sleep(time.Hour)
			if err := errors.Join(m.Check(), r.manager.Check()); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestQ39_Lease loses the lease of a worker: it is not well until it has another.
func TestQ39_Lease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		var mu sync.Mutex
		var renewal error
		r := start(t, s, succeed, func() error {
			mu.Lock()
			defer mu.Unlock()
			return renewal
		})
		defer r.stop(0)
		synctest.Wait()
		quietFor(t, r.worker.Check, 5*time.Minute)
		mu.Lock()
		renewal = context.DeadlineExceeded
		mu.Unlock()
		s.mu.Lock()
		s.registerErr = errors.New("away")
		s.mu.Unlock()
		time.Sleep(DefaultLease - DefaultMargin) // so long it holds the lease
		if err := awaitCheck(r.worker.Check, false); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Fatalf("%s after the lease the check says %v", longestFlip, err)
		}
		mu.Lock()
		renewal = nil
		mu.Unlock()
		s.mu.Lock()
		s.registerErr = nil
		s.mu.Unlock()
		if err := awaitCheck(r.worker.Check, true); err != nil {
			t.Errorf("%s after the database came back the check says %v", longestFlip, err)
		}
	})
}

// awaitCheck asks a check until it is well or not, for longestFlip at most, and
// returns its last answer.
func awaitCheck(check func() error, well bool) error {
	until := time.Now().Add(longestFlip)
	for {
		err := check()
		if (err == nil) == well || !time.Now().Before(until) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// quietFor wants a check to be well all the time.
func quietFor(t *testing.T, check func() error, d time.Duration) {
	t.Helper()
	for until := time.Now().Add(d); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if err := check(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCounts wants every claim and every end to be counted, once, in its lane.
func TestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore("done", "failed", "retried", "stale", "given up")
		s.lanes[0].MaxSlots = 6
		var tries atomic.Int64
		r := start(t, s, func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
			switch {
			case c.JobID == "failed":
				return nil, kappa.Permanent(errors.New("broken"))
			case c.JobID == "retried" && tries.Add(1) == 1:
				return nil, errors.New("again")
			case c.JobID == "stale" || c.JobID == "given up":
				s.mu.Lock()
				delete(s.held, c.JobID)
				s.mu.Unlock()
				if c.JobID == "given up" {
					return nil, kappa.ErrStale
				}
			case c.JobID == "released":
				return hang(ctx, c)
			}
			return succeed(ctx, c)
		}, nil)
		time.Sleep(time.Minute)
		s.approve("released")
		time.Sleep(5 * time.Second)
		r.stop(0)
		got := r.finisher.Counts()["interactive"]
		want := map[work.AttemptOutcome]int64{
			work.AttemptCompleted: 2, work.AttemptFailed: 1, work.AttemptRetried: 1, work.AttemptReleased: 1,
		}
		for _, o := range []work.AttemptOutcome{work.AttemptCompleted, work.AttemptFailed, work.AttemptCancelled, work.AttemptRetried, work.AttemptReleased} {
			if got.Ended[o] != want[o] {
				t.Errorf("%d attempts %s, want %d", got.Ended[o], o, want[o])
			}
		}
		if got.Claims != 7 || got.Stale != 2 {
			t.Errorf("%d claims and %d stale ends, want 7 and 2", got.Claims, got.Stale)
		}
	})
}

// TestRescues counts what is taken back, and of lost workers what is given up.
func TestRescues(t *testing.T) {
	var r Rescues
	r.add(work.TakenWorkerLost, map[string]work.Status{"a": work.StatusApproved, "b": work.StatusFailed, "c": work.StatusCancelled})
	r.add(work.TakenNoProgress, map[string]work.Status{"d": work.StatusFailed})
	(*Rescues)(nil).add(work.TakenWorkerLost, map[string]work.Status{"e": work.StatusFailed})
	takenBack, quarantined := r.Counts()
	if takenBack[work.TakenWorkerLost] != 3 || takenBack[work.TakenNoProgress] != 1 || quarantined != 1 {
		t.Errorf("%v and %d quarantined", takenBack, quarantined)
	}
}
