package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

var capabilities = []string{
	wire.CapBatch, wire.CapAck, wire.CapExtend, wire.CapProgress, wire.CapCheckpoint, wire.CapRelease, wire.CapDrain, wire.CapCancel, wire.CapResume,
}

// join is a join of worker:queue.
type join struct {
	request
	said wire.Join
}

// join handles the join of worker:queue.
func (n *session) join(q request) {
	j := join{q, readJoin(q.Payload)}
	if old := n.member.view().joinRef; old != "" {
		n.closeTopic(q.Topic, old)
	}
	if j.said.Profile == "" && !n.member.hello.extended {
		j.compat()
		return
	}
	n.socket.spawn(j.extended)
}

// readJoin reads a join. Of one that cannot be read as a whole it reads what it can.
func readJoin(payload json.RawMessage) wire.Join {
	var said wire.Join
	if json.Unmarshal(payload, &said) == nil {
		return said
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(payload, &members) != nil {
		return said
	}
	said = wire.Join{Queues: members["queues"]}
	_ = json.Unmarshal(members["capacity"], &said.Capacity) // missing is 0
	_ = json.Unmarshal(members["profile"], &said.Profile)
	return said
}

// compat joins a worker of the compatible profile. What it says of its queues is for
// people, and the base of what is idle.
func (j join) compat() {
	n, groups := j.n, compatGroups(j.said.Queues)
	if groups == nil && len(j.said.Queues) > 0 && string(j.said.Queues) != "null" {
		n.log.WarnContext(n.socket.ctx, "remote worker sends a queues map that cannot be read; it is ignored")
	}
	capacity := j.said.Capacity
	if capacity < 1 {
		for _, g := range groups {
			capacity += g.Max
		}
		capacity = max(capacity, 1)
	}
	if groups == nil {
		groups = []group{newGroup("*", []string{wire.AnyQueue}, capacity)}
	}
	types := []string{}
	if slices.Contains(n.srv.types, work.TypeOpenFnRun) {
		types = append(types, work.TypeOpenFnRun)
	}
	n.member.join(membership{joinRef: j.JoinRef, types: types, groups: groups, capacity: min(capacity, wire.MaxSlots), lease: wire.Lease})
	j.reply(nil)
	n.socket.spawn(func() {
		j.store(work.RemoteProfile{
			Profile: "compat", Name: n.member.hello.Name, Version: n.member.hello.Version, Types: types, Groups: plain(groups), Capacity: capacity, Lease: wire.Lease,
		})
		n.wake(n.srv.marks.all()...)
	})
	n.log.InfoContext(n.socket.ctx, "remote worker joined", "profile", "compat", "capacity", capacity)
}

// store stores what the worker said; what fails is stored with the next join.
func (j join) store(p work.RemoteProfile) {
	n := j.n
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	switch err := n.srv.cfg.Store.Join(ctx, n.member.RemoteConnection, p); {
	case errors.Is(err, kappa.ErrLeaseLost):
		n.lost()
	case err != nil:
		n.log.WarnContext(n.socket.ctx, "storing what a remote worker takes failed", "err", err)
	}
}

// extended joins a worker of the extended profile: what it holds is compared with what the
// database says, before it is answered.
func (j join) extended() {
	n := j.n
	if e := n.member.checkJoin(j.said, n.srv.types); e != nil {
		j.fail(e)
		return
	}
	as := j.membership()
	p := work.RemoteProfile{
		Profile: wire.Profile, Name: j.name(), Version: cut(j.said.Version, 64), Types: as.types, Labels: j.labels(), Groups: plain(as.groups),
		Capacity: as.capacity, Lease: as.lease,
	}
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	err := n.srv.cfg.Store.Join(ctx, n.member.RemoteConnection, p)
	if errors.Is(err, kappa.ErrLeaseLost) {
		j.fail(wire.NewError(wire.CodeLeaseExpired, "the lease of this worker is over; take a new identity"))
		return
	}
	var kept []wire.RunKept
	if err == nil {
		kept, err = j.resume(ctx)
	}
	if err != nil {
		j.fail(wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	}
	v := n.member.join(as)
	j.reply(wire.JoinAnswer{
		Profile: wire.Profile, Generation: n.member.Generation, Caps: capabilities, LeaseMS: wire.Milliseconds(v.lease),
		HeartbeatMS: wire.Milliseconds(wire.HeartbeatEvery(v.lease)), MarginMS: wire.Milliseconds(wire.Margin), ReserveMS: wire.Milliseconds(wire.ReservationLife),
		MaxDemand: wire.MaxDemand, MaxInFlight: wire.MaxInFlight, MaxFrameBytes: wire.MaxFrame, Types: v.types, Runs: kept, Orders: wireOrders(v.orders),
	})
	n.log.InfoContext(n.socket.ctx, "remote worker joined", "name", p.Name, "profile", wire.Profile, "capacity", v.capacity, "types", v.types)
	if v.orders.Draining {
		n.push(wire.EventDrain, wire.Drain{GraceMS: wire.Milliseconds(wire.Lease), Reason: "operator"})
		return
	}
	n.wake(n.srv.marks.all()...)
}

// membership is what a worker of the extended profile joins as.
func (j join) membership() membership {
	as := membership{
		joinRef: j.JoinRef, extended: true, types: j.said.Types, groups: make([]group, len(j.said.Groups)),
		lease: wire.LeaseFor(time.Duration(j.said.LeaseMS) * time.Millisecond),
	}
	for i, g := range j.said.Groups {
		as.groups[i] = newGroup(g.Group, g.Queues, g.Max)
		as.capacity += g.Max
	}
	return as
}

func (j join) name() string {
	return cmp.Or(cut(j.said.WorkerName, 128), j.n.member.hello.Name)
}

func (j join) labels() map[string]string {
	labels := map[string]string{}
	for k, v := range j.said.Labels {
		if len(labels) < 32 {
			labels[cut(k, 64)] = cut(v, 256)
		}
	}
	return labels
}
