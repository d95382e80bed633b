package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	readJobs       = 500              // jobs read at a time
	readEvents     = 1000             // events read at a time
	reconcileJobs  = 5000             // jobs reconciled with one statement
	reconcileShare = 10               // reconciling may take one part in so many of the time,
	reconcileRest  = time.Second      // unless they would have to wait longer: one that hung says nothing of the load
	safetyPoll     = 5 * time.Second  // reconcile watched jobs even without a notification
	readTimeout    = 10 * time.Second // for one statement
	retryFirst     = 200 * time.Millisecond
	retryMost      = time.Second
)

// Run reads the jobs that it is notified of, and checks every 5 s whether the watched jobs
// have events without a notification, with one statement whatever their number and
// none while nobody watches. When ctx ends it ends every subscription and
// returns nil.
func (h *Hub) Run(ctx context.Context) error {
	defer h.close()
	poll := time.NewTicker(h.poll)
	defer poll.Stop()
	var turn <-chan time.Time  // to reconcile, while that is due
	var rest time.Time         // not before
	var again <-chan time.Time // to read what was notified and could not be read yet
	pause := retryFirst
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
			h.markAllUnconfirmed()
		case <-h.wake.C():
			err = h.read(ctx)
		case <-again:
			again = nil
			h.markAwaited()
			err = h.read(ctx)
		case <-turn:
			turn = nil
			started := time.Now()
			err = h.reconcile(ctx)
			rest = time.Now().Add(min((reconcileShare-1)*time.Since(started), reconcileRest))
		}
		if err != nil {
			pause = h.pause(ctx, err, pause)
		} else {
			pause = retryFirst
		}
		if turn == nil && h.anyUnconfirmed() {
			turn = time.After(time.Until(rest))
		}
		if again == nil {
			if wait := h.againIn(); wait > 0 {
				again = time.After(wait)
			}
		}
	}
}

// pause waits after a failure and returns how long to wait after the next. The
// first one is logged.
func (h *Hub) pause(ctx context.Context, err error, wait time.Duration) time.Duration {
	if ctx.Err() == nil && wait == retryFirst {
		h.log.WarnContext(ctx, "reading events failed; trying again", "err", err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
	return min(2*wait, retryMost)
}

// anyUnconfirmed reports whether there are jobs to reconcile.
func (h *Hub) anyUnconfirmed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.allUnconfirmed || len(h.unconfirmed) > 0
}

// markAllUnconfirmed has all watched jobs reconciled.
func (h *Hub) markAllUnconfirmed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.allUnconfirmed = true
}

// read reads the events of jobs that were hinted at, and hands them out. What there is
// more to read waits for the next turn, however much comes meanwhile, so that reconciling
// has its own. After an error the jobs are still to be read.
func (h *Hub) read(ctx context.Context) error {
	after := h.takeDirty()
	if len(after) == 0 {
		return nil
	}
	readCtx, cancel := context.WithTimeout(ctx, readTimeout)
	list, err := h.store.EventsOf(readCtx, after, readEvents)
	cancel()
	h.handOut(list)
	if err != nil || len(list) == readEvents {
		h.mark(after)
	} else {
		h.awaitNotified(after)
	}
	if err != nil {
		return fmt.Errorf("read the events of %d jobs: %w", len(after), err)
	}
	return nil
}

// readPlace reads the place of one job in its history, from which on its events are
// delivered. It returns CodeNotFound for one that is not there.
func (h *Hub) readPlace(ctx context.Context, t *topic) (last int64, err error) {
	seqs, err := h.store.EventSeqs(ctx, []string{t.jobID})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stats.Reads++
	if err != nil {
		return 0, fmt.Errorf("watch %s: %w", t.jobID, err)
	}
	last, found := seqs[t.jobID]
	if !found {
		return 0, kappa.NewError(kappa.CodeNotFound, "Job not found: "+t.jobID)
	}
	h.startLocked(t, last)
	return last, nil
}

