package lanes

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// lockedHouse is a store in which a job is due whose row somebody has locked.
type lockedHouse struct{ rounds int }

func (h *lockedHouse) Sweep(context.Context, int64, time.Duration, int) (work.Sweep, error) {
	h.rounds++
	return work.Sweep{}, nil
}

func (h *lockedHouse) MakeDue(context.Context, time.Duration) ([]string, time.Duration, error) {
	h.rounds++
	return nil, 0, nil
}

func (h *lockedHouse) Rescue(context.Context, int64, int) (map[string]work.Status, error) {
	return nil, nil
}

func TestSweeperOfALockedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &lockedHouse{}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			_ = NewSweeper(SweeperConfig{Store: h, Wake: func() {}, Overdue: func() {}, Log: quiet}).Run(ctx, 1)
		})
		time.Sleep(10 * time.Second) // fake time: returns at once
		cancel()
		group.Wait()
		if h.rounds < 50 || h.rounds > 150 {
			t.Errorf("%d rounds in 10 s for a job that is due and locked, want one every tenth of a second", h.rounds)
		}
	})
}
