package remote

import (
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// queueEvent handles an event on worker:queue.
func (n *session) queueEvent(q request) {
	v := n.member.view()
	stale := q.JoinRef != "" && q.JoinRef != v.joinRef // of a join before the present one
	switch {
	case len(q.Payload) > wire.MaxFrame || !v.extended && len(q.Payload) > wire.MaxQueuePayload:
		q.fail(wire.NewError(wire.CodeTooLarge, "the payload is too large"))
	case q.Event == wire.EventJoin:
		n.join(q)
	case v.joinRef != "" && stale:
		n.srv.metrics.stale.Add(1)
	case q.Event == wire.EventLeave:
		n.leave(q)
	case v.joinRef == "":
		q.refuse("unmatched topic")
	case q.Event == wire.EventClaim:
		n.claim(q)
	case !v.extended:
		q.reply(nil) // what is unknown is ignored
	default:
		n.extendedEvent(q)
	}
}

// leave sets the capacity to none. Runs go on.
func (n *session) leave(q request) {
	ref := n.member.leave()
	q.reply(nil)
	if ref != "" {
		n.closeTopic(q.Topic, ref)
	}
}

// extendedEvent handles an event of the extended profile other than a claim.
func (n *session) extendedEvent(q request) {
	switch q.Event {
	case wire.EventClaimAck:
		n.socket.spawn(func() { n.ack(q) })
	case wire.EventExtend:
		n.socket.spawn(func() { n.extend(q) })
	case wire.EventDrain:
		n.member.drain()
		q.reply(nil)
	case wire.EventProgress, wire.EventLog, wire.EventFetch, wire.EventCheckpoint, wire.EventComplete, wire.EventFail, wire.EventRelease:
		n.runEvent(q)
	default:
		q.fail(wire.NewError(wire.CodeUnknownEvent, "unknown event %s", cut(q.Event, wire.MaxEvent)))
	}
}
