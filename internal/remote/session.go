package remote

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// session is one connection of a worker: what is wired together for it. It keeps nothing
// itself, and has no lock.
type session struct {
	srv     *Server
	log     *slog.Logger
	socket  *socket // frames, in and out
	member  *member // who the worker is, and what it has joined as
	held    *held   // its runs and slots
	endings endings // how its runs have ended
	topics  *topics // of runs that it has joined, compatible profile
}

func newSession(ctx context.Context, s *Server, conn *websocket.Conn, m *member) *session {
	log := s.cfg.Log.With("worker", m.WorkerID, "generation", m.Generation)
	if !m.hello.extended { // one of the extended profile says its name when it joins
		log = log.With("name", m.hello.Name)
	}
	return &session{srv: s, log: log, socket: newSocket(ctx, conn, &s.large, log), member: m, held: newHeld(), topics: newTopics()}
}

// handle handles one frame. free gives its memory back.
func (n *session) handle(f wire.Frame, free func()) {
	started, q, kept := time.Now(), request{n, f}, false
	defer func() {
		if !kept {
			free()
		}
		n.srv.metrics.reply(f.Event, time.Since(started))
	}()
	q.guard(func() { kept = n.dispatch(q, free) })
}

// dispatch hands an event to its topic. It reports true when free is called later.
func (n *session) dispatch(q request, free func()) (kept bool) {
	jobID, isRun := wire.RunOf(q.Topic)
	switch {
	case len(q.Topic) > wire.MaxTopic || len(q.Event) > wire.MaxEvent:
		q.refuse("unmatched topic")
	case q.Topic == wire.TopicPhoenix && q.Event == wire.EventHeartbeat:
		q.reply(nil)
	case q.Topic == wire.TopicQueue:
		n.queueEvent(q)
	case isRun && !n.member.extended():
		return n.topicEvent(q, jobID, free)
	case q.Event == wire.EventLeave:
		q.reply(nil)
	default:
		q.refuse("unmatched topic")
	}
	return false
}

// push sends an event on worker:queue, if it is joined.
func (n *session) push(event string, payload any) bool {
	ref := n.member.view().joinRef
	if ref == "" {
		return false
	}
	text, _ := json.Marshal(payload)
	return n.socket.sendText(wire.Frame{JoinRef: ref, Topic: wire.TopicQueue, Event: event, Payload: text})
}

// closeTopic says that a join of a topic is over.
func (n *session) closeTopic(topic, joinRef string) {
	n.socket.sendText(wire.Frame{JoinRef: joinRef, Ref: joinRef, Topic: topic, Event: wire.EventClose})
}

// replaced ends a connection whose worker has a newer one.
func (n *session) replaced() {
	n.log.InfoContext(n.socket.ctx, "remote worker has a newer connection")
	n.socket.end(websocket.StatusServiceRestart, "a newer connection took over")
}

// lost ends a connection whose worker is over, or connected elsewhere.
func (n *session) lost() { n.socket.end(websocket.StatusServiceRestart, "connect again") }

// tick looks after a connection every few seconds: it is pinged, and ends when nothing
// was heard from it for too long. It reports whether it has joined.
func (n *session) tick() bool {
	silent, v := n.socket.silent(), n.member.view()
	if silent > wire.ReadTimeout || !v.ever && time.Since(n.socket.opened) > joinWithin {
		n.log.WarnContext(n.socket.ctx, "remote worker is silent; the connection ends", "silent", silent)
		n.socket.drop()
		return false
	}
	if silent > wire.PingEvery-seenEvery {
		n.socket.ping()
	}
	return v.joinRef != ""
}

// adopt reads which runs a worker holds that was connected before.
func (n *session) adopt() {
	if !n.member.known {
		return
	}
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	stored, err := n.srv.cfg.Store.Held(ctx, n.member.WorkerID)
	if err != nil {
		n.log.WarnContext(n.socket.ctx, "reading the runs of a remote worker failed", "err", err)
		return
	}
	n.held.adopt(stored)
}

// wake has the worker claim, when some group of it has free slots and takes one of the
// pairs. It reports whether it was asked.
func (n *session) wake(pairs ...work.WaitingPair) bool {
	v := n.member.view()
	if v.joinRef == "" || v.draining() || n.socket.closing.Load() {
		return false
	}
	hint := n.held.offer(v, pairs)
	if len(hint.Queues) == 0 {
		return false
	}
	n.srv.metrics.wakeups.Add(1)
	if v.extended {
		return n.push(wire.EventWorkAvailable, hint)
	}
	return n.push(wire.EventWorkAvailable, struct{}{})
}

// settle ends an attempt, and forgets it. What the job became is "" when it was not
// this worker's any more.
func (n *session) settle(o work.RunOutcome) (work.Status, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.socket.ctx), statementLimit)
	defer cancel()
	status, err := n.srv.finish.do(ctx, o)
	if err != nil {
		n.log.WarnContext(n.socket.ctx, "ending a run of a remote worker failed", "job", o.JobID, "err", err)
		return status, err
	}
	n.held.forget(o.RunKey)
	return status, nil
}

// late keeps what a worker said of a run that is not its own any more.
func (n *session) late(key work.RunKey, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.socket.ctx), statementLimit)
	defer cancel()
	if n.endedItself(ctx, key) {
		return // its end was stored, and the answer to that was lost
	}
	n.srv.metrics.late.Add(1)
	n.endings.late.Add(1)
	n.log.InfoContext(n.socket.ctx, "a run that is another's has ended here", "job", key.JobID, "reason", cut(reason, 64))
	if err := n.srv.cfg.Store.Late(ctx, key.Token, cut(reason, 64)); err != nil {
		n.log.WarnContext(n.socket.ctx, "keeping the end of a late run failed", "job", key.JobID, "err", err)
	}
}

// endedItself reports whether an attempt has ended as its worker said.
func (n *session) endedItself(ctx context.Context, key work.RunKey) bool {
	state, err := n.srv.cfg.Store.RunState(ctx, n.member.hello.Identity, key.JobID, key.Token)
	if err != nil {
		return false
	}
	switch state.Outcome {
	case string(work.StatusCompleted), string(work.StatusFailed), work.RunRetried:
		return true
	}
	return false
}

// takeSeen returns what is known of the connection since the last time.
func (n *session) takeSeen() work.RemoteSeen {
	v, seen := n.member.view(), n.endings.take()
	seen.RemoteConnection, seen.Silent, seen.Renew = n.member.RemoteConnection, n.socket.silent(), !v.extended
	seen.Usage = n.held.usage(v)
	return seen
}

// addTo adds the session to the figures of its server.
func (n *session) addTo(st *work.RemoteFigures) {
	v, profile := n.member.view(), "compat"
	if v.extended {
		profile = wire.Profile
	}
	st.Workers[[2]string{v.state(), profile}]++
	active, reserved := n.held.count()
	st.Slots["max"] += v.capacity
	st.Slots["active"] += active
	st.Slots["reserved"] += reserved
}
