package lanes

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	stopGrace  = 5 * time.Second // how long a stop waits for jobs that were cancelled
	storeGrace = 3 * time.Second // and then until the last outcome is stored
	drainPoll  = 5 * time.Millisecond
)

// Drain waits until every job has ended and its outcome is stored. After grace, or
// at once when urgent ends, it cancels the rest with kappa.ErrShutdown: they go back
// to approved without counting the attempt. It does not wait for long for a job
// that ignores that, nor for a database that stores nothing: such jobs are
// rescued then. It does not wait for a job whose claim is gone.
func (r *Runner) Drain(urgent context.Context, grace time.Duration) {
	empty := func() bool { return r.Running() == 0 }
	if await(urgent, grace, empty) {
		return
	}
	r.mu.Lock()
	for _, run := range r.running {
		run.cancel(kappa.ErrShutdown)
	}
	r.mu.Unlock()
	unhurried := context.WithoutCancel(urgent)
	if !await(unhurried, stopGrace, func() bool { return r.working() == 0 }) {
		r.log.WarnContext(urgent, "some jobs do not stop; they will be rescued", "jobs", r.working())
		return
	}
	if !await(unhurried, storeGrace, empty) {
		r.log.WarnContext(urgent, "the outcomes of some jobs could not be stored in time; they will be rescued", "jobs", r.Running())
	}
}

// working returns how many of the jobs that run here have handlers at work.
func (r *Runner) working() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, run := range r.running {
		if run.working() {
			n++
		}
	}
	return n
}

// await polls until done, for a time at most or until ctx ends, and returns whether
// it is done.
func await(ctx context.Context, most time.Duration, done func() bool) bool {
	limit := time.NewTimer(most)
	defer limit.Stop()
	poll := time.NewTicker(drainPoll)
	defer poll.Stop()
	for !done() {
		select {
		case <-poll.C:
		case <-limit.C:
			return done()
		case <-ctx.Done():
			return done()
		}
	}
	return true
}
