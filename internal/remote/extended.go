package remote

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

var capabilities = []string{
	wire.CapBatch, wire.CapAck, wire.CapExtend, wire.CapProgress, wire.CapCheckpoint, wire.CapRelease, wire.CapDrain, wire.CapCancel, wire.CapResume,
}

func tokenText(token int64) string { return strconv.FormatInt(token, 10) }

// wireRun returns a run as it travels.
func wireRun(t work.RemoteRun) wire.Run {
	return wire.Run{
		RunKey: wire.RunKey{ID: t.JobID, Token: tokenText(t.Token)}, Type: t.JobType, Queue: t.Queue, Priority: t.Priority, Attempt: t.Attempt,
		DeadlineMS: wire.Milliseconds(t.Deadline), Data: t.Data, Checkpoint: t.Checkpoint,
	}
}

// key returns the run that a worker names.
func (n *session) key(k wire.RunKey) (work.RunKey, bool) {
	token, err := strconv.ParseInt(k.Token, 10, 64)
	return work.RunKey{JobID: k.ID, Token: token, Worker: n.WorkerID}, err == nil && kappa.IsJobID(k.ID)
}

// checkJoin reports what is wrong with the join of a worker of the extended profile.
func (n *session) checkJoin(j wire.Join) *wire.Error {
	switch {
	case n.expired:
		return wire.NewError(wire.CodeLeaseExpired, "the lease of this worker is over; take a new identity")
	case n.contested:
		return wire.NewError(wire.CodeIdentityInUse, "two processes share one worker identity")
	case j.Profile != wire.Profile:
		return wire.NewError(wire.CodeUnsupportedProfile, "profile: must be %s", wire.Profile)
	case len(j.Types) == 0:
		return wire.NewError(wire.CodeUnknownType, "types: name at least one of %v", n.srv.types)
	case len(j.Groups) == 0:
		return wire.NewError(wire.CodeBadGroups, "groups: at least one is needed")
	}
	for _, t := range j.Types {
		if !slices.Contains(n.srv.types, t) {
			return wire.NewError(wire.CodeUnknownType, "types: %q is no remote type of this server, which has %v", cut(t, 64), n.srv.types)
		}
	}
	slots, names := 0, map[string]bool{}
	for _, g := range j.Groups {
		if g.Group == "" || len(g.Group) > 64 || names[g.Group] {
			return wire.NewError(wire.CodeBadGroups, "groups: each needs a name of its own")
		}
		if err := wire.CheckQueues(g.Queues); err != nil {
			return wire.NewError(wire.CodeBadGroups, "groups: %s: %s", cut(g.Group, 64), err)
		}
		for _, q := range g.Queues {
			if q != wire.AnyQueue && !wire.IsQueue(q) {
				return wire.NewError(wire.CodeBadGroups, "groups: %s: queue %q may hold only letters, digits and _", cut(g.Group, 64), cut(q, 64))
			}
		}
		if g.Max < 1 || g.Max > wire.MaxSlots {
			return wire.NewError(wire.CodeBadGroups, "groups: %s: max must be 1 to %d", cut(g.Group, 64), wire.MaxSlots)
		}
		names[g.Group] = true
		slots += g.Max
	}
	if slots > wire.MaxSlots {
		return wire.NewError(wire.CodeBadGroups, "groups: at most %d slots in all groups together, got %d", wire.MaxSlots, slots)
	}
	return nil
}

