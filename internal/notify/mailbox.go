package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	mailboxEvents  = 256                  // a reader may lag by so many events, or by
	mailboxPerJob  = 4                    // so many for each job that it watches, whichever is more
	mailboxLag     = time.Second          // for a reader that lags by more, unless it is by
	mailboxBurst   = 8                    // times as many: what is read at once after an outage must fit
	watchAgain     = 5 * time.Millisecond // until the table has what was notified already
	mailboxChanges = 10_000               // a reader that lags by more changed jobs is asked to read all again
)

// mailbox is a work.Subscription. While it is empty it holds no memory for
// events: what was collected belongs to the one who took it.
type mailbox struct {
	hub   *Hub
	all   bool
	ready kappa.Waker

	watches map[string]*watch // by job; guarded by the Hub's mutex

	mu    sync.Mutex // guards what follows; never held while the Hub's is awaited
	round uint32     // how often events were taken; see watch
	full  time.Time  // since when the reader lags by more than it may; zero while it does not
	next  work.Delivery
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
	return &mailbox{hub: h, all: all, ready: kappa.NewWaker(), watches: map[string]*watch{}}
}

// Watch implements work.Subscription. The job's place in its history is read
// once for all who watch it at the same time. When a source has named an event
// that the table does not show yet, Watch returns when it does, so that the
// history that is read afterwards has what was delivered to others before.
func (m *mailbox) Watch(ctx context.Context, jobID string) error {
	w, added, need, err := m.enter(jobID)
	if err != nil || w == nil {
		return err
	}
	for wait := watchAgain; ; wait = min(2*wait, retryMost) {
		last, err := m.hub.readPlace(ctx, w.topic)
		if err == nil && last >= need {
			return nil
		}
		if err == nil {
			select {
			case <-ctx.Done():
				err = fmt.Errorf("watch %s: %w", jobID, ctx.Err())
			case <-time.After(wait):
				if m.watching(w) {
					continue
				}
				err = errEnded()
			}
		}
		if added {
			m.Unwatch(jobID)
		}
		return err
	}
}

// enter registers the interest in a job. It returns no watch when nothing is
// left to do: the table is known to have what was delivered of the job. Otherwise
// need is the number of the last event that the table must have first.
func (m *mailbox) enter(jobID string) (w *watch, added bool, need int64, err error) {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	if m.hub.closed {
		return nil, false, 0, errStopping()
	}
	if _, ok := m.hub.subs[m]; !ok {
		return nil, false, 0, errEnded()
	}
	w, added = m.hub.watchLocked(m, jobID)
	if w.topic.known && w.topic.last <= w.topic.stored {
		return nil, false, 0, nil
	}
	return w, added, w.topic.last, nil
}

// watching reports whether w goes on: its subscription may have ended meanwhile.
func (m *mailbox) watching(w *watch) bool {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	return m.watches[w.topic.jobID] == w
}

func errEnded() error {
	return kappa.NewError(kappa.CodeUnavailable, "the subscription has ended; subscribe again")
}

// Unwatch implements work.Subscription.
func (m *mailbox) Unwatch(jobID string) {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	if w := m.watches[jobID]; w != nil {
		m.hub.unwatchLocked(w)
	}
}

// Ready implements work.Subscription.
func (m *mailbox) Ready() <-chan struct{} { return m.ready.C() }

// Take implements work.Subscription.
func (m *mailbox) Take() work.Delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.ready.C():
	default:
	}
	d := m.next
	if len(m.other) > 0 {
		d.Changed = slices.Collect(maps.Keys(m.other))
	}
	m.next, m.other, m.full = work.Delivery{Ended: d.Ended}, nil, time.Time{}
	m.round++
	return d
}

// Close implements work.Subscription. What was not taken yet is let go.
func (m *mailbox) Close() {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	m.hub.dropLocked(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next, m.other = work.Delivery{Ended: true}, nil
	m.round++
	m.ready.Wake()
}

// put adds an event of a watched job, or has it replace the progress that it
// follows. The Hub's mutex is held.
func (m *mailbox) put(w *watch, e *work.Event) putResult {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next.Ended {
		return putRefused
	}
	progress := e.Kind == work.EventProgress
	if progress && w.place >= 0 && w.round == m.round {
		m.next.Events[w.place] = e
		return putReplaced
	}
	if m.overflowsLocked() {
		m.next.Ended = true
		m.ready.Wake()
		return putOverflowed
	}
	w.place, w.round = -1, m.round
	if progress {
		w.place = len(m.next.Events)
	}
	m.next.Events = append(m.next.Events, e)
	m.ready.Wake()
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
		return n >= mailboxBurst*limit || time.Since(m.full) > mailboxLag
	}
}

// gone says that a watched job was deleted.
func (m *mailbox) gone(jobID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next.Gone = append(m.next.Gone, jobID)
	m.ready.Wake()
}

// changed says that a job which is not watched may have new events.
func (m *mailbox) changed(jobID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.next.Resync: // who reads all again finds this one too
		return
	case len(m.other) >= mailboxChanges:
		m.next.Resync, m.other = true, nil
	case m.other == nil:
		m.other = map[string]struct{}{jobID: {}}
	default:
		m.other[jobID] = struct{}{}
	}
	m.ready.Wake()
}

// resynced says that messages may have been lost.
func (m *mailbox) resynced() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next.Resync, m.other = true, nil
	m.ready.Wake()
}

// end says that nothing follows; what was collected may still be taken.
func (m *mailbox) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next.Ended = true
	m.ready.Wake()
}
