package lanes

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

func TestRunner(t *testing.T) {
	t.Run("a panic fails its own job only", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("bad", "good")
			r := start(t, s, func(_ context.Context, c work.Claim) (json.RawMessage, error) {
				if c.JobID == "bad" {
					panic("boom")
				}
				return json.RawMessage(`{}`), nil
			}, nil)
			time.Sleep(time.Second)
			r.stop(0)
			got := s.outcomes()
			if got["bad"].Status != work.StatusFailed || got["good"].Status != work.StatusCompleted {
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
			if o := s.outcomes()["a"]; o.Status != work.StatusCompleted {
				t.Errorf("the job is %q", o.Status)
			}
		})
	})

	t.Run("a stop does not wait for ever for a job that does not stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStore("a")
			end := make(chan struct{})
			r := start(t, s, func(context.Context, work.Claim) (json.RawMessage, error) {
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
			r := start(t, s, func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
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
			if got["quick"].Status != work.StatusCompleted {
				t.Errorf("the quick job ended as %s", got["quick"].Status)
			}
			if slow := got["slow"]; slow.Status != work.StatusApproved || slow.CountRetry {
				t.Errorf("the slow job ended as %s (counted %v)", slow.Status, slow.CountRetry)
			}
		})
	})
}
