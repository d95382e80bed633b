package remote

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// member is the worker of a connection: who it is, which does not change, and what it has
// joined as, which does. Who reads takes a view, without a lock; the lock is held by who
// makes the next view from the last.
type member struct {
	work.RemoteConnection
	hello     hello
	known     bool // it was connected before
	expired   bool // it names an id that is over
	contested bool // two processes share the identity; set before the first frame is read

	mu   sync.Mutex
	last atomic.Pointer[membership]
}

// membership is what a worker has joined worker:queue as, and what is wanted of it. It does
// not change: see member.
type membership struct {
	joinRef  string // of worker:queue; "" when it is not joined
	ever     bool   // it was joined
	extended bool   // it speaks the extended profile, by its token or its join

	types    []string
	groups   []group
	capacity int
	lease    time.Duration

	orders    work.RemoteOrders // what an operator wants
	leaving   bool              // the worker says so
	regrouped bool              // it was told of other slot groups, and comes back with them
}

func newMember(h hello, opened work.RemoteOpened, expired bool) *member {
	m := &member{RemoteConnection: opened.RemoteConnection, hello: h, known: opened.Known, expired: expired}
	if m.WorkerID == "" {
		m.WorkerID = h.WorkerID
	}
	m.last.Store(&membership{extended: h.extended, lease: wire.Lease, orders: opened.Orders})
	return m
}

// view returns what the worker has joined as by now.
func (m *member) view() *membership { return m.last.Load() }

// extended reports whether the worker speaks the extended profile.
func (m *member) extended() bool { return m.view().extended }

// change makes the next view, and returns it.
func (m *member) change(f func(next *membership)) *membership {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := *m.last.Load()
	f(&next)
	m.last.Store(&next)
	return &next
}

// join has the worker join as what it says. What is wanted of it stays.
func (m *member) join(as membership) *membership {
	return m.change(func(next *membership) {
		as.ever, as.orders, as.leaving, as.regrouped = true, next.orders, next.leaving, next.regrouped
		if as.extended {
			as.regrouped = len(as.orders.Groups) > 0 && !isGiven(as.groups, as.orders.Groups)
		}
		*next = as
	})
}

// leave takes all slots from the worker. It returns the ref of the join that is over, ""
// when there was none.
func (m *member) leave() (joinRef string) {
	m.change(func(next *membership) {
		joinRef = next.joinRef
		next.joinRef, next.capacity, next.groups = "", 0, nil
	})
	return joinRef
}

// drain has the worker take no more, as it says itself.
func (m *member) drain() { m.change(func(next *membership) { next.leaving = true }) }

// obey takes what an operator wants of the worker, and returns what was wanted before. It
// reports false when a later order is known: orders come from several statements, in any
// order.
func (m *member) obey(o work.RemoteOrders) (was work.RemoteOrders, isNew bool) {
	m.change(func(next *membership) {
		was = next.orders
		drained := o.Number == was.Number && o.Draining && !was.Draining // by a server that does not number
		if isNew = o.Number > was.Number || drained; isNew {
			next.regrouped = next.regrouped || !reflect.DeepEqual(o.Groups, was.Groups)
			next.orders = o
		}
	})
	return was, isNew
}

// key returns the run that the worker names.
func (m *member) key(k wire.RunKey) (work.RunKey, bool) {
	token, err := parseToken(k.Token)
	return work.RunKey{JobID: k.ID, Token: token, Worker: m.WorkerID}, err == nil && kappa.IsJobID(k.ID)
}

// draining reports whether the worker takes no more.
func (v *membership) draining() bool { return v.orders.Draining || v.leaving }

// state is what people are told of the worker.
func (v *membership) state() string {
	switch {
	case v.draining():
		return "draining"
	case v.joinRef == "":
		return "joining"
	}
	return "online"
}

// claims returns which types a claim may take that names some; one that names none may take
// all.
func (v *membership) claims(types []string) []string {
	if !v.extended || len(types) == 0 {
		return v.types
	}
	return slices.DeleteFunc(slices.Clone(types), func(t string) bool { return !slices.Contains(v.types, t) })
}

// group finds the group that a claim is for, by its name or by its queues; nil when there is
// none.
func (v *membership) group(name, queues string) *group {
	for i := range v.groups {
		if g := &v.groups[i]; name != "" && g.Name == name || name == "" && strings.Join(g.RemoteGroup.Queues, ">") == queues {
			return g
		}
	}
	return nil
}
