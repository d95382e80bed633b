package remote

import (
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// leftAfter is how long a run that was left without an end may take to be joined again.
const leftAfter = 5 * time.Second

// leaveRun ends a channel. A run that has not ended is ended a little later, unless it
// is joined again.
func (n *session) leaveRun(f wire.Frame, jobID string) {
	n.mu.Lock()
	c := n.channels[jobID]
	if c != nil && f.JoinRef != "" && f.JoinRef != c.joinRef {
		n.mu.Unlock()
		n.srv.metrics.stale.Add(1) // of a join before the present one
		return
	}
	delete(n.channels, jobID)
	n.mu.Unlock()
	n.reply(f, nil)
	if c == nil {
		return
	}
	n.send(outFrame{data: wire.EncodeText(wire.Frame{JoinRef: c.joinRef, Ref: c.joinRef, Topic: f.Topic, Event: wire.EventClose})})
	if c.sink {
		return
	}
	n.srv.spawn(func() {
		n.srv.pause(leftAfter) // also when the connection ends meanwhile
		n.mu.Lock()
		over := c.run.ended
		n.mu.Unlock()
		if over || n.srv.stopping.Load() || n.srv.joined(n.hello.Identity, jobID) {
			return
		}
		_, _ = n.settle(work.RunOutcome{
			RunKey: c.run.key, Status: work.StatusApproved, Outcome: work.RunRetried, Counted: true, Error: "left without a result",
			Delay: kappa.Backoff(max(1, c.run.attempt), 0.5),
		})
	})
}

// joined reports whether a worker has joined the channel of a run.
func (s *Server) joined(identity, jobID string) bool {
	for _, n := range s.all() {
		n.mu.Lock()
		joined := n.hello.Identity == identity && n.channels[jobID] != nil
		n.mu.Unlock()
		if joined {
			return true
		}
	}
	return false
}

// cancelCompat cancels a run at once: its attempt is over, and what comes from it goes
// to the sink.
func (n *session) cancelCompat(key work.RunKey) {
	_, _ = n.settle(work.RunOutcome{RunKey: key, Status: work.StatusCancelled})
	n.mu.Lock()
	c := n.channels[key.JobID]
	n.mu.Unlock()
	if c == nil || c.run.key.Token != key.Token {
		return
	}
	payload, _ := json.Marshal(wire.CancelRun{ID: key.JobID, Reason: "cancelled", GraceMS: wire.Milliseconds(wire.CancelGrace)})
	n.send(outFrame{data: wire.EncodeText(wire.Frame{JoinRef: c.joinRef, Topic: wire.RunTopic(key.JobID), Event: wire.EventCancel, Payload: payload})})
}
