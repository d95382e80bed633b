package lanes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// waits has the store answer what a survey asks, and counts how often it was asked.
func (s *fakeStore) waits(asked *int, err *error) func(context.Context) ([]string, error) {
	return func(context.Context) ([]string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		*asked++
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
	idle := func(t *testing.T, asked *int, failing *error) (*fakeStore, *rig) {
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
			var asked int
			var failing error
			s, r := idle(t, &asked, &failing)
			defer r.stop(time.Second)
			asked, before := 0, s.claimsMade()
			time.Sleep(time.Minute)
			if most := int(time.Minute/(2*time.Second)) + 1; asked > most || asked < most-5 || s.claimsMade() != before {
				t.Errorf("%d questions and %d claims in a minute, want about %d and none", asked, s.claimsMade()-before, most)
			}
		})
	})

	t.Run("a job of which nobody hears waits no longer than the poll interval and its jitter", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked int
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
			var asked int
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
			var asked int
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
			asked = 0
			for range 20 {
				time.Sleep(2010 * time.Millisecond)
				sweep()
			}
			if asked != 0 {
				t.Errorf("%d questions although somebody else asks", asked)
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
