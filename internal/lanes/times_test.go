package lanes

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// keptTimes keeps what is told, unless it fails.
type keptTimes struct {
	mu   sync.Mutex
	err  error
	told []work.AttemptTimes
}

func (k *keptTimes) AddAttemptTimes(_ context.Context, told []work.AttemptTimes) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.told = append(k.told, told...)
	}
	return k.err
}

func (k *keptTimes) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = err
}

// TestTimes tells of attempts once a minute and at the stop, each once, also when a minute
// could not be stored.
func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &keptTimes{}
		times := NewTimes(kept, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- times.Run(ctx) }()
		end := func(n int) {
			for range n {
				times.Ended(work.EndedAttempt{Lane: "l", JobType: "a", Outcome: work.AttemptCompleted, Waited: time.Second, Ran: time.Minute})
				times.Ended(work.EndedAttempt{Lane: "l", JobType: "b", Outcome: work.AttemptRetried, Ran: time.Hour})
			}
		}
		want := func(rows int, of int64) {
			t.Helper()
			synctest.Wait()
			kept.mu.Lock()
			defer kept.mu.Unlock()
			sum := map[string]int64{}
			for _, told := range kept.told {
				sum[told.JobType] += told.Ended[work.AttemptCompleted] + told.Ended[work.AttemptRetried]
				if told.Waited.Count() != told.Ran.Count() {
					t.Errorf("%+v", told)
				}
			}
			if len(kept.told) != rows || rows > 0 && !maps.Equal(sum, map[string]int64{"a": of, "b": of}) {
				t.Errorf("%d rows tell of %v, want %d of %d", len(kept.told), sum, rows, of)
			}
		}
		end(3)
		time.Sleep(timesEvery - time.Second)
		want(0, 0)
		time.Sleep(2 * time.Second)
		want(2, 3)
		time.Sleep(3 * timesEvery) // nothing ends, nothing is told
		want(2, 3)
		kept.fail(errors.New("away"))
		end(4)
		time.Sleep(timesEvery)
		end(5)
		time.Sleep(timesEvery)
		kept.fail(nil)
		time.Sleep(timesEvery)
		want(4, 12)
		end(1)
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		want(6, 13)
	})
}