// takeDirty returns some of the jobs to read, with the last event that each one's
// watchers have.
func (h *Hub) takeDirty() map[string]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	after := make(map[string]int64, min(len(h.dirty), readJobs))
	for id := range h.dirty {
		if len(after) == readJobs {
			h.wake.Wake()
			break
		}
		if t := h.topics[id]; t.known { // others follow as soon as they are
			after[id] = t.last
			delete(h.dirty, id)
		}
	}
	if len(after) > 0 {
		h.stats.Reads++
	}
	return after
}

// handOut delivers what the table had, in order. Where a number is missing, a transaction
// that commits later may bring it: the job is read again until it is there, or until it has
// not come for so long that it never will.
func (h *Hub) handOut(list []work.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range list {
		e := &list[i]
		t := h.topics[e.JobID]
		if t == nil || !t.known {
			continue
		}
		t.stored = max(t.stored, e.Seq)
		if e.Seq > t.last && !t.waitsBefore(e.Seq) {
			h.deliverLocked(t, e)
			h.releaseLocked(t)
		}
	}
}

// mark has jobs read again.
func (h *Hub) mark(jobs map[string]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range jobs {
		if t := h.topics[id]; t != nil {
			h.markLocked(t)
		}
	}
}

// unconfirmedJob is a job to reconcile, and the last event that was delivered of it when
// that began.
type unconfirmedJob struct {
	topic *topic
	last  int64
}

// reconcile compares the unconfirmed jobs with the table. Those that have more events are
// read next; of those that are gone the watchers are notified.
func (h *Hub) reconcile(ctx context.Context) error {
	unconfirmed := h.takeUnconfirmed()
	for len(unconfirmed) > 0 {
		part := unconfirmed[:min(len(unconfirmed), reconcileJobs)]
		ids := make([]string, len(part))
		for i, d := range part {
			ids[i] = d.topic.jobID
		}
		reconcileCtx, cancel := context.WithTimeout(ctx, readTimeout)
		seqs, err := h.store.EventSeqs(reconcileCtx, ids)
		cancel()
		if err != nil {
			h.markAllUnconfirmed()
			return fmt.Errorf("reconcile %d jobs: %w", len(ids), err)
		}
		h.compare(part, seqs)
		unconfirmed = unconfirmed[len(part):]
	}
	return nil
}

// takeUnconfirmed returns the jobs to reconcile. A job whose place in its history is not
// known yet is being read already.
func (h *Hub) takeUnconfirmed() []unconfirmedJob {
	h.mu.Lock()
	defer h.mu.Unlock()
	var unconfirmed []unconfirmedJob
	add := func(t *topic) {
		if t != nil && t.known {
			unconfirmed = append(unconfirmed, unconfirmedJob{t, t.last})
		}
	}
	if h.allUnconfirmed {
		for _, t := range h.topics {
			add(t)
		}
	} else {
		for id := range h.unconfirmed {
			add(h.topics[id])
		}
	}
	h.allUnconfirmed = false
	clear(h.unconfirmed)
	h.stats.Reads += int64((len(unconfirmed) + reconcileJobs - 1) / reconcileJobs)
	return unconfirmed
}

// compare draws the consequences. A table that twice in a row does not
// have what was delivered has lost it, for example to a failover: the watchers
// are ended, so that they begin anew from what there is.
func (h *Hub) compare(unconfirmed []unconfirmedJob, seqs map[string]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range unconfirmed {
		t := d.topic
		if h.topics[t.jobID] != t {
			continue
		}
		seq, found := seqs[t.jobID]
		t.stored = max(t.stored, seq)
		ahead := found && seq < d.last
		switch {
		case !found:
			h.goneLocked(t)
		case ahead && t.ahead:
			h.endLocked(t)
		case seq > t.last:
			h.markLocked(t)
		}
		t.ahead = ahead
	}
}
