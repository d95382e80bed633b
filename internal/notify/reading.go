package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	readJobs    = 500              // jobs read at a time
	readEvents  = 1000             // events read at a time
	lookJobs    = 5000             // jobs looked at with one statement
	lookShare   = 10               // looks may take one part in so many of the time,
	lookRest    = time.Second      // unless they would have to wait longer: one that hung says nothing of the load
	safetyPoll  = 5 * time.Second  // look at watched jobs even when nobody tells
	readTimeout = 10 * time.Second // for one statement
	retryFirst  = 200 * time.Millisecond
	retryMost   = time.Second
)

// Run reads what it was told of, and looks every 5 s whether the watched jobs
// have events that nobody told of, with one statement whatever their number and
// none while nobody watches. When ctx ends it ends every subscription and
// returns nil.
func (h *Hub) Run(ctx context.Context) error {
	defer h.close()
	poll := time.NewTicker(h.poll)
	defer poll.Stop()
	var turn <-chan time.Time  // of the next look, while one is due
	var rest time.Time         // no look before
	var again <-chan time.Time // to read what was told and could not be read yet
	pause := retryFirst
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
			h.doubtAll()
		case <-h.wake.C():
			err = h.read(ctx)
		case <-again:
			again = nil
			h.markAwaited()
			err = h.read(ctx)
		case <-turn:
			turn = nil
			started := time.Now()
			err = h.look(ctx)
			rest = time.Now().Add(min((lookShare-1)*time.Since(started), lookRest))
		}
		if err != nil {
			pause = h.pause(ctx, err, pause)
		} else {
			pause = retryFirst
		}
		if turn == nil && h.doubts() {
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

// doubts reports whether there are jobs to look at.
func (h *Hub) doubts() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.doubtedAll || len(h.doubted) > 0
}

// doubtAll has all watched jobs looked at.
func (h *Hub) doubtAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.doubtedAll = true
}

// read reads the events of jobs that were hinted at, and hands them out. What there is
// more to read waits for the next turn, however much comes meanwhile, so that looks
// have theirs. After an error the jobs are still to be read.
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
		h.awaitTold(after)
	}
	if err != nil {
		return fmt.Errorf("read the events of %d jobs: %w", len(after), err)
	}
	return nil
}

// lookFor reads the place of one job in its history, from which on its events are
// delivered. It returns CodeNotFound for one that is not there.
func (h *Hub) lookFor(ctx context.Context, t *topic) (last int64, err error) {
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

// handOut delivers what the table had. It is the truth: whatever it has after
// the last event is what follows.
func (h *Hub) handOut(list []kappa.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range list {
		e := &list[i]
		t := h.topics[e.JobID]
		if t == nil || !t.known {
			continue
		}
		t.stored = max(t.stored, e.Seq)
		if e.Seq > t.last {
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

// doubt is a job to look at, and the last event that was delivered of it when
// the look began.
type doubt struct {
	topic *topic
	last  int64
}

// look compares the doubted jobs with the table. Those that have more events are
// read next; those that are gone are told.
func (h *Hub) look(ctx context.Context) error {
	doubts := h.takeDoubts()
	for len(doubts) > 0 {
		part := doubts[:min(len(doubts), lookJobs)]
		ids := make([]string, len(part))
		for i, d := range part {
			ids[i] = d.topic.jobID
		}
		lookCtx, cancel := context.WithTimeout(ctx, readTimeout)
		seqs, err := h.store.EventSeqs(lookCtx, ids)
		cancel()
		if err != nil {
			h.doubtAll()
			return fmt.Errorf("look at %d jobs: %w", len(ids), err)
		}
		h.compare(part, seqs)
		doubts = doubts[len(part):]
	}
	return nil
}

// takeDoubts returns the jobs to look at. A job whose place in its history is not
// known yet is being looked at already.
func (h *Hub) takeDoubts() []doubt {
	h.mu.Lock()
	defer h.mu.Unlock()
	var doubts []doubt
	add := func(t *topic) {
		if t != nil && t.known {
			doubts = append(doubts, doubt{t, t.last})
		}
	}
	if h.doubtedAll {
		for _, t := range h.topics {
			add(t)
		}
	} else {
		for id := range h.doubted {
			add(h.topics[id])
		}
	}
	h.doubtedAll = false
	clear(h.doubted)
	h.stats.Reads += int64((len(doubts) + lookJobs - 1) / lookJobs)
	return doubts
}

// compare draws the consequences of a look. A table that twice in a row does not
// have what was delivered has lost it, for example to a failover: the watchers
// are ended, so that they begin anew from what there is.
func (h *Hub) compare(doubts []doubt, seqs map[string]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range doubts {
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
