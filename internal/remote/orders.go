package remote

import (
	"context"
	"reflect"
	"slices"

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

// obey takes what an operator wants of the worker, unless a later order is known, and tells
// the worker what is new. Orders come from several statements, in any order.
func (n *session) obey(o work.RemoteOrders) {
	n.mu.Lock()
	was := n.orders
	drained := o.Number == was.Number && o.Draining && !was.Draining // by a server that does not number
	if o.Number <= was.Number && !drained {
		n.mu.Unlock()
		return
	}
	n.orders = o
	n.mu.Unlock()
	if !reflect.DeepEqual(o.Groups, was.Groups) {
		n.regrouped.Store(true)
	}
	if n.extended() && (o.Draining != was.Draining || !reflect.DeepEqual(o.Groups, was.Groups)) {
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

// isGiven reports whether the groups of a worker are those that it was given.
func isGiven(groups []group, given []work.SlotGroup) bool {
	return slices.EqualFunc(groups, given, func(g group, want work.SlotGroup) bool {
		return g.Max == want.Max && slices.Equal(g.RemoteGroup.Queues, want.Queues)
	})
}

// askOrders reads what an operator wants. When it cannot be read, the next heartbeat says
// it.
func (n *session) askOrders() {
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	o, err := n.srv.cfg.Store.Orders(ctx, n.WorkerID)
	if err != nil {
		n.log.WarnContext(n.ctx, "reading what is wanted of a remote worker failed", "err", err)
		return
	}
	n.obey(o)
}

// operate does what an operator asks for.
func (n *session) operate(what string) {
	n.log.InfoContext(n.ctx, "an operator acts on a remote worker", "action", what)
	switch what {
	case "drain", "undrain", "groups":
		n.spawn(n.askOrders)
	case "disconnect":
		n.end(websocket.StatusServiceRestart, "an operator asked for it")
	case "block":
		n.end(websocket.StatusPolicyViolation, "blocked by an operator")
	}
}
