package llm

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// rests are the waits that providers have asked for, as far as this process knows. The
// store's count for all processes; these close the time until that has them, or has them no
// more because it cannot be reached, and the time between a permission and its call.
//
// Several questions to the store are under way at once, and their answers may overtake each
// other: only one that was asked after a rest was learned of says that it is over.
type rests struct {
	unstored map[string]rest // that the store is still to learn of, by provider
	seen     map[string]rest // as the store has them
	asked    int             // questions to the store so far
}

// rest is one of them.
type rest struct {
	until   time.Time
	reason  string
	learned int // questions that had been asked by then
}

func newRests() rests { return rests{unstored: map[string]rest{}, seen: map[string]rest{}} }

// ask returns the number of a question to the store that begins now.
func (r *rests) ask() int {
	r.asked++
	return r.asked
}

// see takes those of the answer to a question. Of what was learned since it was asked it
// ends none and shortens none.
func (r *rests) see(question int, throttled map[string]models.ThrottledBy) {
	for provider, known := range r.seen {
		if known.learned < question {
			delete(r.seen, provider)
		}
	}
	for provider, by := range throttled {
		r.learn(provider, rest{until: time.Now().Add(by.Wait), reason: by.Reason})
	}
}

// learn keeps a rest, unless a later one is known.
func (r *rests) learn(provider string, found rest) {
	if found.learned = r.asked; found.until.After(r.seen[provider].until) {
		r.seen[provider] = found
	}
}

// stored says that the store knows of a provider's rest, for how long it lasts from now.
func (r *rests) stored(provider string, wait time.Duration) {
	reason := r.unstored[provider].reason
	delete(r.unstored, provider)
	r.learn(provider, rest{until: time.Now().Add(wait), reason: reason})
}

// of returns for how long a provider rests; no wait: it does not.
func (r *rests) of(provider string) models.ThrottledBy {
	latest := r.seen[provider]
	if own := r.unstored[provider]; own.until.After(latest.until) {
		latest = own
	}
	return models.ThrottledBy{Wait: max(time.Until(latest.until), 0), Reason: latest.reason}
}

// begin notes that a provider rests, before that is stored.
func (g *Governor) begin(provider string, by models.ThrottledBy) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(by.Wait); until.After(g.rests.unstored[provider].until) {
		g.rests.unstored[provider] = rest{until: until, reason: by.Reason}
	}
}

// restOf returns for how long a provider rests.
func (g *Governor) restOf(provider string) models.ThrottledBy {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rests.of(provider)
}

// rest waits until a provider may be called again, or returns that it is away for longer
// than the Governor waits, or the cause of ctx.
func (g *Governor) rest(ctx context.Context, provider string, by models.ThrottledBy) error {
	if by.Wait > g.cfg.Patience {
		return away(provider, by)
	}
	if !kappa.Sleep(ctx, by.Wait) {
		return context.Cause(ctx)
	}
	return nil
}

// ask returns the number of a question to the store that begins now.
func (g *Governor) ask() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rests.ask()
}
