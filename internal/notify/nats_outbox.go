package notify

import (
	"sync"

	"github.com/kappagraph/kappa"
)

// maxOutbox is how many jobs and how many other messages wait to be sent. What
// does not fit becomes one message that has everything reconciled.
const maxOutbox = 4096

// natsOutbox collects what is to be sent. Putting something in returns at once,
// whatever NATS does; the same thing twice is sent once.
type natsOutbox struct {
	wake kappa.Waker // there may be something to send

	mu      sync.Mutex // guards pending
	pending natsBatch
}

// natsBatch is what is sent at a time.
type natsBatch struct {
	jobs       map[string]struct{} // with new events
	calls      map[natsCall]struct{}
	everything bool // too much happened: all reconcile everything
}

// natsCall is a message of a channel.
type natsCall struct{ channel, payload string }

func newNATSOutbox() *natsOutbox { return &natsOutbox{wake: kappa.NewWaker()} }

// add collects jobs that changed. Ids that cannot be in a subject are left out.
func (o *natsOutbox) add(jobIDs ...string) {
	o.mu.Lock()
	for _, id := range jobIDs {
		if safeToken(id) {
			o.pending.addJob(id)
		}
	}
	o.mu.Unlock()
	o.wake.Wake()
}

// relay records a message of a channel.
func (o *natsOutbox) relay(c natsCall) {
	o.mu.Lock()
	o.pending.addCall(c)
	o.mu.Unlock()
	o.wake.Wake()
}

// resync has everything reconciled by all.
func (o *natsOutbox) resync() {
	o.mu.Lock()
	o.pending = natsBatch{everything: true}
	o.mu.Unlock()
	o.wake.Wake()
}

// take returns what waits, and forgets it.
func (o *natsOutbox) take() natsBatch {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.pending
	o.pending = natsBatch{}
	return b
}

// putBack keeps what could not be sent for the next time.
func (o *natsOutbox) putBack(b natsBatch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b.everything {
		o.pending = natsBatch{everything: true}
		return
	}
	for id := range b.jobs {
		o.pending.addJob(id)
	}
	for c := range b.calls {
		o.pending.addCall(c)
	}
}

func (b *natsBatch) empty() bool { return !b.everything && len(b.jobs) == 0 && len(b.calls) == 0 }

func (b *natsBatch) addJob(id string) {
	if b.everything {
		return
	}
	if b.jobs == nil {
		b.jobs = map[string]struct{}{}
	}
	b.jobs[id] = struct{}{}
	b.limit()
}

func (b *natsBatch) addCall(c natsCall) {
	if b.everything {
		return
	}
	if b.calls == nil {
		b.calls = map[natsCall]struct{}{}
	}
	b.calls[c] = struct{}{}
	b.limit()
}

// limit keeps a batch small while NATS is away.
func (b *natsBatch) limit() {
	if len(b.jobs) > maxOutbox || len(b.calls) > maxOutbox {
		*b = natsBatch{everything: true}
	}
}
