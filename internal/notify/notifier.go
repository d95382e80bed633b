package notify

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	notifyEvery   = 20 * time.Millisecond // at most 50 notifications a second
	maxPayload    = 256                   // bytes; PostgreSQL allows 7,999
	everything    = "*"                   // payload: look at all watched jobs
	notifyTimeout = 5 * time.Second
)

// Notifier tells the other servers which jobs have new events. It collects what
// comes within 20 ms into one notification, outside the transactions that wrote
// the events: a notification inside them would serialise their commits.
type Notifier struct {
	id   string
	send func(ctx context.Context, channel, payload string) error
	log  *slog.Logger
	wake chan struct{}

	mu   sync.Mutex // guards what follows
	jobs map[string]struct{}
}

// NewNotifier returns a Notifier that sends in the name of process id; Run
// makes it send.
func NewNotifier(id string, send func(ctx context.Context, channel, payload string) error, log *slog.Logger) *Notifier {
	return &Notifier{id: id, send: send, log: log, wake: make(chan struct{}, 1), jobs: map[string]struct{}{}}
}

// Tell notes jobs that have new events. It returns at once.
func (n *Notifier) Tell(jobIDs ...string) {
	n.mu.Lock()
	for _, id := range jobIDs {
		n.jobs[id] = struct{}{}
	}
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// Run sends until ctx ends, and returns nil. What could not be sent is lost:
// the others look on their own every few seconds.
func (n *Notifier) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.wake:
		}
		n.flush(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(notifyEvery):
		}
	}
}

// flush sends what was noted as one notification.
func (n *Notifier) flush(ctx context.Context) {
	n.mu.Lock()
	jobs := n.jobs
	n.jobs = map[string]struct{}{}
	n.mu.Unlock()
	if len(jobs) == 0 {
		return
	}
	sendCtx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	if err := n.send(sendCtx, ChannelEvents, payload(n.id, jobs)); err != nil && ctx.Err() == nil {
		n.log.WarnContext(ctx, "telling the other servers failed", "err", err)
	}
}

// payload names the sender and the jobs, or everything when they do not fit.
func payload(id string, jobs map[string]struct{}) string {
	words := make([]string, 0, len(jobs)+1)
	for job := range jobs {
		words = append(words, job)
	}
	slices.Sort(words)
	p := strings.Join(append([]string{id}, words...), " ")
	if len(p) > maxPayload {
		return id + " " + everything
	}
	return p
}

// ReceiveEvents returns a handler for ChannelEvents that passes the hints of
// other processes to the hub. Its own are known already.
func ReceiveEvents(id string, hub *Hub) func(payload string) {
	return func(payload string) {
		words := strings.Fields(payload)
		if len(words) < 2 || words[0] == id {
			return
		}
		if words[1] == everything {
			hub.HintAll()
			return
		}
		hub.Hint(words[1:]...)
	}
}
