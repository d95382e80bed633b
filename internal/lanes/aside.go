package lanes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	asideEvery   = 500 * time.Millisecond // between two looks at whether rows are free again
	asideTimeout = 5 * time.Second
)

// aside is outcomes whose jobs somebody else has locked: a transaction that was
// forgotten, say. They wait here, where they do not hold up the others, until
// their rows are free.
type aside struct {
	mu    sync.Mutex // guards group
	group group
}

// add sets outcomes aside.
func (a *aside) add(runs []*run, outcomes []kappa.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.group.runs = append(a.group.runs, runs...)
	a.group.outcomes = append(a.group.outcomes, outcomes...)
}

// take takes up to most of what was set aside.
func (a *aside) take(most int) group {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := min(most, len(a.group.runs))
	taken := group{slices.Clone(a.group.runs[:n]), slices.Clone(a.group.outcomes[:n])}
	a.group.runs = slices.Delete(a.group.runs, 0, n)
	a.group.outcomes = slices.Delete(a.group.outcomes, 0, n)
	return taken
}

// storeAside stores what was set aside as its rows come free, until ctx ends.
func (f *Finisher) storeAside(ctx context.Context) {
	tick := time.NewTicker(asideEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		g := f.aside.take(maxFinish)
		if len(g.runs) == 0 {
			continue
		}
		if free, ok := f.sortOut(ctx, g); ok {
			for i := range free.runs { // they may be of several workers
				f.storeOutcomes(ctx, free.runs[i:i+1], free.outcomes[i:i+1])
			}
			continue
		}
		f.aside.add(g.runs, g.outcomes)
	}
}

// sortOut sets those of a group aside whose rows are locked, and returns the
// others. It reports false when that cannot be known now.
func (f *Finisher) sortOut(ctx context.Context, g group) (free group, ok bool) {
	ids := make([]string, len(g.runs))
	for i, r := range g.runs {
		ids[i] = r.claim.JobID
	}
	lookCtx, cancel := context.WithTimeout(ctx, asideTimeout)
	defer cancel()
	locked, err := f.store.Locked(lookCtx, ids)
	if err != nil {
		return group{}, false
	}
	for i, r := range g.runs {
		if slices.Contains(locked, r.claim.JobID) {
			f.aside.add(g.runs[i:i+1], g.outcomes[i:i+1])
			continue
		}
		free.runs = append(free.runs, r)
		free.outcomes = append(free.outcomes, g.outcomes[i])
	}
	return free, true
}
