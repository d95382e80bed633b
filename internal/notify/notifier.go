package notify

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// At most notifyBurst + 1 s / notifyEvery = 50 notifications go out in any
// second, and the first ones after a pause at once.
const (
	notifyEvery   = 25 * time.Millisecond // between notifications, when there are many
	notifyBurst   = 10                    // that many need no pause between them
	maxPayload    = 256                   // bytes; PostgreSQL allows 7,999
	notifyTimeout = 5 * time.Second
	notifyAgain   = time.Second // after a notification that could not be sent
)

// Notifier notifies the other servers of jobs that have new events. It sends at most
// 50 notifications in a second, the first ones at once, and what comes meanwhile
// in one, outside the transactions that wrote the events: a notification inside
// them would serialise their commits.
type Notifier struct {
	id   string
	send func(ctx context.Context, channel, payload string) error
	log  *slog.Logger
	wake kappa.Waker

	mu   sync.Mutex // guards what follows
	jobs map[string]struct{}
}

// NewNotifier returns a Notifier that sends in the name of process id; Run
// makes it send.
func NewNotifier(id string, send func(ctx context.Context, channel, payload string) error, log *slog.Logger) *Notifier {
	return &Notifier{id: id, send: send, log: log, wake: kappa.NewWaker(), jobs: map[string]struct{}{}}
}

// Notify has the other servers notified of jobs that have new events. It returns at once.
func (n *Notifier) Notify(jobIDs ...string) {
	n.mu.Lock()
	for _, id := range jobIDs {
		n.jobs[id] = struct{}{}
	}
	n.mu.Unlock()
	n.wake.Wake()
}

// Run sends until ctx ends, and returns nil. What could not be sent, because all
// connections are busy for example, is sent again: the others poll every
// few seconds, but only at jobs that somebody watches.
func (n *Notifier) Run(ctx context.Context) error {
	var booked time.Time // one notification every notifyEvery would have lasted until then
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.wake.C():
		}
		now := time.Now()
		if booked.Before(now) {
			booked = now
		}
		booked = booked.Add(notifyEvery)
		err := n.flush(ctx)
		rest := time.Until(booked.Add(-notifyBurst * notifyEvery))
		if err != nil {
			rest = max(rest, notifyAgain)
		}
		if err != nil && !failing && ctx.Err() == nil {
			n.log.WarnContext(ctx, "notifying the other servers failed; trying again", "err", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		}
	}
}

// flush sends what was collected as one notification. After an error that is collected still,
// or, when it is much, that there was something.
func (n *Notifier) flush(ctx context.Context) error {
	n.mu.Lock()
	jobs := n.jobs
	n.jobs = map[string]struct{}{}
	n.mu.Unlock()
	if len(jobs) == 0 {
		return nil
	}
	sendCtx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	text := payload(n.id, jobs)
	err := n.send(sendCtx, ChannelEvents, text)
	if err != nil {
		n.Notify(strings.Fields(text)[1:]...)
	}
	return err
}

// payload names the sender and the jobs, or all of them when they do not fit.
func payload(id string, jobs map[string]struct{}) string {
	words := make([]string, 0, len(jobs)+1)
	for job := range jobs {
		words = append(words, job)
	}
	slices.Sort(words)
	p := strings.Join(append([]string{id}, words...), " ")
	if len(p) > maxPayload {
		return id + " " + AllJobs
	}
	return p
}

// ReceiveEvents returns a handler for ChannelEvents that passes the hints of
// other processes to the hub. Those of process id are known already.
func ReceiveEvents(id string, hub Sink) func(payload string) {
	return func(payload string) {
		words := strings.Fields(payload)
		if len(words) < 2 || words[0] == id {
			return
		}
		if words[1] == AllJobs {
			hub.Resync()
			return
		}
		hub.Hint(words[1:]...)
	}
}
