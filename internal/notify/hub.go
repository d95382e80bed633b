package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// events is where the Hub reads.
type events interface {
	EventsOf(ctx context.Context, after map[string]int64, limit int) ([]work.Event, error)
	EventSeqs(ctx context.Context, ids []string) (map[string]int64, error)
}

// AllJobs stands for every job where a job's id is expected: in the hook of
// OnInterest, and in the payload of a notification that has no room for ids.
const AllJobs = "*"

// Hub hands the events of jobs to the subscribers inside this process. However
// many subscribers a job has, its events are read once, and not at all when a
// source has handed them over in order. It is a Sink.
type Hub struct {
	store    events
	log      *slog.Logger
	poll     time.Duration // between two times that all jobs are reconciled
	wake     kappa.Waker   // there is something to read
	interest func(jobID string, watched bool)

	mu             sync.Mutex // guards what follows, and comes before the mutex of a mailbox
	topics         map[string]*topic
	subs           map[*mailbox]struct{}
	all            map[*mailbox]struct{} // of subs, those to all jobs
	dirty          map[string]struct{}   // watched jobs that may have new events
	awaited        map[string]struct{}   // watched jobs of which the table does not show yet what was notified
	notifiedWait   time.Duration         // until they are read again
	notified       notifiedSeqs          // of jobs that nobody watches
	unconfirmed    map[string]struct{}   // watched jobs that may be gone
	allUnconfirmed bool
	stats          work.HubStats
	closed         bool
}

// NewHub returns a Hub; Run makes it deliver.
func NewHub(store events, log *slog.Logger) *Hub {
	return &Hub{
		store: store, log: log, poll: safetyPoll, wake: kappa.NewWaker(),
		interest: func(string, bool) {},
		topics:   map[string]*topic{}, subs: map[*mailbox]struct{}{}, all: map[*mailbox]struct{}{},
		dirty: map[string]struct{}{}, unconfirmed: map[string]struct{}{},
		awaited: map[string]struct{}{}, notifiedWait: notifiedFirst,
	}
}

// OnInterest has f called when a job gets its first watcher and when it has lost
// its last one, and likewise for subscriptions to all jobs, with AllJobs as the
// id. f is called under the Hub's lock: it must neither block nor call the Hub.
// OnInterest comes before anything is subscribed.
func (h *Hub) OnInterest(f func(jobID string, watched bool)) { h.interest = f }

// Subscribe returns a subscription that watches no job yet. It returns
// CodeUnavailable once the Hub has stopped.
func (h *Hub) Subscribe() (work.Subscription, error) { return h.subscribe(false) }

// SubscribeAll returns a subscription that is notified of the jobs it does not watch
// too, that they changed. It returns CodeUnavailable once the Hub has stopped.
func (h *Hub) SubscribeAll() (work.Subscription, error) { return h.subscribe(true) }

func (h *Hub) subscribe(all bool) (work.Subscription, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errStopping()
	}
	m := newMailbox(h, all)
	h.subs[m] = struct{}{}
	if all {
		h.all[m] = struct{}{}
		if len(h.all) == 1 {
			h.interest(AllJobs, true)
		}
	}
	return m, nil
}

func errStopping() error {
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: "the server is stopping; connect again", RetryAfter: time.Second}
}

// Publish delivers committed events. What follows an event that was not seen is
// kept until the table has been read. It returns at once.
func (h *Hub) Publish(events []work.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range events {
		e := &events[i]
		if t := h.topics[e.JobID]; t != nil {
			h.offerLocked(t, e)
		} else {
			h.notified.add(e.JobID, e.Seq)
		}
		h.changedLocked(e.JobID)
	}
}

// Hint says that jobs may have new events. It returns at once; hints for jobs
// that nobody watches cost one access of a map.
func (h *Hub) Hint(jobIDs ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range jobIDs {
		if t := h.topics[id]; t != nil {
			h.markLocked(t)
		}
		h.changedLocked(id)
	}
}

// Resync says that any message may have been lost. All watched jobs are reconciled
// with one statement, and subscriptions to all jobs are notified. It returns at
// once.
func (h *Hub) Resync() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.allUnconfirmed = true
	h.wake.Wake()
	for m := range h.all {
		m.resynced()
	}
}

// Deleted says that jobs may have been deleted. Their watchers are notified once the
// database has confirmed it, so that a wrong call is harmless. It returns at
// once.
func (h *Hub) Deleted(jobIDs ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range jobIDs {
		if h.topics[id] != nil {
			h.unconfirmed[id] = struct{}{}
			h.wake.Wake()
		}
		h.changedLocked(id)
	}
}

// Stats returns the Hub's figures.
func (h *Hub) Stats() work.HubStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.stats
	s.Watched, s.Subscribers = len(h.topics), len(h.subs)
	return s
}

// changedLocked notifies the subscriptions to all jobs about one that they do not
// watch.
func (h *Hub) changedLocked(jobID string) {
	for m := range h.all {
		if m.watches[jobID] == nil {
			m.changed(jobID)
		}
	}
}

// dropLocked ends the subscription of m: it watches nothing and is notified of nothing
// any more.
func (h *Hub) dropLocked(m *mailbox) {
	if _, ok := h.subs[m]; !ok {
		return
	}
	delete(h.subs, m)
	for _, w := range m.watches {
		h.unwatchLocked(w)
	}
	if m.all {
		delete(h.all, m)
		if len(h.all) == 0 {
			h.interest(AllJobs, false)
		}
	}
}

// close ends every subscription; none can be made afterwards.
func (h *Hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for m := range h.subs {
		m.end()
		h.dropLocked(m)
	}
}
