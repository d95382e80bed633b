package vocabulary

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
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
		if wait := time.Until(k.retry); wait > 0 { // what failed fails no less for a change of the graph
			timer.Reset(wait)
			continue
		}
		err := k.round(ctx)
		if wait := k.fail(err); err != nil && ctx.Err() == nil {
			v.cfg.Log.WarnContext(ctx, "measuring the vocabulary failed", "err", err, "retry_in", wait)
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

	failures int       // in a row
	retry    time.Time // nothing is done before; zero after a round that went well
}

// fail notes how a round went, and returns how long after it the next one begins at the
// earliest: ever longer after failures in a row, and as long as the model is known to be
// away. A provider that refuses us is not asked every few seconds for ever.
func (k *keeper) fail(err error) time.Duration {
	if err == nil {
		k.failures, k.retry = 0, time.Time{}
		return 0
	}
	k.failures++
	away, _ := kappa.Postponed(err)
	wait := max(checkEvery, kappa.Backoff(k.failures, rand.Float64()), away)
	k.retry = time.Now().Add(wait)
	return wait
}

// next returns when to check again: at the end of a rest, if that comes first. heard says
// that a change would wake it.
func (k *keeper) next(heard bool) time.Duration {
	if wait := time.Until(k.retry); wait > 0 {
		return wait
	}
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
	_, err = k.v.Measure(ctx, vocabulary.DefaultSampleSize, true)
	end := time.Now()
	k.rested = end.Add(max(leastRest, restFactor*end.Sub(began)))
	return err
}
