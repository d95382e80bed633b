package remote

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// ack confirms reservations, and takes back those that the worker does not want.
func (n *session) ack(q request) {
	var a wire.Ack
	if err := json.Unmarshal(q.Payload, &a); err != nil {
		q.fail(wire.NewError(wire.CodeBadPayload, "the confirmation cannot be read"))
		return
	}
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	answer := wire.AckAnswer{Confirmed: []string{}, Released: []string{}, Lost: []string{}}
	keys := make([]work.RunKey, 0, len(a.Accept))
	for _, k := range a.Accept {
		if key, ok := n.member.key(k); ok {
			keys = append(keys, key)
		} else {
			answer.Lost = append(answer.Lost, k.ID)
		}
	}
	confirmed, err := n.srv.confirm.doAll(ctx, keys) // one round trip for all
	if err != nil {
		q.fail(wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	}
	for i, key := range keys {
		c := confirmed[i]
		if c == nil {
			n.held.forget(key)
			answer.Lost = append(answer.Lost, key.JobID)
			continue
		}
		n.srv.metrics.startSeconds.observe(c.Waited)
		n.held.confirm(key, c.CancelRequested)
		answer.Confirmed = append(answer.Confirmed, key.JobID)
	}
	for _, r := range a.Reject {
		key, ok := n.member.key(r.RunKey)
		if !ok {
			continue
		}
		if _, err := n.settle(work.RunOutcome{RunKey: key, Status: work.StatusApproved, Outcome: work.RunReturned, ReservedOnly: true}); err == nil {
			answer.Released = append(answer.Released, r.ID)
		}
	}
	n.held.answered(a.ClaimID)
	q.reply(answer)
	if len(a.Accept) > 0 {
		for _, key := range n.held.toStop() {
			n.askToStop(key)
		}
	}
}
