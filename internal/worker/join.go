package worker

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// join joins worker:queue, and says which runs the worker holds. It reports false when
// the connection ends before that.
func (w *Worker) join(s *session) bool {
	for {
		sent := time.Now()
		payload, held := w.joinPayload()
		response, err := s.call(wire.EventJoin, payload, wire.ReplyTimeout)
		var answer wire.JoinAnswer
		if err == nil {
			err = json.Unmarshal(response, &answer)
		}
		if err == nil {
			w.attach(s, sent, answer, held)
			return true
		}
		e, ok := errors.AsType[*wire.Error](err)
		if !ok {
			s.cancel(err)
			return false
		}
		if e.Kind != wire.KindRetryable {
			w.mu.Lock()
			w.refuseLocked(s, e)
			w.mu.Unlock()
			s.cancel(e)
			return false
		}
		w.log.WarnContext(s.ctx, "not joined; trying again", "err", err)
		if !kappa.Sleep(s.ctx, kappa.Jitter(max(time.Duration(e.RetryMS)*time.Millisecond, firstRetry))) {
			return false
		}
	}
}

// joinPayload returns what the worker says about itself, and the runs that it lists.
func (w *Worker) joinPayload() (wire.Join, []*run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := wire.Join{
		Profile: wire.Profile, WorkerName: w.cfg.Name, Version: w.cfg.Version, Types: w.types, Labels: w.cfg.Labels,
		LeaseMS: wire.Milliseconds(w.cfg.Lease), Runs: []wire.HeldRun{},
	}
	queues := map[string]int{}
	for _, g := range w.groups {
		j.Capacity += g.max
		queues[strings.Join(g.queues, ",")] += g.max
		j.Groups = append(j.Groups, wire.JoinGroup{Group: g.name, Queues: g.queues, Max: g.max})
	}
	j.Queues, _ = json.Marshal(queues) //nolint:errchkjson // a map of numbers always encodes
	held := slices.Collect(maps.Values(w.runs))
	for _, r := range held {
		j.Runs = append(j.Runs, wire.HeldRun{RunKey: r.key, Acked: r.acked})
	}
	return j, held
}

// attach makes a session that has joined the one that is used: what the server says of
// the runs is applied, and what it has not stored is sent again, before anything newer.
func (w *Worker) attach(s *session, sent time.Time, answer wire.JoinAnswer, held []*run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer, w.session, w.inFlight, w.ready = answer, s, 0, true
	close(w.joined)
	w.lease.set(answer.LeaseMS, answer.MarginMS)
	w.renewedLocked(sent)
	w.orders = answer.Number
	w.log.InfoContext(s.ctx, "joined", "worker", w.id, "generation", answer.Generation, "runs", len(held), "types", w.types)
	kept := map[string]wire.RunKept{}
	for _, k := range answer.Runs {
		kept[k.ID] = k
	}
	for _, r := range held {
		w.resumeLocked(r, kept[r.key.ID])
	}
	if w.drain.exit && w.hasLocked(wire.CapDrain) {
		s.send(wire.EventDrain, wire.Drain{GraceMS: wire.Milliseconds(w.cfg.Grace)}, wire.ReplyTimeout, ignored)
	}
	w.flushAllLocked()
	w.obeyLocked(s, answer.Orders)
	w.idleLocked()
}

func ignored(json.RawMessage, error) {}

// resumeLocked applies what the server says of a run that the worker listed.
func (w *Worker) resumeLocked(r *run, kept wire.RunKept) {
	if w.runs[r.key.ID] != r {
		return
	}
	r.inFlight, r.logging = nil, false
	switch kept.State {
	case wire.RunYours:
		r.ackedLocked(kept.Acked)
		if !r.started && !r.returned {
			w.startLocked(r)
		}
	case wire.RunCancel:
		r.ackedLocked(kept.Acked)
		w.cancelLocked(r, "cancelled")
	case wire.RunEnded:
		w.loseLocked(r, "it has ended: "+kept.Outcome)
	default:
		w.loseLocked(r, "another worker may have it")
	}
}

// detach forgets a session that has ended. Claims that it did not answer free their
// slots.
func (w *Worker) detach(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != s {
		return
	}
	w.session, w.ready, w.inFlight, w.joined = nil, false, 0, make(chan struct{})
	for _, g := range w.groups {
		g.pending, g.again, g.claimID = 0, false, ""
	}
	for _, r := range w.runs {
		r.inFlight, r.logging = nil, false
	}
}

// sessionNow returns the session that has joined, when there is one.
func (w *Worker) sessionNow(ctx context.Context) (*session, error) {
	for {
		w.mu.Lock()
		s, joined := w.session, w.joined
		w.mu.Unlock()
		if s != nil {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-joined:
		}
	}
}

// pushed handles what the server says of its own accord.
func (w *Worker) pushed(s *session, event string, payload json.RawMessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != s {
		return
	}
	switch event {
	case wire.EventWorkAvailable:
		var hint wire.WorkAvailable
		_ = json.Unmarshal(payload, &hint) // without a hint every group claims
		for _, g := range w.groups {
			if g.matches(hint.Queues) {
				g.wakeLocked(w.drain.on)
			}
		}
	case wire.EventCancel:
		var c wire.CancelRun
		if json.Unmarshal(payload, &c) != nil {
			return
		}
		if r := w.runs[c.ID]; r != nil && (c.Token == "" || c.Token == r.key.Token) {
			w.cancelLocked(r, c.Reason)
		}
	case wire.EventDrain:
		var d wire.Drain
		_ = json.Unmarshal(payload, &d) // without a time it is our own
		w.operatorDrainLocked(d)
	case wire.EventOrders:
		var o wire.Orders
		if json.Unmarshal(payload, &o) == nil {
			w.obeyLocked(s, o)
		}
	}
}
