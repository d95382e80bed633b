package remote

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// queueEvent handles an event on worker:queue.
func (n *session) queueEvent(f wire.Frame) {
	switch {
	case len(f.Payload) > wire.MaxFrame || !n.extended() && len(f.Payload) > wire.MaxQueuePayload:
		n.fail(f, wire.NewError(wire.CodeTooLarge, "the payload is too large"))
		return
	case f.Event == wire.EventJoin:
		n.join(f)
		return
	case f.Event == wire.EventLeave:
		if ref := n.joinedAs(); ref != "" && f.JoinRef != "" && f.JoinRef != ref {
			n.srv.metrics.stale.Add(1) // of a join before the present one
			return
		}
		n.leave(f)
		return
	}
	switch ref := n.joinedAs(); {
	case ref == "":
		n.refuse(f, "unmatched topic")
		return
	case f.JoinRef != "" && f.JoinRef != ref:
		n.srv.metrics.stale.Add(1)
		return
	}
	if f.Event == wire.EventClaim {
		n.claim(f)
		return
	}
	if !n.extended() {
		n.reply(f, nil) // what is unknown is ignored
		return
	}
	n.extendedEvent(f)
}

// leave sets the capacity to none. Runs go on.
func (n *session) leave(f wire.Frame) {
	n.mu.Lock()
	ref := n.joinRef
	n.joinRef, n.capacity, n.groups = "", 0, nil
	n.mu.Unlock()
	n.reply(f, nil)
	if ref != "" {
		n.send(outFrame{data: wire.EncodeText(wire.Frame{JoinRef: ref, Ref: ref, Topic: f.Topic, Event: wire.EventClose})})
	}
}

// join handles the join of worker:queue.
func (n *session) join(f wire.Frame) {
	var j wire.Join
	if err := json.Unmarshal(f.Payload, &j); err != nil {
		n.lenientJoin(f, &j)
	}
	if old := n.joinedAs(); old != "" {
		n.send(outFrame{data: wire.EncodeText(wire.Frame{JoinRef: old, Ref: old, Topic: f.Topic, Event: wire.EventClose})})
	}
	if j.Profile == "" && !n.hello.extended {
		n.joinCompat(f, j)
		return
	}
	n.spawn(func() { n.joinExtended(f, j) })
}

// lenientJoin reads of a payload that cannot be read as a whole what it can.
func (n *session) lenientJoin(f wire.Frame, j *wire.Join) {
	var members map[string]json.RawMessage
	if json.Unmarshal(f.Payload, &members) != nil {
		return
	}
	*j = wire.Join{Queues: members["queues"]}
	_ = json.Unmarshal(members["capacity"], &j.Capacity) // missing is 0
	_ = json.Unmarshal(members["profile"], &j.Profile)
}

// joinCompat joins a worker of the compatible profile. What it says of its queues is
// for people, and the base of what is idle.
func (n *session) joinCompat(f wire.Frame, j wire.Join) {
	groups := compatGroups(j.Queues)
	if groups == nil && len(j.Queues) > 0 && string(j.Queues) != "null" {
		n.log.WarnContext(n.ctx, "remote worker sends a queues map that cannot be read; it is ignored")
	}
	capacity := j.Capacity
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
	n.mu.Lock()
	n.joinRef, n.ever, n.profile, n.types, n.groups, n.capacity = f.JoinRef, true, "", types, groups, min(capacity, wire.MaxSlots)
	n.mu.Unlock()
	n.reply(f, nil)
	n.spawn(func() {
		n.store(work.RemoteProfile{
			Profile: "compat", Name: n.hello.Name, Version: n.hello.Version, Types: types, Groups: plain(groups), Capacity: capacity, Lease: wire.Lease,
		})
		n.wake(n.srv.marks.all()...)
	})
	n.log.InfoContext(n.ctx, "remote worker joined", "profile", "compat", "capacity", capacity)
}

