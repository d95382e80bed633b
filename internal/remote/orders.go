package remote

import (
	"context"
	"reflect"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// wireOrders returns orders as they travel. That a worker drains by itself, it knows.
func wireOrders(o work.RemoteOrders) wire.Orders {
	w := wire.Orders{Number: o.Number}
	if o.Draining {
		w.Drain = &wire.Drain{GraceMS: wire.Milliseconds(wire.Lease), Reason: "operator"}
	}
	for _, g := range o.Groups {
		w.Groups = append(w.Groups, wire.SlotGroup{Queues: g.Queues, Max: g.Max})
	}
	return w
}

// obey takes what an operator wants of the worker, and tells the worker what is new.
func (n *session) obey(o work.RemoteOrders) {
	was, isNew := n.member.obey(o)
	if !isNew {
		return
	}
	if n.member.extended() && (o.Draining != was.Draining || !reflect.DeepEqual(o.Groups, was.Groups)) {
		w := wireOrders(o)
		if o.Draining && !was.Draining {
			n.push(wire.EventDrain, *w.Drain)
		}
		n.push(wire.EventOrders, w)
	}
	if was.Draining && !o.Draining {
		n.wake(n.srv.marks.all()...)
	}
}

// askOrders reads what an operator wants. When it cannot be read, the next heartbeat says
// it.
func (n *session) askOrders() {
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	o, err := n.srv.cfg.Store.Orders(ctx, n.member.WorkerID)
	if err != nil {
		n.log.WarnContext(n.socket.ctx, "reading what is wanted of a remote worker failed", "err", err)
		return
	}
	n.obey(o)
}

// operate does what an operator asks for.
func (n *session) operate(what string) {
	n.log.InfoContext(n.socket.ctx, "an operator acts on a remote worker", "action", what)
	switch what {
	case "drain", "undrain", "groups":
		n.socket.spawn(n.askOrders)
	case "disconnect":
		n.socket.end(websocket.StatusServiceRestart, "an operator asked for it")
	case "block":
		n.socket.end(websocket.StatusPolicyViolation, "blocked by an operator")
	}
}
