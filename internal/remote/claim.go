package remote

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// readClaim reads a claim. The error is what the worker is told.
func readClaim(f wire.Frame) (wire.Claim, error) {
	var c struct {
		wire.Claim
		Demand     *int            `json:"demand"`
		Queues     *[]string       `json:"queues"`
		WorkerName json.RawMessage `json:"worker_name"`
	}
	if err := json.Unmarshal(f.Payload, &c); err != nil {
		return c.Claim, errors.New("the claim cannot be read: demand is a number, queues a list of names")
	}
	c.Claim.Demand = 1
	if c.Demand != nil {
		if c.Claim.Demand = *c.Demand; *c.Demand < 1 {
			return c.Claim, errors.New("demand: must be at least 1")
		}
	}
	c.Claim.Queues = []string{"manual", wire.AnyQueue}
	if c.Queues != nil {
		c.Claim.Queues = *c.Queues
	}
	if err := wire.CheckQueues(c.Claim.Queues); err != nil {
		return c.Claim, err
	}
	var unique []string
	for _, q := range c.Claim.Queues {
		if !slices.Contains(unique, q) {
			unique = append(unique, q)
		}
	}
	c.Claim.Queues = unique
	return c.Claim, nil
}

// claim answers a claim: from memory when nothing is marked, else from the database.
func (n *session) claim(f wire.Frame) {
	c, err := readClaim(f)
	if err != nil {
		n.srv.metrics.claims("error")
		n.fail(f, wire.NewError(wire.CodeBadPayload, "%s", err))
		return
	}
	key := strings.Join(c.Queues, ">")
	want := newGroup(key, c.Queues, 0)
	n.mu.Lock()
	if open, ok := n.claims[c.ClaimID]; ok && c.ClaimID != "" {
		open = n.stillReservedLocked(open)
		n.mu.Unlock()
		n.answerClaim(f, open, false)
		return
	}
	types := n.types
	if n.profile != "" && len(c.Types) > 0 {
		types = slices.DeleteFunc(slices.Clone(c.Types), func(t string) bool { return !slices.Contains(n.types, t) })
	}
	name := key
	demand := min(c.Demand, wire.MaxDemand, n.capacity-len(n.runs)-n.pending)
	if g := n.claimGroupLocked(c.Group, key); g != nil {
		name = g.Name
		if n.profile != "" {
			demand = min(demand, g.Max-n.usedLocked(g.Name))
		}
	}
	draining := n.orders.Draining || n.leaving || n.srv.stopping.Load()
	seen := n.srv.marks.match(types, want.queues, want.others)
	switch {
	case demand < 1 || draining || len(seen) == 0:
		n.mu.Unlock()
		n.srv.metrics.claims("empty_memory")
		n.answerClaim(f, nil, false)
		return
	case !n.guard.allow(time.Now(), len(n.groups)):
		n.mu.Unlock()
		n.srv.metrics.claims("guarded")
		n.answerClaim(f, nil, false)
		return
	}
	n.pendLocked(name, demand)
	n.mu.Unlock()
	request := work.RemoteClaimRequest{
		Groups: []work.RemoteSlots{{RemoteConnection: n.RemoteConnection, Group: name, Most: demand}},
		Types:  types, Queues: want.queues, Others: want.others, Reserve: wire.ReservationLife, Inline: wire.MaxInlineData,
	}
	n.spawn(func() { n.claimNow(f, c.ClaimID, request, seen) })
}

func (n *session) pendLocked(name string, demand int) {
	n.pending += demand
	for i := range n.groups {
		if n.groups[i].Name == name {
			n.groups[i].pending += demand
		}
	}
}

// answerWithin is when a claim is answered at the latest.
const answerWithin = 2 * time.Second

// reserve takes what a claim got as the worker's, and returns it as it is handed on.
func (n *session) reserve(claimID string, slots work.RemoteSlots, taken []work.RemoteRun) []wire.Run {
	runs := make([]wire.Run, len(taken))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pendLocked(slots.Group, -slots.Most)
	if len(taken) > 0 {
		n.guard.grant(1)
	}
	for i, t := range taken {
		held := newRun(t.RunKey)
		held.group, held.attempt = slots.Group, t.Attempt
		n.runs[t.JobID] = held
		runs[i] = wireRun(t)
	}
	if claimID != "" && len(runs) > 0 {
		if len(n.claims) >= 64 {
			n.forgetClaimsLocked()
		}
		n.claims[claimID] = runs
	}
	return runs
}