// store stores what the worker said; what fails is stored with the next join.
func (n *session) store(p work.RemoteProfile) {
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	switch err := n.srv.cfg.Store.Join(ctx, n.RemoteConnection, p); {
	case errors.Is(err, kappa.ErrLeaseLost):
		n.lost()
	case err != nil:
		n.log.WarnContext(n.ctx, "storing what a remote worker takes failed", "err", err)
	}
}

// adopt reads which runs a worker holds that was connected before.
func (n *session) adopt() {
	if !n.known {
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	held, err := n.srv.cfg.Store.Held(ctx, n.WorkerID)
	if err != nil {
		n.log.WarnContext(n.ctx, "reading the runs of a remote worker failed", "err", err)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, h := range held {
		if n.runs[h.JobID] == nil {
			r := newRun(h.RunKey)
			r.group, r.confirmed = h.Group, h.Confirmed
			n.runs[h.JobID] = r
		}
	}
}

func newGroup(name string, queues []string, slots int) group {
	g := group{RemoteGroup: work.RemoteGroup{Name: name, Queues: queues, Max: slots}, queues: queues}
	if k := len(queues); k > 0 && queues[k-1] == wire.AnyQueue {
		g.queues, g.others = queues[:k-1], true
	}
	return g
}

func plain(groups []group) []work.RemoteGroup {
	list := make([]work.RemoteGroup, len(groups))
	for i, g := range groups {
		list[i] = g.RemoteGroup
	}
	return list
}

// compatGroups reads the queues map of a join; nil when it cannot be read.
func compatGroups(raw json.RawMessage) []group {
	var m map[string]int
	if json.Unmarshal(raw, &m) != nil || len(m) == 0 {
		return nil
	}
	var groups []group
	for key, slots := range m {
		queues := strings.FieldsFunc(key, func(r rune) bool { return r == ',' || r == '>' })
		if slots < 1 || slots > wire.MaxSlots || wire.CheckQueues(queues) != nil {
			return nil
		}
		groups = append(groups, newGroup(strings.Join(queues, ">"), queues, slots))
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

// usedLocked returns the slots of a group that are taken: by runs, reservations, and
// claims that are not answered.
func (n *session) usedLocked(name string) int {
	used := 0
	for _, r := range n.runs {
		if r.group == name {
			used++
		}
	}
	for i := range n.groups {
		if n.groups[i].Name == name {
			used += n.groups[i].pending
		}
	}
	return used
}

// wake has the worker claim, when some group of it has free slots and takes one of the
// pairs. It reports whether it was asked.
func (n *session) wake(pairs ...work.WaitingPair) bool {
	n.mu.Lock()
	if n.joinRef == "" || n.orders.Draining || n.leaving || n.closing.Load() || len(n.runs)+n.pending >= n.capacity {
		n.mu.Unlock()
		return false
	}
	var hint wire.WorkAvailable
	told := 0
	for i := range n.groups {
		g := &n.groups[i]
		if n.usedLocked(g.Name) >= g.Max {
			continue
		}
		matches := 0
		for _, p := range pairs {
			if !slices.Contains(n.types, p.JobType) || !g.others && !slices.Contains(g.queues, p.Queue) {
				continue
			}
			matches = 1
			if !slices.Contains(hint.Queues, p.Queue) {
				hint.Queues = append(hint.Queues, p.Queue)
			}
			if !slices.Contains(hint.Types, p.JobType) {
				hint.Types = append(hint.Types, p.JobType)
			}
		}
		told += matches
	}
	n.guard.grant(told)
	compat := n.profile == ""
	n.mu.Unlock()
	if len(hint.Queues) == 0 {
		return false
	}
	n.srv.metrics.wakeups.Add(1)
	if compat {
		return n.push(wire.EventWorkAvailable, struct{}{})
	}
	return n.push(wire.EventWorkAvailable, hint)
}

// claimGroup finds the group that a claim is for, by its name or by its queues.
func (n *session) claimGroupLocked(name, key string) *group {
	for i := range n.groups {
		if g := &n.groups[i]; name != "" && g.Name == name || name == "" && strings.Join(g.RemoteGroup.Queues, ">") == key {
			return g
		}
	}
	return nil
}
