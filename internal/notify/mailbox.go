package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	mailboxEvents   = 256         // a reader may lag by so many events, or by
	mailboxPerJob   = 4           // so many for each job that it watches, whichever is more
	mailboxPatience = time.Second // for a reader that lags by more, unless it is by
	mailboxBurst    = 8           // times as many: what is read at once after an outage must fit
	mailboxChanges  = 10_000      // a reader that lags by more changed jobs is told to look at all
)

// mailbox is a kappa.Subscription. While it is empty it holds no memory for
// events: what was collected belongs to whoever took it.
type mailbox struct {
	hub   *Hub
	all   bool
	ready chan struct{}

	watches map[string]*watch // by job; guarded by the Hub's mutex

	mu    sync.Mutex // guards what follows; never held while the Hub's is awaited
	round uint32     // how often events were taken; see watch
	full  time.Time  // since when the reader lags by more than it may; zero while it does not
	next  kappa.Delivery
	other map[string]struct{} // becomes Delivery.Changed
}

// How a mailbox took an event.
type putResult int

const (
	putAdded      putResult = iota
	putReplaced             // it took the place of earlier progress
	putOverflowed           // there was no room: the subscription has ended
	putRefused              // the subscription had ended
)

func newMailbox(h *Hub, all bool) *mailbox {
	return &mailbox{hub: h, all: all, ready: make(chan struct{}, 1), watches: map[string]*watch{}}
}

// Watch implements kappa.Subscription. The job's place in its history is read
// once for all who watch it at the same time.
func (m *mailbox) Watch(ctx context.Context, jobID string) error {
	w, added, err := m.enter(jobID)
	if err != nil || w == nil {
		return err
	}
	seqs, err := m.hub.store.EventSeqs(ctx, []string{jobID})
	if err != nil {
		err = fmt.Errorf("watch %s: %w", jobID, err)
	}
	last, found := seqs[jobID]
	if err == nil && !found {
		err = kappa.NewError(kappa.CodeNotFound, "Job not found: "+jobID)
	}
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	m.hub.stats.Reads++
	switch {
	case err == nil:
		m.hub.startLocked(w.topic, last)
	case added:
		m.hub.unwatchLocked(w)
	}
	return err
}

// enter registers the interest in a job. It returns no watch when nothing is
// left to do: the job's place in its history is known.
func (m *mailbox) enter(jobID string) (w *watch, added bool, err error) {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	if m.hub.closed {
		return nil, false, errStopping()
	}
	if _, ok := m.hub.subs[m]; !ok {
		return nil, false, kappa.NewError(kappa.CodeUnavailable, "the subscription has ended; subscribe again")
	}
	w, added = m.hub.watchLocked(m, jobID)
	if w.topic.known {
		return nil, false, nil
	}
	return w, added, nil
}

// Unwatch implements kappa.Subscription.
func (m *mailbox) Unwatch(jobID string) {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	if w := m.watches[jobID]; w != nil {
		m.hub.unwatchLocked(w)
	}
}

// Ready implements kappa.Subscription.
func (m *mailbox) Ready() <-chan struct{} { return m.ready }

// Take implements kappa.Subscription.
func (m *mailbox) Take() kappa.Delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.ready:
	default:
	}
	d := m.next
	if len(m.other) > 0 {
		d.Changed = slices.Collect(maps.Keys(m.other))
	}
	m.next, m.other, m.full = kappa.Delivery{Ended: d.Ended}, nil, time.Time{}
	m.round++
	return d
}

// Close implements kappa.Subscription. What was not taken yet is let go.
func (m *mailbox) Close() {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	m.hub.dropLocked(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next, m.other = kappa.Delivery{Ended: true}, nil
	m.round++
	m.signalLocked()
}

// put adds an event of a watched job, or has it replace the progress that it
// follows. The Hub's mutex is held.
func (m *mailbox) put(w *watch, e *kappa.Event) putResult {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next.Ended {
		return putRefused
	}
	progress := e.Kind == kappa.EventProgress
	if progress && w.place >= 0 && w.round == m.round {
		m.next.Events[w.place] = e
		return putReplaced
	}
	if m.overflowsLocked() {
		m.next.Ended = true
		m.signalLocked()
		return putOverflowed
	}
	w.place, w.round = -1, m.round
	if progress {
		w.place = len(m.next.Events)
	}
	m.next.Events = append(m.next.Events, e)
	m.signalLocked()
	return putAdded
}

// overflowsLocked reports whether the reader is too slow for one more event. One
// that takes what it is given is not, however much comes at once.
func (m *mailbox) overflowsLocked() bool {
	limit := max(mailboxEvents, mailboxPerJob*len(m.watches))
	switch n := len(m.next.Events); {
	case n < limit:
		return false
	case m.full.IsZero():
		m.full = time.Now()
		return false
	default:
		return n >= mailboxBurst*limit || time.Since(m.full) > mailboxPatience
	}
}

// gone says that a watched job was deleted.
func (m *mailbox) gone(jobID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next.Gone = append(m.next.Gone, jobID)
	m.signalLocked()
}

// changed says that a job which is not watched may have new events.
func (m *mailbox) changed(jobID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.next.Resync: // whoever looks at all finds this one too
		return
	case len(m.other) >= mailboxChanges:
		m.next.Resync, m.other = true, nil
	case m.other == nil:
		m.other = map[string]struct{}{jobID: {}}
	default:
		m.other[jobID] = struct{}{}
	}
	m.signalLocked()
}

// resynced says that messages may have been lost.
func (m *mailbox) resynced() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next.Resync, m.other = true, nil
	m.signalLocked()
}

// end says that nothing follows; what was collected may still be taken.
func (m *mailbox) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next.Ended = true
	m.signalLocked()
}

func (m *mailbox) signalLocked() {
	select {
	case m.ready <- struct{}{}:
	default:
	}
}
