package lanes

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestM04_WithoutAPollAfterAReconnectAJobWaitsForItsTurn has a job approved while
// nobody listens (Q21). What is called after each connect to the notifications has
// every lane poll at once; without it the job waits for the poll, however long
// that takes.
func TestM04_WithoutAPollAfterAReconnectAJobWaitsForItsTurn(t *testing.T) {
	for name, c := range map[string]struct {
		polls bool
		ended int // when the listener has been connected for a while
	}{
		"with that poll it starts at once": {true, 1},
		"without it it waits":              {false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeStore()
				s.lanes[0].PollIntervalMS = 60_000
				r := start(t, s, succeed, nil)
				defer r.stop(time.Second)
				time.Sleep(time.Second) // the first poll is over
				s.approve("a")          // and the wake-up is lost
				if c.polls {
					r.manager.WakeAll()
				}
				time.Sleep(50 * time.Second)
				if n := len(s.outcomes()); n != c.ended {
					t.Errorf("%d jobs have ended, want %d", n, c.ended)
				}
				time.Sleep(20 * time.Second)
				if n := len(s.outcomes()); n != 1 {
					t.Errorf("after the poll %d jobs have ended, want 1", n)
				}
			})
		})
	}
}
