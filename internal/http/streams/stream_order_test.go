package streams

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/work"
)

// lateWatches is a backend of streams in which a job changes right after a
// stream has read it. late has subscriptions begin to watch after that, as if a
// stream read the job first and subscribed second.
type lateWatches struct {
	*backend
	late bool

	mu      sync.Mutex
	pending []func() error
}

// Subscribe returns a subscription whose watches begin late.
func (l *lateWatches) Subscribe() (work.Subscription, error) {
	sub, err := l.backend.Subscribe()
	return lateSubscription{sub, l}, err
}

// Job reads a job. Then the job changes, and watches begin that are late.
func (l *lateWatches) Job(ctx context.Context, id string) (work.Job, error) {
	j, err := l.backend.Job(ctx, id)
	l.deliver(l.commit(id, work.EventStatus, `{"status":"processing"}`))
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, watch := range l.pending {
		err = errors.Join(err, watch())
	}
	l.pending = nil
	return j, err
}

type lateSubscription struct {
	work.Subscription
	hub *lateWatches
}

// Watch begins to watch a job, now or late.
func (s lateSubscription) Watch(ctx context.Context, id string) error {
	if !s.hub.late {
		return s.Subscription.Watch(ctx, id)
	}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.pending = append(s.hub.pending, func() error { return s.Subscription.Watch(ctx, id) })
	return nil
}

// TestM06_ASnapshotBeforeTheSubscriptionMissesEvents has a job change between the
// two (S05). Only the one that subscribes first is notified.
func TestM06_ASnapshotBeforeTheSubscriptionMissesEvents(t *testing.T) {
	for name, c := range map[string]struct {
		late bool
		want []string
	}{
		"a stream subscribes first, and misses nothing":         {false, []string{"2 snapshot", "3 status", "4 completed"}},
		"one that reads the job first misses what came between": {true, []string{"2 snapshot", "4 completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lateWatches{backend: withHistory(2, work.StatusProcessing), late: c.late}
			cfg := testConfig(l.backend)
			cfg.Jobs, cfg.Hub = l, l
			w := openWatch(t, listen(t, cfg), "")
			w.want(c.want[:len(c.want)-1]...)
			l.deliver(l.commit(knownJob, work.EventCompleted, `{}`))
			w.want(c.want[len(c.want)-1])
			w.wantEnd()
		})
	}
}
