package vocabulary

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	// checkEvery is how often it is asked whether there is something to measure,
	// besides Wake: two lookups in an index. Between two of them is at least checkGap,
	// whatever wakes it. While wake-ups arrive and nothing is to be measured it is asked
	// every checkHeard.
	checkGap     = 100 * time.Millisecond
	checkEvery   = 2 * time.Second
	checkHeard   = 10 * time.Second
	checkTimeout = time.Minute
	// restFactor is how many times as long as a measurement took no other one
	// begins: a graph that changes all the time costs 5 % of a core at most.
	restFactor = 20
	leastRest  = 5 * time.Second
)

// Run keeps the measures fresh until ctx ends; it returns nil. One process of an
// installation runs it, its leader.
func (v *Vocabulary) Run(ctx context.Context) error {
	k := keeper{v: v}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-v.wake.C():
		case <-timer.C:
		}
		err := k.round(ctx)
		if err != nil && ctx.Err() == nil {
			v.cfg.Log.WarnContext(ctx, "measuring the vocabulary failed", "err", err, "retry_in", checkEvery)
		}
		timer.Reset(k.next(err == nil && v.cfg.Heard != nil && v.cfg.Heard()))
		if !kappa.Sleep(ctx, checkGap) {
			return nil
		}
	}
}

// keeper is one run.
type keeper struct {
	v       *Vocabulary
	checked bool      // the texts of all types were compared once
	rested  time.Time // no measurement begins before
}

// next returns when to check again: at the end of a rest, if that comes first. heard says
// that a change would wake it.
func (k *keeper) next(heard bool) time.Duration {
	if rest := time.Until(k.rested); rest > 0 {
		return min(checkEvery, rest)
	}
	if heard {
		return checkHeard
	}
	return checkEvery
}

// round does what waits to be done.
func (k *keeper) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	types, measurement, err := k.v.cfg.Store.VocabularyPending(ctx, k.v.cfg.Embedder.Model().Name)
	if err != nil {
		return err
	}
	if types || !k.checked {
		n, err := k.v.Embed(ctx)
		if err != nil {
			return err
		}
		k.checked = true
		measurement = measurement || n > 0
	}
	began := time.Now()
	if !measurement || began.Before(k.rested) {
		return nil
	}
	_, err = k.v.Measure(ctx, kappa.DefaultSampleSize, true)
	end := time.Now()
	k.rested = end.Add(max(leastRest, restFactor*end.Sub(began)))
	return err
}
