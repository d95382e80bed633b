package notify

import (
	"context"
	"sync"
	"time"

	"github.com/kappagraph/kappa/work"
)

// outage records when something was broken.
type outage struct {
	mu    sync.Mutex // guards what follows
	open  int
	spans []span
	worst time.Duration // of what note was given
}

type span struct{ from, to time.Time }

// begin records that it is broken from now on, and until end is called.
func (o *outage) begin() (end func()) {
	from := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.open--
		o.spans = append(o.spans, span{from, time.Now()})
	}
}

// note records it as broken from a moment until now, if what was tried then failed
// or took long.
func (o *outage) note(from time.Time, err error) {
	now := time.Now()
	if err == nil && now.Sub(from) < slowStatement {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spans = append(o.spans, span{from, now})
	o.worst = max(o.worst, now.Sub(from))
}

// healed returns when it was last broken, now if it is; zero if it never was.
func (o *outage) healed(now time.Time) (last time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open > 0 {
		return now
	}
	for _, s := range o.spans {
		last = later(last, s.to)
	}
	return last
}

// near reports whether it was broken at a moment, or shortly before or after.
func (o *outage) near(at time.Time, slack time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open > 0 {
		return true
	}
	for _, s := range o.spans {
		if at.After(s.from.Add(-slack)) && at.Before(s.to.Add(slack)) {
			return true
		}
	}
	return false
}

// later returns the latest of several moments.
func later(moments ...time.Time) (last time.Time) {
	for _, m := range moments {
		if m.After(last) {
			last = m
		}
	}
	return last
}

// slowStatement is how long a statement takes that has to wait for something.
const slowStatement = 250 * time.Millisecond

// reachable is a store that records when it did not answer, or late: then the hub
// cannot be expected to deliver.
type reachable struct {
	*pgStore
	outage *outage
}

// EventsOf implements events.
func (r reachable) EventsOf(ctx context.Context, after map[string]int64, limit int) ([]work.Event, error) {
	began := time.Now()
	list, err := r.pgStore.EventsOf(ctx, after, limit)
	r.outage.note(began, err)
	return list, err
}

// EventSeqs implements events.
func (r reachable) EventSeqs(ctx context.Context, ids []string) (map[string]int64, error) {
	began := time.Now()
	seqs, err := r.pgStore.EventSeqs(ctx, ids)
	r.outage.note(began, err)
	return seqs, err
}

// notify sends a notification, as the store does for the Notifier.
func (r reachable) notify(ctx context.Context, channel, payload string) error {
	began := time.Now()
	err := r.pgStore.notify(ctx, channel, payload)
	r.outage.note(began, err)
	return err
}
