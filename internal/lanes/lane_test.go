package lanes

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

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
