package worker

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// lease is how long the runs are certain to be ours: from when the last heartbeat that
// was answered was sent, by our own monotonic clock.
type lease struct {
	length, margin time.Duration
	until          time.Time // the margin is taken off
	timer          *time.Timer
}

func (l *lease) set(lengthMS, marginMS int64) {
	l.length, l.margin = wire.Lease, wire.Margin
	if lengthMS > 0 {
		l.length = time.Duration(lengthMS) * time.Millisecond
	}
	if marginMS > 0 {
		l.margin = time.Duration(marginMS) * time.Millisecond
	}
}

func (l *lease) holds(now time.Time) bool { return now.Before(l.until) }

func (l *lease) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// renewedLocked has the lease count from when what the server answered was sent.
func (w *Worker) renewedLocked(sent time.Time) {
	until := sent.Add(w.lease.length - w.lease.margin)
	if !until.After(w.lease.until) {
		return
	}
	w.lease.until = until
	w.lease.stop()
	w.lease.timer = time.AfterFunc(time.Until(until), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.lease.holds(time.Now()) {
			w.fenceLocked()
		}
	})
}

// fenceLocked stops all runs, because another worker may have them soon. Nothing is sent
// for them but, if the lease is renewed in time, that they are handed back.
func (w *Worker) fenceLocked() {
	n := 0
	for _, r := range w.runs {
		if r.fenced || r.lost {
			continue
		}
		n++
		r.fenced, r.ending = true, false
		r.clearLocked()
		r.seq = r.acked
		r.cancel(ErrFenced)
		switch {
		case !r.started && !r.returned:
			w.loseLocked(r, "fenced before it was confirmed")
		case r.returned:
			w.releaseLocked(r, "fenced")
		}
	}
	if n > 0 {
		w.log.Error("no heartbeat was answered in time: all runs are stopped", "runs", n, "lease", w.lease.length)
	}
}

// heartbeats renews the lease as long as the connection lives.
func (w *Worker) heartbeats(s *session) {
	for wait := time.Duration(0); ; wait = w.heartbeat(s) {
		if !kappa.Sleep(s.ctx, wait) {
			return
		}
	}
}

// heartbeat sends one heartbeat, and returns how long to wait before the next one.
func (w *Worker) heartbeat(s *session) time.Duration {
	sent := time.Now()
	e, held, every := w.extendPayload()
	response, err := s.call(wire.EventExtend, e, wire.ReplyTimeout)
	var answer wire.ExtendAnswer
	if err == nil {
		err = json.Unmarshal(response, &answer)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != s || errors.Is(err, errClosed) {
		return every
	}
	if w.ready = err == nil; w.ready {
		w.extendedLocked(s, sent, answer, held)
		return max(every-time.Since(sent), 0)
	}
	w.log.WarnContext(s.ctx, "a heartbeat failed", "err", err)
	refused, ok := errors.AsType[*wire.Error](err)
	switch {
	case ok && refused.Kind == wire.KindFatal:
		w.refuseLocked(s, refused)
	case ok && refused.Kind == wire.KindRetryable:
		return min(every, kappa.Jitter(max(time.Duration(refused.RetryMS)*time.Millisecond, LeastBackoff)))
	case errors.Is(err, errTimeout):
		return LeastBackoff
	}
	return every
}

// extendPayload returns a heartbeat, the runs that it names, and how often it is sent.
func (w *Worker) extendPayload() (wire.Extend, []*run, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := wire.Extend{Runs: []wire.RunKey{}}
	var held []*run
	for _, r := range w.runs {
		held = append(held, r)
		e.Runs = append(e.Runs, r.key)
	}
	for _, g := range w.groups {
		e.Groups = append(e.Groups, wire.GroupUsed{Group: g.name, Active: len(g.active), Pending: g.pending})
	}
	every := time.Duration(w.answer.HeartbeatMS) * time.Millisecond
	if every <= 0 {
		every = wire.HeartbeatEvery(w.lease.length)
	}
	return e, held, every
}

// extendedLocked applies the answer to a heartbeat that named the runs in held.
func (w *Worker) extendedLocked(s *session, sent time.Time, answer wire.ExtendAnswer, held []*run) {
	w.lease.set(answer.LeaseMS, wire.Milliseconds(w.lease.margin))
	w.renewedLocked(sent)
	for _, r := range held {
		switch {
		case w.runs[r.key.ID] != r:
		case slices.Contains(answer.Lost, r.key.ID) && !(r.ending && r.inFlight != nil): // else the answer to its end says more
			w.loseLocked(r, "another worker may have it")
		default:
			for _, c := range answer.Cancel {
				if c.ID == r.key.ID {
					w.cancelLocked(r, c.Reason)
				}
			}
		}
	}
	w.obeyLocked(s, answer.Orders)
	w.flushAllLocked()
}
