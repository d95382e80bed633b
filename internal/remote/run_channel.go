package remote

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// firstJoinWait is for the database, at the first join of a run.
const firstJoinWait = 10 * time.Second

// runChannel handles an event on the channel of a run. free gives the memory of the
// frame back.
func (n *session) runChannel(f wire.Frame, jobID string, free func()) {
	switch f.Event {
	case wire.EventJoin:
		n.spawn(func() {
			defer free()
			n.joinRun(f, jobID)
		})
		return
	case wire.EventLeave:
		defer free()
		n.leaveRun(f, jobID)
		return
	}
	n.mu.Lock()
	c := n.channels[jobID]
	n.mu.Unlock()
	switch {
	case c == nil:
		free()
		n.refuse(f, "unmatched topic")
		return
	case f.JoinRef != "" && f.JoinRef != c.joinRef:
		free()
		n.srv.metrics.stale.Add(1)
		return
	}
	c.events.do(n.spawn, func() {
		defer free()
		defer func() {
			if v := recover(); v != nil {
				n.panicked(f, v)
			}
		}()
		started := time.Now()
		n.compatEvent(f, c)
		n.srv.metrics.reply(f.Event, time.Since(started))
	})
}

// joinRun handles the join of the channel of a run.
func (n *session) joinRun(f wire.Frame, jobID string) {
	defer func() {
		if v := recover(); v != nil {
			n.panicked(f, v)
		}
	}()
	var j wire.RunJoin
	if json.Unmarshal(f.Payload, &j) != nil {
		n.refuse(f, "unauthorized")
		return
	}
	token, err := n.srv.tokens.Check(j.Token)
	if err != nil || token.JobID != jobID || !kappa.IsJobID(jobID) {
		n.refuse(f, "unauthorized")
		return
	}
	n.mu.Lock()
	full := len(n.channels) >= wire.MaxTopics && n.channels[jobID] == nil
	n.mu.Unlock()
	if full {
		n.refuse(f, "too many topics")
		return
	}
	key := work.RunKey{JobID: jobID, Token: token.Token, Worker: token.Worker}
	c, reason := n.openRun(key, f.JoinRef)
	if reason != "" {
		n.refuse(f, reason)
		return
	}
	n.mu.Lock()
	old := n.channels[jobID]
	n.channels[jobID] = c
	n.mu.Unlock()
	if old != nil {
		n.send(outFrame{data: wire.EncodeText(wire.Frame{JoinRef: old.joinRef, Ref: old.joinRef, Topic: f.Topic, Event: wire.EventClose})})
	}
	n.reply(f, nil)
	n.srv.dropChannels(n, jobID)
}

// dropChannels takes the channel of a run from older connections of the worker.
func (s *Server) dropChannels(keep *session, jobID string) {
	for _, n := range s.all() {
		if n != keep && n.hello.Identity == keep.hello.Identity {
			n.mu.Lock()
			delete(n.channels, jobID)
			n.mu.Unlock()
		}
	}
}

// openRun decides what a claim that is joined may do. The plan is in memory before the
// join is answered.
func (n *session) openRun(key work.RunKey, joinRef string) (*channel, string) {
	limit := time.Now().Add(firstJoinWait)
	for {
		c, reason, err := n.tryOpenRun(key, joinRef)
		switch {
		case err == nil:
			return c, reason
		case n.known && n.heldElsewhere(key):
			// A rejoin goes on at once; its writes ask the database anyway.
			return &channel{joinRef: joinRef, run: n.hold(key)}, ""
		case time.Now().After(limit) || n.ctx.Err() != nil:
			return nil, "claim expired"
		}
		n.pause(200 * time.Millisecond)
	}
}

// heldElsewhere reports whether a claim was not made on this connection.
func (n *session) heldElsewhere(key work.RunKey) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.runs[key.JobID]
	return r == nil || r.key.Token != key.Token || r.confirmed
}

func (n *session) tryOpenRun(key work.RunKey, joinRef string) (*channel, string, error) {
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	state, err := n.srv.cfg.Store.RunState(ctx, n.hello.Identity, key.JobID, key.Token)
	switch {
	case err != nil && kappa.ErrorCode(err) == kappa.CodeNotFound:
		return nil, "unauthorized", nil
	case err != nil:
		return nil, "", err
	case state.Held && state.CancelRequested:
		n.cancelCompat(key)
		fallthrough
	case !state.Held:
		c, reason := n.openEnded(ctx, key, joinRef, state.Confirmed || state.Held)
		return c, reason, nil
	}
	input, err := n.srv.cfg.Store.Input(ctx, key)
	if errors.Is(err, kappa.ErrStale) { // it has ended meanwhile, perhaps by what the connection before has sent
		c, reason := n.openEnded(ctx, key, joinRef, state.Confirmed)
		return c, reason, nil
	}
	if err != nil {
		return nil, "", err
	}
	hollow := false
	plan, data, err := planOf(key.JobID, input)
	if err != nil {
		n.log.ErrorContext(ctx, "the plan of a run cannot be read; the worker gets an empty one", "job", key.JobID, "err", err)
		plan, hollow = emptyPlan(key.JobID), true
	}
	confirmed, err := n.srv.confirm.do(ctx, key)
	if err != nil {
		return nil, "", err
	}
	if confirmed == nil {
		c, reason := n.openEnded(ctx, key, joinRef, state.Confirmed)
		return c, reason, nil
	}
	if !state.Confirmed {
		n.srv.metrics.startSeconds.observe(confirmed.Waited)
	}
	r := n.hold(key)
	r.compat.set(&compatInput{plan: plan, data: data, hollow: hollow})
	return &channel{joinRef: joinRef, run: r}, "", nil
}

// openEnded decides what a claim that is joined may do after its end, or after the job was
// asked to stop: what it says then changes nothing. One that never began is refused.
func (n *session) openEnded(ctx context.Context, key work.RunKey, joinRef string, began bool) (*channel, string) {
	if !began {
		n.forget(key)
		return nil, "claim expired"
	}
	n.log.InfoContext(ctx, "a run that is not this worker's any more goes to the sink", "job", key.JobID)
	return &channel{joinRef: joinRef, sink: true, run: &run{key: key, ended: true}}, ""
}

// hold returns the run of a confirmed claim.
func (n *session) hold(key work.RunKey) *run {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.runs[key.JobID]
	if r == nil || r.key.Token != key.Token {
		r = newRun(key)
		n.runs[key.JobID] = r
	}
	r.confirmed = true
	return r
}
