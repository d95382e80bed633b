package lanes

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestDeadlines ends attempts that run too long, also those that ran when the deadline was set;
// without one they go on.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore("a")
		r := start(t, s, hang, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan struct{})
		go func() { defer close(ended); _ = r.runner.RunDeadlines(ctx) }()
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := s.outcomes(); len(got) != 0 {
			t.Fatalf("without a deadline it ended: %v", got)
		}
		r.policies.Set(map[string]work.PolicyChange{"other": {DeadlineMS: new(1000)}})
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := s.outcomes(); len(got) != 0 {
			t.Fatalf("under the deadline of another type it ended: %v", got)
		}
		jobType := r.runner.runsOf("w")[0].claim.JobType
		r.policies.Set(map[string]work.PolicyChange{jobType: {DeadlineMS: new(int((3 * time.Hour).Milliseconds()))}})
		time.Sleep(59 * time.Minute)
		synctest.Wait()
		if got := s.outcomes(); len(got) != 0 {
			t.Fatalf("before its deadline it ended: %v", got)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		o, stored := s.outcomes()["a"]
		if !stored || !strings.Contains(o.Error, "ran longer than the deadline of its job type, 3h0m0s") {
			t.Errorf("beyond its deadline it ended as %+v", o)
		}
		cancel()
		<-ended
		r.stop(0)
	})
}