// joinExtended joins a worker of the extended profile: what it holds is compared with
// what the database says, before it is answered.
func (n *session) joinExtended(f wire.Frame, j wire.Join) {
	if e := n.checkJoin(j); e != nil {
		n.fail(f, e)
		return
	}
	groups, capacity := make([]group, len(j.Groups)), 0
	for i, g := range j.Groups {
		groups[i] = newGroup(g.Group, g.Queues, g.Max)
		capacity += g.Max
	}
	labels := map[string]string{}
	for k, v := range j.Labels {
		if len(labels) < 32 {
			labels[cut(k, 64)] = cut(v, 256)
		}
	}
	name := cut(j.WorkerName, 128)
	if name == "" {
		name = n.hello.Name
	}
	lease := wire.LeaseFor(time.Duration(j.LeaseMS) * time.Millisecond)
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	err := n.srv.cfg.Store.Join(ctx, n.RemoteConnection, work.RemoteProfile{
		Profile: wire.Profile, Name: name, Version: cut(j.Version, 64), Types: j.Types, Labels: labels, Groups: plain(groups), Capacity: capacity, Lease: lease,
	})
	if errors.Is(err, kappa.ErrLeaseLost) {
		n.fail(f, wire.NewError(wire.CodeLeaseExpired, "the lease of this worker is over; take a new identity"))
		return
	}
	var kept []wire.RunKept
	if err == nil {
		kept, err = n.resume(ctx, j.Runs)
	}
	if err != nil {
		n.fail(f, wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	}
	n.mu.Lock()
	n.joinRef, n.ever, n.profile, n.name, n.types, n.groups, n.capacity, n.lease = f.JoinRef, true, wire.Profile, name, j.Types, groups, capacity, lease
	orders := n.orders
	n.regrouped.Store(len(orders.Groups) > 0 && !isGiven(groups, orders.Groups))
	n.mu.Unlock()
	n.reply(f, wire.JoinAnswer{
		Profile: wire.Profile, Generation: n.Generation, Caps: capabilities, LeaseMS: wire.Milliseconds(lease),
		HeartbeatMS: wire.Milliseconds(wire.HeartbeatEvery(lease)), MarginMS: wire.Milliseconds(wire.Margin), ReserveMS: wire.Milliseconds(wire.ReservationLife),
		MaxDemand: wire.MaxDemand, MaxInFlight: wire.MaxInFlight, MaxFrameBytes: wire.MaxFrame, Types: j.Types, Runs: kept, Orders: wireOrders(orders),
	})
	n.log.InfoContext(n.ctx, "remote worker joined", "name", name, "profile", wire.Profile, "capacity", capacity, "types", j.Types)
	if orders.Draining {
		n.push(wire.EventDrain, wire.Drain{GraceMS: wire.Milliseconds(wire.Lease), Reason: "operator"})
		return
	}
	n.wake(n.srv.marks.all()...)
}

// resume compares the runs that a worker lists with those that it holds. What it holds
// and does not list goes back: the answer to its claim was lost.
func (n *session) resume(ctx context.Context, listed []wire.HeldRun) ([]wire.RunKept, error) {
	kept := make([]wire.RunKept, 0, len(listed))
	if !n.known && len(listed) == 0 {
		return kept, nil
	}
	held, err := n.srv.cfg.Store.Held(ctx, n.WorkerID)
	if err != nil {
		return nil, err
	}
	current := map[string]work.HeldRun{}
	for _, h := range held {
		current[h.JobID+" "+tokenText(h.Token)] = h
	}
	runs := map[string]*run{}
	for _, l := range listed {
		answer := wire.RunKept{ID: l.ID, State: wire.RunLost}
		h, ok := current[l.ID+" "+l.Token]
		switch {
		case ok:
			answer.State, answer.Acked = wire.RunYours, h.Seq
			if h.CancelRequested {
				answer.State = wire.RunCancel
			}
			if !h.Confirmed {
				if c, err := n.srv.confirm.do(ctx, h.RunKey); err != nil {
					return nil, err
				} else if c == nil {
					answer.State = wire.RunLost
					break
				}
			}
			runs[l.ID] = newRun(h.RunKey)
			runs[l.ID].group, runs[l.ID].confirmed = h.Group, true
			delete(current, l.ID+" "+l.Token)
		default:
			if answer, err = n.ended(ctx, l, answer); err != nil {
				return nil, err
			}
		}
		kept = append(kept, answer)
	}
	for _, h := range current {
		if _, err := n.srv.finish.do(ctx, work.RunOutcome{RunKey: h.RunKey, Status: work.StatusApproved, Outcome: work.RunReturned}); err != nil {
			return nil, err
		}
		n.log.InfoContext(ctx, "a run that the worker does not know goes back", "job", h.JobID)
	}
	n.mu.Lock()
	n.runs = runs
	n.mu.Unlock()
	return kept, nil
}

// ended says what became of a run that a worker lists and does not hold.
func (n *session) ended(ctx context.Context, l wire.HeldRun, answer wire.RunKept) (wire.RunKept, error) {
	key, ok := n.key(l.RunKey)
	if !ok {
		return answer, nil
	}
	state, err := n.srv.cfg.Store.RunState(ctx, n.hello.Identity, key.JobID, key.Token)
	switch {
	case kappa.ErrorCode(err) == kappa.CodeNotFound && err != nil:
		return answer, nil //nolint:nilerr // it ended too long ago to be known
	case err != nil:
		return answer, err
	}
	if answer.Acked = state.Seq; state.Outcome != "" && state.Outcome != work.RunFenced {
		answer.State, answer.Outcome = wire.RunEnded, statusOf(state.Outcome)
	}
	return answer, nil
}

// statusOf returns what a job became whose attempt ended so.
func statusOf(outcome string) string {
	switch work.Status(outcome) {
	case work.StatusCompleted, work.StatusFailed, work.StatusCancelled:
		return outcome
	}
	return string(work.StatusApproved)
}

// extendedEvent handles an event of the extended profile other than a claim.
func (n *session) extendedEvent(f wire.Frame) {
	switch f.Event {
	case wire.EventClaimAck:
		n.spawn(func() { n.ack(f) })
	case wire.EventExtend:
		n.spawn(func() { n.extend(f) })
	case wire.EventDrain:
		n.mu.Lock()
		n.leaving = true
		n.mu.Unlock()
		n.reply(f, nil)
	case wire.EventProgress, wire.EventLog, wire.EventFetch, wire.EventCheckpoint, wire.EventComplete, wire.EventFail, wire.EventRelease:
		n.runEvent(f)
	default:
		n.fail(f, wire.NewError(wire.CodeUnknownEvent, "unknown event %s", cut(f.Event, wire.MaxEvent)))
	}
}

// ack confirms reservations, and takes back those that the worker does not want.
func (n *session) ack(f wire.Frame) {
	var a wire.Ack
	if err := json.Unmarshal(f.Payload, &a); err != nil {
		n.fail(f, wire.NewError(wire.CodeBadPayload, "the confirmation cannot be read"))
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	answer := wire.AckAnswer{Confirmed: []string{}, Released: []string{}, Lost: []string{}}
	keys := make([]work.RunKey, 0, len(a.Accept))
	for _, k := range a.Accept {
		if key, ok := n.key(k); ok {
			keys = append(keys, key)
		} else {
			answer.Lost = append(answer.Lost, k.ID)
		}
	}
	confirmed, err := n.srv.confirm.doAll(ctx, keys) // one round trip for all
	if err != nil {
		n.fail(f, wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	}
	for i, key := range keys {
		if confirmed[i] == nil {
			n.forget(key)
			answer.Lost = append(answer.Lost, key.JobID)
			continue
		}
		n.markConfirmed(key, *confirmed[i])
		answer.Confirmed = append(answer.Confirmed, key.JobID)
	}
	for _, r := range a.Reject {
		key, ok := n.key(r.RunKey)
		if !ok {
			continue
		}
		if _, err := n.settle(work.RunOutcome{RunKey: key, Status: work.StatusApproved, Outcome: work.RunReturned, ReservedOnly: true}); err == nil {
			answer.Released = append(answer.Released, r.ID)
		}
	}
	n.mu.Lock()
	delete(n.claims, a.ClaimID)
	n.mu.Unlock()
	n.reply(f, answer)
	if len(a.Accept) > 0 {
		n.cancelAsked()
	}
}

// markConfirmed stores that a run is confirmed.
func (n *session) markConfirmed(key work.RunKey, c work.ConfirmedRun) {
	n.srv.metrics.startSeconds.observe(c.Waited)
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.runs[key.JobID]
	if r == nil || r.key.Token != key.Token {
		r = newRun(key)
		n.runs[key.JobID] = r
	}
	r.confirmed = true
	r.asked = r.asked || c.CancelRequested
}

// cancelAsked tells the worker of runs that are to stop and that it does not know of.
func (n *session) cancelAsked() {
	n.mu.Lock()
	var asked []work.RunKey
	for _, r := range n.runs {
		if r.asked && r.confirmed && !r.told {
			asked = append(asked, r.key)
		}
	}
	n.mu.Unlock()
	for _, key := range asked {
		n.askToStop(key)
	}
}