// claimNow claims in the database, and answers in time whatever happens: what is
// claimed after that goes back at once.
func (n *session) claimNow(f wire.Frame, claimID string, r work.RemoteClaimRequest, seen []seenMark) {
	var answered atomic.Bool
	late := time.AfterFunc(answerWithin, func() {
		if !answered.Swap(true) {
			n.srv.metrics.claims("error")
			n.answerClaim(f, nil, false)
		}
	})
	defer late.Stop()
	slots, started := r.Groups[0], time.Now()
	claimed, err := n.srv.claimers.do(context.WithoutCancel(n.ctx), r) // as long as it takes: what it brings has to go back
	taken, stale := claimed.Runs, claimed.Stale
	n.srv.metrics.claimSeconds.observe(time.Since(started))
	if answered.Swap(true) {
		n.mu.Lock()
		n.pendLocked(slots.Group, -slots.Most)
		n.mu.Unlock()
		n.giveBack(taken)
		n.log.WarnContext(n.ctx, "a claim of a remote worker took too long; it was answered as empty", "returned", len(taken), "err", err)
		return
	}
	if err != nil {
		n.log.WarnContext(n.ctx, "a claim of a remote worker failed; it is answered as empty", "err", err)
	}
	runs := n.reserve(claimID, slots, taken)
	switch {
	case err != nil:
		n.srv.metrics.claims("error")
	case len(taken) == 0:
		n.srv.metrics.claims("empty_query")
	default:
		n.srv.metrics.claims("runs")
	}
	more := err == nil && len(taken) == slots.Most
	if !n.answerClaim(f, runs, more) && len(taken) > 0 {
		n.giveBack(taken)
		return
	}
	switch {
	case more:
		for _, m := range seen { // there may be more than this worker takes
			n.srv.wakeSome(m.pair, 2)
		}
	case err == nil && !stale: // a stale one says nothing of what waits
		n.recheck(seen, len(taken) > 0)
	}
}

// recheck takes away the marks of what does not wait any more, after a claim that got
// less than it asked for: that alone does not say so, for others may have had the rest
// locked. With wake, workers are told of what is left.
func (n *session) recheck(seen []seenMark, wake bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
	defer cancel()
	waits, err := n.srv.waits.do(ctx, struct{}{})
	if err != nil {
		return // the marks stay, and the next claim asks again
	}
	var over []seenMark
	for _, m := range seen {
		switch {
		case !waits[m.pair]:
			over = append(over, m)
			continue
		case wake:
			n.srv.wakeSome(m.pair, 2)
		}
		n.srv.passedOver.Store(time.Now().UnixNano())
	}
	n.srv.marks.clear(over)
}

// giveBack releases reservations whose answer could not be sent.
func (n *session) giveBack(taken []work.RemoteRun) {
	for _, t := range taken {
		_, _ = n.settle(work.RunOutcome{RunKey: t.RunKey, Status: work.StatusApproved, Outcome: work.RunReturned, ReservedOnly: true})
	}
}

// settle ends an attempt, and forgets it. What the job became is "" when it was not
// this worker's any more.
func (n *session) settle(o work.RunOutcome) (work.Status, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
	defer cancel()
	status, err := n.srv.finish.do(ctx, o)
	if err != nil {
		n.log.WarnContext(n.ctx, "ending a run of a remote worker failed", "job", o.JobID, "err", err)
		return status, err
	}
	n.forget(o.RunKey)
	return status, nil
}

// forget frees the slot of a run.
func (n *session) forget(key work.RunKey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r := n.runs[key.JobID]; r != nil && r.key.Token == key.Token {
		r.ended = true
		delete(n.runs, key.JobID)
	}
}

// forgetClaimsLocked forgets claims of which no reservation is open.
func (n *session) forgetClaimsLocked() {
	for id, runs := range n.claims {
		if len(n.stillReservedLocked(runs)) == 0 {
			delete(n.claims, id)
		}
	}
}

func (n *session) stillReservedLocked(runs []wire.Run) []wire.Run {
	var open []wire.Run
	for _, w := range runs {
		if r := n.runs[w.ID]; r != nil && !r.confirmed && tokenText(r.key.Token) == w.Token {
			open = append(open, w)
		}
	}
	return open
}

// answerClaim answers a claim in the form of the profile. It reports whether the answer
// was handed to the socket.
func (n *session) answerClaim(f wire.Frame, runs []wire.Run, more bool) bool {
	if n.ctx.Err() != nil || n.closing.Load() {
		return false
	}
	if n.extended() {
		if runs == nil {
			runs = []wire.Run{}
		}
		return n.reply(f, wire.ClaimAnswer{Runs: runs, More: more, ReserveMS: wire.Milliseconds(wire.ReservationLife)})
	}
	answer := wire.CompatClaimAnswer{Runs: []wire.CompatRun{}}
	for _, r := range runs {
		token, err := n.srv.runToken(r, n.WorkerID)
		if err != nil {
			n.log.ErrorContext(n.ctx, "signing a run token failed", "job", r.ID, "err", err)
			continue
		}
		answer.Runs = append(answer.Runs, wire.CompatRun{ID: r.ID, Token: token})
	}
	return n.reply(f, answer)
}
