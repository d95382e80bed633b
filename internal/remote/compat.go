package remote

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

const (
	firstJoinWait = 10 * time.Second // for the database, at the first join of a run
	leftAfter     = 5 * time.Second  // a run that was left without an end is ended after it
	minTokenLife  = 24 * time.Hour
)

// channel is a joined channel of a run, compatible profile.
type channel struct {
	joinRef string
	run     *run
	sink    bool // the attempt may not act: all is answered, and nothing stored
	events  serial
	retry   serial // events that were answered, and are not stored yet
}

// compatRun is what a run of the compatible profile has in memory.
type compatRun struct {
	plan      json.RawMessage
	data      runData
	completed bool
}

// runToken returns the token of a claim.
func (s *Server) runToken(r wire.Run, worker string) (string, error) {
	token, err := parseToken(r.Token)
	if err != nil {
		return "", err
	}
	life := max(minTokenLife, time.Duration(r.DeadlineMS)*time.Millisecond+time.Hour)
	return s.tokens.Sign(wire.RunToken{JobID: r.ID, Token: token, Worker: worker}, s.cfg.Now(), life)
}

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
	key := kappa.RunKey{JobID: jobID, Token: token.Token, Worker: token.Worker}
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
func (n *session) openRun(key kappa.RunKey, joinRef string) (*channel, string) {
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
func (n *session) heldElsewhere(key kappa.RunKey) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.runs[key.JobID]
	return r == nil || r.key.Token != key.Token || r.confirmed
}

func (n *session) tryOpenRun(key kappa.RunKey, joinRef string) (*channel, string, error) {
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	state, err := n.srv.cfg.Store.RunState(ctx, n.hello.Identity, key.JobID, key.Token)
	switch {
	case err != nil && kappa.ErrorCode(err) == kappa.CodeNotFound:
		return nil, "unauthorized", nil
	case err != nil:
		return nil, "", err
	case !state.Held && !state.Confirmed:
		n.forget(key)
		return nil, "claim expired", nil
	case !state.Held || state.CancelRequested:
		if state.Held {
			n.cancelCompat(key)
		}
		n.log.InfoContext(ctx, "a run that is not this worker's any more goes to the sink", "job", key.JobID)
		return &channel{joinRef: joinRef, sink: true, run: &run{key: key, ended: true}}, "", nil
	}
	input, err := n.srv.cfg.Store.Input(ctx, key)
	if errors.Is(err, kappa.ErrStale) {
		return nil, "claim expired", nil
	}
	if err != nil {
		return nil, "", err
	}
	plan, data, err := planOf(key.JobID, input)
	if err != nil {
		n.log.ErrorContext(ctx, "the plan of a run cannot be read", "job", key.JobID, "err", err)
		plan = emptyPlan(key.JobID)
	}
	confirmed, err := n.srv.confirm.do(ctx, key)
	if err != nil {
		return nil, "", err
	}
	if confirmed == nil {
		n.forget(key)
		return nil, "claim expired", nil
	}
	if !state.Confirmed {
		n.srv.metrics.startSeconds.observe(confirmed.Waited)
	}
	r := n.hold(key)
	r.compat.plan, r.compat.data = plan, data
	return &channel{joinRef: joinRef, run: r}, "", nil
}

