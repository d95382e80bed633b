package remote

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

const (
	retryLimit = 20 * time.Second       // how long the answer to a durable event may wait for the database
	retryEvery = 500 * time.Millisecond // how often an event that was answered, and waits for the database, is tried
	leftAfter  = 5 * time.Second        // how long a run that was left without an end may take to be joined again
)

// channel is a joined channel of a run, compatible profile. It has no lock: its events are
// handled one after the other, and apart from that it does not change.
type channel struct {
	n       *session
	joinRef string
	run     *run
	sink    bool   // the attempt may not act: all is answered, and nothing stored
	events  serial // what the worker sends
	retry   serial // events that were answered, and are not stored yet
}

// topicEvent handles an event on the channel of a run. It reports true when free is called
// later.
func (n *session) topicEvent(q request, jobID string, free func()) (kept bool) {
	switch q.Event {
	case wire.EventJoin:
		n.socket.spawn(func() {
			defer free()
			q.guard(func() { n.joinRun(q, jobID) })
		})
		return true
	case wire.EventLeave:
		n.leaveRun(q, jobID)
		return false
	}
	c := n.topics.find(jobID)
	switch {
	case c == nil:
		q.refuse("unmatched topic")
		return false
	case q.JoinRef != "" && q.JoinRef != c.joinRef:
		n.srv.metrics.stale.Add(1)
		return false
	}
	c.events.do(n.socket.spawn, func() {
		defer free()
		started := time.Now()
		q.guard(func() { c.handle(q) })
		n.srv.metrics.reply(q.Event, time.Since(started))
	})
	return true
}

// handle handles an event of the run, in its turn.
func (c *channel) handle(q request) {
	sink := c.sink || c.n.held.over(c.run)
	switch q.Event {
	case wire.EventFetchPlan:
		c.fetchPlan(q, sink)
	case wire.EventFetchDataclip:
		c.fetchDataclip(q, sink)
	case wire.EventFetchCredential:
		c.fetchCredential(q, sink)
	case wire.EventRunLog, wire.EventRunBatchLogs:
		q.reply(nil) // first: what becomes of it delays nothing
		if !sink {
			c.addLog(q)
		}
	case wire.EventStepStart, wire.EventStepComplete:
		c.step(q, sink)
	case wire.EventRunComplete:
		c.complete(q, sink)
	default:
		q.reply(nil)
	}
}

// leaveRun ends a channel. A run that has not ended is ended a little later, unless it
// is joined again.
func (n *session) leaveRun(q request, jobID string) {
	c, stale := n.topics.leave(jobID, q.JoinRef)
	if stale {
		n.srv.metrics.stale.Add(1)
		return
	}
	q.reply(nil)
	if c == nil {
		return
	}
	n.closeTopic(q.Topic, c.joinRef)
	if !c.sink {
		n.srv.spawn(c.endUnlessJoined)
	}
}

// endUnlessJoined ends a run whose channel was left before it had ended, unless it is soon
// joined again. It waits, also when the connection ends meanwhile.
func (c *channel) endUnlessJoined() {
	n, key := c.n, c.run.key
	n.srv.pause(leftAfter)
	if n.held.over(c.run) || n.srv.stopping.Load() || n.srv.joined(n.member.hello.Identity, key.JobID) {
		return
	}
	_, _ = n.settle(work.RunOutcome{
		RunKey: key, Status: work.StatusApproved, Outcome: work.RunRetried, Counted: true, Error: "left without a result",
		Delay: n.srv.backoff(c.run, 0.5),
	})
}

// persist makes a call to the database that stores so many bytes, again while that is away,
// for as long as an answer may wait.
func (c *channel) persist(size int, call func(ctx context.Context) error) error {
	srv, deadline := c.n.srv, time.Now().Add(retryLimit)
	for {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.n.socket.ctx), limitFor(size))
		err := call(ctx)
		cancel()
		if err == nil || !unavailable(err) || time.Now().After(deadline) || srv.stopping.Load() {
			return err
		}
		srv.pause(200 * time.Millisecond)
	}
}
