package lanes

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestQ17_AnEditEndsNoJob changes the row of a lane while jobs run in it. They go
// on, whatever the edit.
func TestQ17_AnEditEndsNoJob(t *testing.T) {
	for name, edit := range map[string]func(s *fakeStore){
		"fewer slots": func(s *fakeStore) { s.lanes[0].MaxSlots = 1 },
		"disabled":    func(s *fakeStore) { s.lanes[0].Enabled = false },
		"other types": func(s *fakeStore) { s.lanes[0].JobTypes = []string{"other"} },
		"removed":     func(s *fakeStore) { s.lanes = nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeStore("a", "b")
				r := start(t, s, hang, nil)
				time.Sleep(time.Second)
				s.mu.Lock()
				edit(s)
				s.mu.Unlock()
				time.Sleep(rereadLanes + time.Minute)
				if n, ended := len(r.runner.runsOf("w")), s.outcomes(); n != 2 || len(ended) != 0 {
					t.Errorf("%d of 2 jobs run, ended have %v", n, ended)
				}
				r.stop(0)
				for id, o := range s.outcomes() {
					if o.Status != work.StatusApproved || o.CountRetry {
						t.Errorf("%s ended as %s (counted %v), want given back", id, o.Status, o.CountRetry)
					}
				}
			})
		})
	}
}
