package schedule

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// hangingSchedules is a store that answers only when a call's context ends.
type hangingSchedules struct {
	begun  []time.Time
	lasted []time.Duration
}

func (h *hangingSchedules) NextSchedules(ctx context.Context, _ int) ([]work.Schedule, time.Time, error) {
	began := time.Now()
	<-ctx.Done()
	h.begun, h.lasted = append(h.begun, began), append(h.lasted, time.Since(began))
	return nil, time.Time{}, ctx.Err()
}

func (h *hangingSchedules) Launch(context.Context, int64, work.Launch) (string, error) {
	return "", nil
}

// TestQ43_LauncherDoesNotHang has the database hang: each call is given up within
// 30 s and repeated as soon, and the Launcher stops at once when it is asked to.
func TestQ43_LauncherDoesNotHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 30 * time.Second
		h := &hangingSchedules{}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { _ = NewLauncher(h, testRules, quiet).Run(ctx, 1) })
		time.Sleep(20*most + time.Second)
		stopped := time.Now()
		cancel()
		group.Wait()
		if took := time.Since(stopped); took != 0 {
			t.Errorf("it stopped after %s", took)
		}
		if len(h.begun) < 10 {
			t.Errorf("%d calls in %s", len(h.begun), 20*most)
		}
		for i, lasted := range h.lasted {
			if lasted > most {
				t.Errorf("call %d hung for %s", i+1, lasted)
			}
			if i > 0 && h.begun[i].Sub(h.begun[i-1])-h.lasted[i-1] > most {
				t.Errorf("call %d came %s after the last one was given up", i+1, h.begun[i].Sub(h.begun[i-1])-h.lasted[i-1])
			}
		}
	})
}
