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
func (n *session) extend(q request) {
	var e wire.Extend
	if err := json.Unmarshal(q.Payload, &e); err != nil {
		q.fail(wire.NewError(wire.CodeBadPayload, "the heartbeat cannot be read"))
		return
	}
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	asked := time.Now()
	state, err := n.srv.beats.do(ctx, n.member.RemoteConnection)
	switch {
	case err != nil:
		q.fail(wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	case !state.live:
		q.fail(wire.NewError(wire.CodeLeaseExpired, "the lease of this worker is over; take a new identity"))
		return
	}
	n.obey(state.Orders)
	v := n.member.view()
	answer := wire.ExtendAnswer{LeaseMS: wire.Milliseconds(v.lease), Orders: wireOrders(v.orders), Cancel: []wire.CancelRun{}, Lost: []string{}}
	found := n.held.compare(e.Runs, state.Held, asked)
	answer.Lost = append(answer.Lost, found.lost...)
	for _, key := range found.toStop {
		answer.Cancel = append(answer.Cancel, wire.CancelRun{ID: key.JobID, Reason: "cancelled", GraceMS: wire.Milliseconds(wire.CancelGrace)})
	}
	for _, r := range found.newly {
		n.cancelUnlessOver(r)
	}
	for _, key := range found.forgotten {
		n.log.WarnContext(ctx, "a worker has forgotten a run; it goes back", "job", key.JobID)
		_, _ = n.settle(work.RunOutcome{
			RunKey: key, Status: work.StatusApproved, Outcome: work.RunForgotten, Counted: true, Error: "the worker has forgotten it",
		})
	}
	q.reply(answer)
}
