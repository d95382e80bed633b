package lanes

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// waits has the store answer what a survey asks, and counts how often it was asked.
func (s *fakeStore) waits(asked *atomic.Int64, err *error) func(context.Context) ([]string, error) {
	return func(context.Context) ([]string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		asked.Add(1)
		if len(s.queue) == 0 || *err != nil {
			return nil, *err
		}
		return []string{s.queue[0].JobType}, nil
	}
}

func (s *fakeStore) claimsMade() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.claims
}

func TestSurvey(t *testing.T) {
	const lanes = 3
	idle := func(t *testing.T, asked *atomic.Int64, failing *error) (*fakeStore, *rig) {
		t.Helper()
		s := newFakeStore()
		for _, name := range []string{"second", "third"} {
			l := s.lanes[0]
			l.Name, l.JobTypes = name, []string{name}
			s.lanes = append(s.lanes, l)
		}
		r := startWith(t, s, succeed, nil, s.waits(asked, failing))
		time.Sleep(3 * time.Second) // fake time; every lane has claimed once, in vain
		return s, r
	}

	t.Run("idle lanes ask one question together, and claim nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			var failing error
			s, r := idle(t, &asked, &failing)
			defer r.stop(time.Second)
			asked.Store(0)
			before := s.claimsMade()
			time.Sleep(time.Minute)
			if most := int64(time.Minute/(2*time.Second)) + 1; asked.Load() > most || asked.Load() < most-5 || s.claimsMade() != before {
				t.Errorf("%d questions and %d claims in a minute, want about %d and none", asked.Load(), s.claimsMade()-before, most)
			}
		})
	})

	t.Run("a job of which nobody hears waits no longer than the poll interval and its jitter", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			var failing error
			s, r := idle(t, &asked, &failing)
			defer r.stop(time.Second)
			before := s.claimsMade()
			for _, id := range []string{"a", "b", "c"} {
				s.approve(id)
				time.Sleep(2200 * time.Millisecond)
				if _, ok := s.outcomes()[id]; !ok {
					t.Errorf("job %s was not found", id)
				}
				time.Sleep(700 * time.Millisecond)
			}
			if n := s.claimsMade() - before; n > 9 {
				t.Errorf("%d claims for three jobs, of a type that one of %d lanes takes", n, lanes)
			}
		})
	})

	t.Run("lanes claim by themselves while nobody answers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			failing := errors.New("the database is away")
			s, r := idle(t, &asked, &failing)
			defer r.stop(time.Second)
			before := s.claimsMade()
			time.Sleep(time.Minute)
			if n := s.claimsMade() - before; n < lanes*25 {
				t.Errorf("%d claims in a minute", n)
			}
			s.approve("a")
			time.Sleep(2200 * time.Millisecond)
			if _, ok := s.outcomes()["a"]; !ok {
				t.Error("the job was not found")
			}
		})
	})

	t.Run("who else asks spares the lanes their question", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			var failing error
			s, r := idle(t, &asked, &failing)
			defer r.stop(time.Second)
			sweep := func() {
				var types []string
				if s.mu.Lock(); len(s.queue) > 0 {
					types = []string{"work"}
				}
				s.mu.Unlock()
				r.manager.Waiting(time.Now(), types)
			}
			sweep()
			asked.Store(0)
			for range 20 {
				time.Sleep(2010 * time.Millisecond)
				sweep()
			}
			if n := asked.Load(); n != 0 {
				t.Errorf("%d questions although somebody else asks", n)
			}
			s.approve("a")
			time.Sleep(2010 * time.Millisecond)
			sweep()
			time.Sleep(200 * time.Millisecond)
			if _, ok := s.outcomes()["a"]; !ok {
				t.Error("the lane does not hear what somebody else has found")
			}
		})
	})
}
