package lanes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	deferredEvery   = 500 * time.Millisecond // between two polls for rows that are free again
	deferredTimeout = 5 * time.Second        // of one poll
)

// deferred is outcomes whose jobs somebody else has locked: a transaction that was
// forgotten, say. They wait here, where they do not hold up the others, until
// their rows are free.
type deferred struct {
	mu    sync.Mutex // guards group
	group group
}

// add defers outcomes.
func (d *deferred) add(runs []*run, outcomes []work.Outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.group.runs = append(d.group.runs, runs...)
	d.group.outcomes = append(d.group.outcomes, outcomes...)
}

// take takes up to most of what was deferred.
func (d *deferred) take(most int) group {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(most, len(d.group.runs))
	taken := group{slices.Clone(d.group.runs[:n]), slices.Clone(d.group.outcomes[:n])}
	d.group.runs = slices.Delete(d.group.runs, 0, n)
	d.group.outcomes = slices.Delete(d.group.outcomes, 0, n)
	return taken
}

// storeDeferred stores deferred outcomes as their rows come free, until ctx ends.
func (f *Finisher) storeDeferred(ctx context.Context) {
	loop := kappa.Loop{Name: "storing outcomes of locked jobs", Every: deferredEvery, Later: true}
	_ = loop.Run(ctx, func(ctx context.Context) error { // it and its rounds only ever return nil
		g := f.deferred.take(maxFinish)
		if len(g.runs) == 0 {
			return nil
		}
		free, ok := f.deferLocked(ctx, g)
		if !ok {
			f.deferred.add(g.runs, g.outcomes)
			return nil
		}
		for i := range free.runs { // they may be of several workers
			f.storeOutcomes(ctx, free.runs[i:i+1], free.outcomes[i:i+1])
		}
		return nil
	})
}

// deferLocked defers those of a group whose rows are locked, and returns the
// others. It reports false, and defers none, when the database does not say which
// these are.
func (f *Finisher) deferLocked(ctx context.Context, g group) (free group, ok bool) {
	ids := make([]string, len(g.runs))
	for i, r := range g.runs {
		ids[i] = r.claim.JobID
	}
	pollCtx, cancel := context.WithTimeout(ctx, deferredTimeout)
	defer cancel()
	locked, err := f.store.Locked(pollCtx, ids)
	if err != nil {
		return group{}, false
	}
	for i, r := range g.runs {
		if slices.Contains(locked, r.claim.JobID) {
			f.deferred.add(g.runs[i:i+1], g.outcomes[i:i+1])
			continue
		}
		free.runs = append(free.runs, r)
		free.outcomes = append(free.outcomes, g.outcomes[i])
	}
	return free, true
}
