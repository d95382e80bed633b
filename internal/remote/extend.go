package remote

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// extend is the heartbeat of a worker.
func (n *session) extend(f wire.Frame) {
	var e wire.Extend
	if err := json.Unmarshal(f.Payload, &e); err != nil {
		n.fail(f, wire.NewError(wire.CodeBadPayload, "the heartbeat cannot be read"))
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	asked := time.Now()
	state, err := n.srv.beats.do(ctx, n.RemoteConnection)
	switch {
	case err != nil:
		n.fail(f, wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	case !state.live:
		n.fail(f, wire.NewError(wire.CodeLeaseExpired, "the lease of this worker is over; take a new identity"))
		return
	}
	n.obey(state.Orders)
	answer := wire.ExtendAnswer{Cancel: []wire.CancelRun{}, Lost: []string{}}
	n.mu.Lock()
	answer.LeaseMS, answer.Orders = wire.Milliseconds(n.lease), wireOrders(n.orders)
	n.mu.Unlock()
	n.compare(ctx, e.Runs, state.Held, asked, &answer)
	n.reply(f, answer)
}

// compare compares the runs that a heartbeat names with those that the worker holds, as the
// database said when it was asked. A run that two heartbeats in a row do not name was
// forgotten, and goes back.
func (n *session) compare(ctx context.Context, named []wire.RunKey, held []work.HeldRun, asked time.Time, answer *wire.ExtendAnswer) {
	n.dropOthers(held, asked)
	current := map[string]work.HeldRun{}
	for _, h := range held {
		current[h.JobID+" "+tokenText(h.Token)] = h
	}
	listed := map[string]bool{}
	for _, k := range named {
		listed[k.ID] = true
		h, ok := current[k.ID+" "+k.Token]
		switch {
		case !ok:
			answer.Lost = append(answer.Lost, k.ID)
			if key, ok := n.key(k); ok {
				n.forget(key)
			}
		case h.CancelRequested:
			answer.Cancel = append(answer.Cancel, wire.CancelRun{ID: k.ID, Reason: "cancelled", GraceMS: wire.Milliseconds(wire.CancelGrace)})
			n.stopWithin(h.RunKey)
		}
	}
	var forgotten []work.RunKey
	n.mu.Lock()
	for _, h := range held {
		r := n.runs[h.JobID]
		if r == nil || r.key.Token != h.Token || !h.Confirmed || r.told || listed[h.JobID] {
			if r != nil {
				r.missing = 0
			}
			continue
		}
		if r.missing++; r.missing >= 2 {
			forgotten = append(forgotten, h.RunKey)
		}
	}
	n.mu.Unlock()
	for _, key := range forgotten {
		n.log.WarnContext(ctx, "a worker has forgotten a run; it goes back", "job", key.JobID)
		_, _ = n.settle(work.RunOutcome{
			RunKey: key, Status: work.StatusApproved, Outcome: work.RunForgotten, Counted: true, Error: "the worker has forgotten it",
		})
	}
}

// reconcile asks the database which runs of this worker are to stop.
func (n *session) reconcile() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
	defer cancel()
	asked := time.Now()
	held, err := n.srv.cfg.Store.Held(ctx, n.WorkerID)
	if err != nil {
		n.log.WarnContext(n.ctx, "reading the runs of a remote worker failed", "err", err)
		return
	}
	n.stopAsked(held, asked)
}

// stopAsked stops those of a worker's runs that are to stop, as the database said when it
// was asked.
func (n *session) stopAsked(held []work.HeldRun, asked time.Time) {
	n.dropOthers(held, asked)
	for _, h := range held {
		switch {
		case !h.CancelRequested || !h.Confirmed && n.extended():
		case n.extended():
			n.askToStop(h.RunKey)
		default:
			n.cancelCompat(h.RunKey)
		}
	}
}

// dropOthers frees the slots of runs and reservations that the worker does not hold any
// more, as the database said when it was asked. What came later stays.
func (n *session) dropOthers(held []work.HeldRun, asked time.Time) {
	current := map[string]int64{}
	for _, h := range held {
		current[h.JobID] = h.Token
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, r := range n.runs {
		if token, ok := current[id]; (!ok || token != r.key.Token) && r.taken.Before(asked) {
			r.ended = true
			delete(n.runs, id)
		}
	}
	n.forgetClaimsLocked()
}

// askToStop tells a worker that a run is to stop, and ends the run when it does not.
func (n *session) askToStop(key work.RunKey) {
	if n.stopWithin(key) {
		n.push(wire.EventCancel, wire.CancelRun{ID: key.JobID, Token: tokenText(key.Token), Reason: "cancelled", GraceMS: wire.Milliseconds(wire.CancelGrace)})
	}
}

// stopWithin has a run end as cancelled when its worker does not end it in time. It
// reports whether that is new.
func (n *session) stopWithin(key work.RunKey) bool {
	n.mu.Lock()
	r := n.runs[key.JobID]
	if r == nil || r.key.Token != key.Token || r.told {
		n.mu.Unlock()
		return false
	}
	r.asked, r.told = true, true
	n.mu.Unlock()
	n.spawn(func() {
		timer := time.NewTimer(wire.CancelGrace + 5*time.Second)
		defer timer.Stop()
		select {
		case <-n.ctx.Done():
			return // the next connection, or the rescue, sees to it
		case <-timer.C:
		}
		n.mu.Lock()
		over := r.ended
		n.mu.Unlock()
		if !over {
			n.log.WarnContext(n.ctx, "a worker did not stop a run; it is cancelled", "job", key.JobID)
			_, _ = n.settle(work.RunOutcome{RunKey: key, Status: work.StatusCancelled})
		}
	})
	return true
}
