package remote

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// reconcile asks the database which runs of this worker are to stop.
func (n *session) reconcile() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.socket.ctx), statementLimit)
	defer cancel()
	asked := time.Now()
	stored, err := n.srv.cfg.Store.Held(ctx, n.member.WorkerID)
	if err != nil {
		n.log.WarnContext(n.socket.ctx, "reading the runs of a remote worker failed", "err", err)
		return
	}
	n.stopAsked(stored, asked)
}

// stopAsked stops those of a worker's runs that are to stop, as the database said when it
// was asked.
func (n *session) stopAsked(stored []work.HeldRun, asked time.Time) {
	n.held.dropOthers(stored, asked)
	extended := n.member.extended()
	for _, h := range stored {
		switch {
		case !h.CancelRequested || !h.Confirmed && extended:
		case extended:
			n.askToStop(h.RunKey)
		default:
			n.cancelCompat(h.RunKey)
		}
	}
}

// askToStop asks a worker to stop a run, unless it was asked, and ends the run when it does
// not.
func (n *session) askToStop(key work.RunKey) {
	if r := n.held.stop(key); r != nil {
		n.cancelUnlessOver(r)
		n.push(wire.EventCancel, wire.CancelRun{ID: key.JobID, Token: tokenText(key.Token), Reason: "cancelled", GraceMS: wire.Milliseconds(wire.CancelGrace)})
	}
}

// cancelUnlessOver has a run end as cancelled when its worker does not end it in time. It
// does not wait.
func (n *session) cancelUnlessOver(r *run) {
	n.socket.spawn(func() {
		timer := time.NewTimer(wire.CancelGrace + 5*time.Second)
		defer timer.Stop()
		select {
		case <-n.socket.ctx.Done():
			return // the next connection, or the rescue, sees to it
		case <-timer.C:
		}
		if !n.held.over(r) {
			n.log.WarnContext(n.socket.ctx, "a worker did not stop a run; it is cancelled", "job", r.key.JobID)
			_, _ = n.settle(work.RunOutcome{RunKey: r.key, Status: work.StatusCancelled})
		}
	})
}

// cancelCompat cancels a run at once: its attempt is over, and what comes from it goes
// to the sink.
func (n *session) cancelCompat(key work.RunKey) {
	_, _ = n.settle(work.RunOutcome{RunKey: key, Status: work.StatusCancelled})
	c := n.topics.find(key.JobID)
	if c == nil || c.run.key.Token != key.Token {
		return
	}
	payload, _ := json.Marshal(wire.CancelRun{ID: key.JobID, Reason: "cancelled", GraceMS: wire.Milliseconds(wire.CancelGrace)})
	n.socket.sendText(wire.Frame{JoinRef: c.joinRef, Topic: wire.RunTopic(key.JobID), Event: wire.EventCancel, Payload: payload})
}
