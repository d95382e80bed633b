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

// runJoin is a join of the channel of a run, compatible profile.
type runJoin struct {
	request
	key work.RunKey
}

// joinRun handles the join of the channel of a run.
func (n *session) joinRun(q request, jobID string) {
	var said wire.RunJoin
	if json.Unmarshal(q.Payload, &said) != nil {
		q.refuse("unauthorized")
		return
	}
	token, err := n.srv.tokens.Check(said.Token)
	if err != nil || token.JobID != jobID || !kappa.IsJobID(jobID) {
		q.refuse("unauthorized")
		return
	}
	if n.topics.full(jobID) {
		q.refuse("too many topics")
		return
	}
	c, reason := runJoin{q, work.RunKey{JobID: jobID, Token: token.Token, Worker: token.Worker}}.open()
	if reason != "" {
		q.refuse(reason)
		return
	}
	if old := n.topics.join(jobID, c); old != nil {
		n.closeTopic(q.Topic, old.joinRef)
	}
	q.reply(nil)
	n.srv.dropTopic(n, jobID)
}

// dropTopic takes the channel of a run from older connections of the worker.
func (s *Server) dropTopic(keep *session, jobID string) {
	for _, n := range s.all() {
		if n != keep && n.member.hello.Identity == keep.member.hello.Identity {
			n.topics.drop(jobID)
		}
	}
}

// joined reports whether a worker has joined the channel of a run.
func (s *Server) joined(identity, jobID string) bool {
	for _, n := range s.all() {
		if n.member.hello.Identity == identity && n.topics.find(jobID) != nil {
			return true
		}
	}
	return false
}

// open decides what a claim that is joined may do. The plan is in memory before the join is
// answered.
func (j runJoin) open() (*channel, string) {
	n, limit := j.n, time.Now().Add(firstJoinWait)
	for {
		c, reason, err := j.try()
		switch {
		case err == nil:
			return c, reason
		case n.member.known && !n.held.reserved(j.key):
			// It was not claimed on this connection. A rejoin goes on at once; its writes ask
			// the database anyway.
			return j.channel(n.held.confirm(j.key, false)), ""
		case time.Now().After(limit) || n.socket.ctx.Err() != nil:
			return nil, "claim expired"
		}
		n.socket.pause(200 * time.Millisecond)
	}
}

func (j runJoin) try() (*channel, string, error) {
	n := j.n
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	state, err := n.srv.cfg.Store.RunState(ctx, n.member.hello.Identity, j.key.JobID, j.key.Token)
	switch {
	case err != nil && kappa.ErrorCode(err) == kappa.CodeNotFound:
		return nil, "unauthorized", nil
	case err != nil:
		return nil, "", err
	case state.Held && state.CancelRequested:
		n.cancelCompat(j.key)
		fallthrough
	case !state.Held:
		c, reason := j.sink(ctx, state.Confirmed || state.Held)
		return c, reason, nil
	}
	input, err := n.srv.cfg.Store.Input(ctx, j.key)
	if errors.Is(err, kappa.ErrStale) { // it has ended meanwhile, perhaps by what the connection before has sent
		c, reason := j.sink(ctx, state.Confirmed)
		return c, reason, nil
	}
	if err != nil {
		return nil, "", err
	}
	hollow := false
	plan, data, err := planOf(j.key.JobID, input)
	if err != nil {
		n.log.ErrorContext(ctx, "the plan of a run cannot be read; the worker gets an empty one", "job", j.key.JobID, "err", err)
		plan, hollow = emptyPlan(j.key.JobID), true
	}
	confirmed, err := n.srv.confirm.do(ctx, j.key)
	if err != nil {
		return nil, "", err
	}
	if confirmed == nil {
		c, reason := j.sink(ctx, state.Confirmed)
		return c, reason, nil
	}
	if !state.Confirmed {
		n.srv.metrics.startSeconds.observe(confirmed.Waited)
	}
	r := n.held.confirm(j.key, false)
	r.compat.set(&compatInput{plan: plan, data: data, hollow: hollow})
	return j.channel(r), "", nil
}

// sink decides what a claim that is joined may do after its end, or after the job was
// asked to stop: what it says then changes nothing. One that never began is refused.
func (j runJoin) sink(ctx context.Context, began bool) (*channel, string) {
	if !began {
		j.n.held.forget(j.key)
		return nil, "claim expired"
	}
	j.n.log.InfoContext(ctx, "a run that is not this worker's any more goes to the sink", "job", j.key.JobID)
	c := j.channel(&run{key: j.key, ended: true})
	c.sink = true
	return c, ""
}

func (j runJoin) channel(r *run) *channel { return &channel{n: j.n, joinRef: j.JoinRef, run: r} }
