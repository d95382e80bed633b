package llm

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
)

// rests are the waits that providers have asked for, as far as this process knows. The
// store's count for all processes; these close the time until that has them, or has them no
// more because it cannot be reached, and the time between a permission and its call.
type rests struct {
	unstored map[string]rest // that the store is still to learn of, by provider
	seen     map[string]rest // as the store last had them
}

// rest is one of them.
type rest struct {
	until  time.Time
	reason string
}

func newRests() rests { return rests{unstored: map[string]rest{}, seen: map[string]rest{}} }

// see replaces those of the store.
func (r *rests) see(throttled map[string]kappa.ThrottledBy) {
	clear(r.seen)
	for provider, by := range throttled {
		r.seen[provider] = rest{time.Now().Add(by.Wait), by.Reason}
	}
}

// stored says that the store knows of a provider's.
func (r *rests) stored(provider string) { delete(r.unstored, provider) }

// of returns for how long a provider rests; no wait: it does not.
func (r *rests) of(provider string) kappa.ThrottledBy {
	latest := r.seen[provider]
	if own := r.unstored[provider]; own.until.After(latest.until) {
		latest = own
	}
	return kappa.ThrottledBy{Wait: max(time.Until(latest.until), 0), Reason: latest.reason}
}

// begin notes that a provider rests, before that is stored.
func (g *Governor) begin(provider string, by kappa.ThrottledBy) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(by.Wait); until.After(g.rests.unstored[provider].until) {
		g.rests.unstored[provider] = rest{until, by.Reason}
	}
}

// restOf returns for how long a provider rests.
func (g *Governor) restOf(provider string) kappa.ThrottledBy {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rests.of(provider)
}

// rest waits until a provider may be called again, or returns that it is away for longer
// than the Governor waits, or the cause of ctx.
func (g *Governor) rest(ctx context.Context, provider string, by kappa.ThrottledBy) error {
	if by.Wait > g.cfg.Patience {
		return away(provider, by)
	}
	if !kappa.Sleep(ctx, by.Wait) {
		return context.Cause(ctx)
	}
	return nil
}
