package notify

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	subscriberBuffer = 256              // events a reader may lag behind
	readBatch        = 1000             // events read at a time
	safetyPoll       = 5 * time.Second  // look at watched jobs even without a hint
	readTimeout      = 10 * time.Second // for one read of events
	retryRead        = 200 * time.Millisecond
)

// events is where the Hub reads.
type events interface {
	EventsOf(ctx context.Context, after map[string]int64, limit int) ([]kappa.Event, error)
	EventSeqs(ctx context.Context, ids []string) (map[string]int64, error)
}

// Hub hands the events of jobs to the subscribers inside this process. However
// many subscribers a job has, its events are read once.
type Hub struct {
	store events
	log   *slog.Logger
	wake  chan struct{}

	mu     sync.Mutex // guards what follows
	topics map[string]*topic
	dirty  map[string]struct{} // watched jobs that may have new events
	closed bool
}

// topic is a watched job.
type topic struct {
	known       bool  // last is valid
	last        int64 // number of the last event that was delivered
	subscribers map[*subscriber]struct{}
}

// subscriber has a buffer of pointers: readers are many, and of one job's events
// they all get the same.
type subscriber struct{ events chan *kappa.Event }

// NewHub returns a Hub; Run makes it deliver.
func NewHub(store events, log *slog.Logger) *Hub {
	return &Hub{
		store: store, log: log, wake: make(chan struct{}, 1),
		topics: map[string]*topic{}, dirty: map[string]struct{}{},
	}
}

// Subscribe delivers the events of a job that are committed from now on.
// Whoever wants the earlier ones reads them after this call, and drops from the
// subscription what that read contained. It returns an error when the database
// cannot be read, and CodeNotFound for an unknown job.
func (h *Hub) Subscribe(ctx context.Context, jobID string) (kappa.Subscription, error) {
	s := &subscriber{events: make(chan *kappa.Event, subscriberBuffer)}
	known, err := h.add(jobID, s)
	if err != nil {
		return kappa.Subscription{}, err
	}
	remove := func() { h.remove(jobID, s) }
	if !known {
		seqs, err := h.store.EventSeqs(ctx, []string{jobID})
		if err != nil {
			remove()
			return kappa.Subscription{}, fmt.Errorf("subscribe to %s: %w", jobID, err)
		}
		last, ok := seqs[jobID]
		if !ok {
			remove()
			return kappa.Subscription{}, kappa.NewError(kappa.CodeNotFound, "Job not found: "+jobID)
		}
		h.start(jobID, last)
	}
	return kappa.Subscription{Events: s.events, Close: sync.OnceFunc(remove)}, nil
}

// add registers s and reports whether the job's place in its history is known.
func (h *Hub) add(jobID string, s *subscriber) (known bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false, &kappa.Error{Code: kappa.CodeUnavailable, Message: "the server is stopping; connect again", RetryAfter: time.Second}
	}
	t := h.topics[jobID]
	if t == nil {
		t = &topic{subscribers: map[*subscriber]struct{}{}}
		h.topics[jobID] = t
	}
	t.subscribers[s] = struct{}{}
	return t.known, nil
}

// start says from where the events of a newly watched job are delivered.
func (h *Hub) start(jobID string, last int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[jobID]; t != nil && !t.known {
		t.known, t.last = true, last
		h.markLocked(jobID)
	}
}

func (h *Hub) remove(jobID string, s *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropLocked(jobID, s)
}

// dropLocked ends a subscription; the last one of a job ends its topic.
func (h *Hub) dropLocked(jobID string, s *subscriber) {
	t := h.topics[jobID]
	if t == nil {
		return
	}
	if _, ok := t.subscribers[s]; !ok {
		return
	}
	delete(t.subscribers, s)
	close(s.events)
	if len(t.subscribers) == 0 {
		delete(h.topics, jobID)
		delete(h.dirty, jobID)
	}
}

// Hint says that jobs may have new events. It returns at once; hints for jobs
// that nobody watches cost a look into a map.
func (h *Hub) Hint(jobIDs ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range jobIDs {
		if h.topics[id] != nil {
			h.markLocked(id)
		}
	}
}

// HintAll says that any job may have new events: messages may have been lost.
func (h *Hub) HintAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.topics {
		h.markLocked(id)
	}
}

func (h *Hub) markLocked(jobID string) {
	h.dirty[jobID] = struct{}{}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Watched returns how many jobs have subscribers.
func (h *Hub) Watched() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.topics)
}

// Run reads and delivers events until ctx ends. It then closes every
// subscription and returns nil.
func (h *Hub) Run(ctx context.Context) error {
	defer h.close()
	poll := time.NewTicker(safetyPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
			h.HintAll()
		case <-h.wake:
		}
		if err := h.deliver(ctx); err != nil && ctx.Err() == nil {
			h.log.WarnContext(ctx, "reading events failed", "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(retryRead):
			}
			h.HintAll()
		}
	}
}

// deliver reads the events of the jobs that were hinted at, until there are no
// more, and hands them out.
func (h *Hub) deliver(ctx context.Context) error {
	for {
		after := h.takeDirty()
		if len(after) == 0 {
			return nil
		}
		readCtx, cancel := context.WithTimeout(ctx, readTimeout)
		list, err := h.store.EventsOf(readCtx, after, readBatch)
		cancel()
		if err != nil {
			return err
		}
		h.publish(list)
		if len(list) == readBatch {
			h.mark(after)
		}
	}
}

// takeDirty returns the jobs to read, with the last event that each one's
// subscribers have.
func (h *Hub) takeDirty() map[string]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	after := make(map[string]int64, len(h.dirty))
	for id := range h.dirty {
		if t := h.topics[id]; t.known {
			after[id] = t.last
			delete(h.dirty, id)
		}
	}
	return after
}

// mark has jobs read again.
func (h *Hub) mark(jobs map[string]int64) {
	ids := make([]string, 0, len(jobs))
	for id := range jobs {
		ids = append(ids, id)
	}
	h.Hint(ids...)
}

// publish hands events to their subscribers. One that cannot take another is
// closed, never waited for.
func (h *Hub) publish(list []kappa.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range list {
		e := &list[i]
		t := h.topics[e.JobID]
		if t == nil || !t.known || e.Seq <= t.last {
			continue
		}
		t.last = e.Seq
		for s := range t.subscribers {
			select {
			case s.events <- e:
			default:
				h.dropLocked(e.JobID, s)
			}
		}
	}
}

func (h *Hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for id, t := range h.topics {
		for s := range t.subscribers {
			h.dropLocked(id, s)
		}
	}
}