// hold returns the run of a confirmed claim.
func (n *session) hold(key kappa.RunKey) *run {
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

// leaveRun ends a channel. A run that has not ended is ended a little later, unless it
// is joined again.
func (n *session) leaveRun(f wire.Frame, jobID string) {
	n.mu.Lock()
	c := n.channels[jobID]
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
		_, _ = n.settle(kappa.RunOutcome{
			RunKey: c.run.key, Status: kappa.StatusApproved, Outcome: kappa.RunRetried, Counted: true, Error: "left without a result",
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

// pause waits, unless the connection ends.
func (n *session) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.ctx.Done():
	}
}

// cancelCompat cancels a run at once: its attempt is over, and what comes from it goes
// to the sink.
func (n *session) cancelCompat(key kappa.RunKey) {
	_, _ = n.settle(kappa.RunOutcome{RunKey: key, Status: kappa.StatusCancelled})
	n.mu.Lock()
	c := n.channels[key.JobID]
	n.mu.Unlock()
	if c == nil || c.run.key.Token != key.Token {
		return
	}
	payload, _ := json.Marshal(wire.CancelRun{ID: key.JobID, Reason: "cancelled", GraceMS: wire.Milliseconds(wire.CancelGrace)})
	n.send(outFrame{data: wire.EncodeText(wire.Frame{JoinRef: c.joinRef, Topic: wire.RunTopic(key.JobID), Event: wire.EventCancel, Payload: payload})})
}

// compatEvent handles an event of a run, in its turn.
func (n *session) compatEvent(f wire.Frame, c *channel) {
	n.mu.Lock()
	sink := c.sink || c.run.ended
	n.mu.Unlock()
	switch f.Event {
	case wire.EventFetchPlan:
		n.replyPlan(f, c, sink)
	case wire.EventFetchDataclip:
		n.fetchDataclip(f, c, sink)
	case wire.EventFetchCredential:
		n.fetchCredential(f, c, sink)
	case wire.EventRunLog, wire.EventRunBatchLogs:
		n.reply(f, nil) // first: what becomes of it delays nothing
		if !sink {
			n.compatLog(f, c)
		}
	case wire.EventStepStart, wire.EventStepComplete:
		n.step(f, c, sink)
	case wire.EventRunComplete:
		n.completeCompat(f, c, sink)
	default:
		n.reply(f, nil)
	}
}

func (n *session) replyPlan(f wire.Frame, c *channel, sink bool) {
	if sink {
		n.reply(f, emptyPlan(c.run.key.JobID))
		return
	}
	if c.run.compat.plan == nil { // joined while the database was away
		ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
		defer cancel()
		if input, err := n.srv.cfg.Store.Input(ctx, c.run.key); err == nil {
			c.run.compat.plan, c.run.compat.data, _ = planOf(c.run.key.JobID, input)
		}
		if c.run.compat.plan == nil {
			c.run.compat.plan = emptyPlan(c.run.key.JobID)
		}
	}
	n.reply(f, c.run.compat.plan)
}

// replyBytes answers with bytes: in a binary frame, or as a list of numbers.
func (n *session) replyBytes(f wire.Frame, body []byte) {
	if !n.hello.arrays {
		n.send(outFrame{data: wire.EncodeBinaryReply(f, wire.StatusOK, body), binary: true})
		return
	}
	numbers := make([]int, len(body))
	for i, b := range body {
		numbers[i] = int(b)
	}
	n.reply(f, numbers)
}

func (n *session) fetchDataclip(f wire.Frame, c *channel, sink bool) {
	var e wire.FetchByID
	if sink || json.Unmarshal(f.Payload, &e) != nil {
		n.refuse(f, "not found")
		return
	}
	if body, ok := c.run.compat.data.Dataclips[e.ID]; ok {
		n.replyBytes(f, body)
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	body, err := n.srv.cfg.Store.Dataclip(ctx, c.run.key.JobID, e.ID)
	if err != nil {
		n.refuse(f, "not found")
		return
	}
	n.replyBytes(f, []byte(body))
}

func (n *session) fetchCredential(f wire.Frame, c *channel, sink bool) {
	var e wire.FetchByID
	name, ok := "", false
	if json.Unmarshal(f.Payload, &e) == nil {
		name, ok = c.run.compat.data.Credentials[e.ID]
	}
	if sink || !ok {
		n.refuse(f, "not found")
		return
	}
	var body []byte
	err := n.persist(0, func(ctx context.Context) (err error) {
		body, err = n.srv.cfg.Store.Secret(ctx, name)
		return err
	})
	var object map[string]json.RawMessage
	if err != nil || json.Unmarshal(body, &object) != nil {
		n.log.WarnContext(n.ctx, "a credential of a run is not there", "job", c.run.key.JobID, "secret", name)
		n.refuse(f, "not found")
		return
	}
	n.reply(f, json.RawMessage(body))
}

// persist makes a call to the database that stores so many bytes, again while that is away, for as long as an
// answer may wait.
func (n *session) persist(size int, call func(ctx context.Context) error) error {
	deadline := time.Now().Add(retryLimit)
	for {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), limitFor(size))
		err := call(ctx)
		cancel()
		if err == nil || !unavailable(err) || time.Now().After(deadline) {
			return err
		}
		timer := time.NewTimer(200 * time.Millisecond)
		<-timer.C
	}
}

func (n *session) compatLog(f wire.Frame, c *channel) {
	var batch wire.CompatLogs
	if f.Event == wire.EventRunLog {
		var line wire.CompatLog
		_ = json.Unmarshal(f.Payload, &line) // what cannot be read is an empty line
		batch.Logs = []wire.CompatLog{line}
	} else if json.Unmarshal(f.Payload, &batch) != nil {
		return
	}
	lines := make([]kappa.RunLogLine, len(batch.Logs))
	for i, l := range batch.Logs {
		lines[i] = kappa.RunLogLine{Level: l.Level, Source: l.Source, StepID: l.StepID, WorkerTime: strings.Trim(string(l.Timestamp), `"`), Message: logText(l.Message)}
	}
	c.run.events.do(n.spawn, func() { // beside the lifecycle events
		ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
		defer cancel()
		if err := n.addLog(ctx, c.run, lines); err != nil {
			n.log.WarnContext(n.ctx, "lines of a run's log are lost", "job", c.run.key.JobID, "lines", len(lines), "err", err)
		}
	})
}

// logText returns a message of the log as text: a list is joined with spaces.
func logText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return string(raw)
	}
	words := make([]string, len(list))
	for i, item := range list {
		if json.Unmarshal(item, &words[i]) != nil {
			words[i] = string(item)
		}
	}
	return strings.Join(words, " ")
}
