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

// claim is a claim that asks the database.
type claim struct {
	request
	id       string // by which the worker may repeat it; may be ""
	wants    work.RemoteClaimRequest
	seen     []seenMark  // what it may find
	answered atomic.Bool // or is about to be
}

// claim answers a claim: from memory when nothing is marked, else from the database.
func (n *session) claim(q request) {
	said, err := readClaim(q.Frame)
	if err != nil {
		n.srv.metrics.claims("error")
		q.fail(wire.NewError(wire.CodeBadPayload, "%s", err))
		return
	}
	if said.ClaimID != "" {
		if runs, known := n.held.again(said.ClaimID); known {
			q.answerClaim(runs, false)
			return
		}
	}
	v, name := n.member.view(), strings.Join(said.Queues, ">")
	want, types := newGroup(name, said.Queues, 0), v.claims(said.Types)
	if g := v.group(said.Group, name); g != nil {
		name = g.Name
	}
	seen := n.srv.marks.match(types, want.queues, want.others)
	if len(seen) == 0 || v.draining() || n.srv.stopping.Load() {
		q.answerEmpty("empty_memory")
		return
	}
	slots, allowed := n.held.pend(v, name, min(said.Demand, wire.MaxDemand), time.Now())
	switch {
	case !allowed:
		q.answerEmpty("guarded")
		return
	case slots < 1:
		q.answerEmpty("empty_memory")
		return
	}
	c := &claim{request: q, id: said.ClaimID, seen: seen, wants: work.RemoteClaimRequest{
		Groups: []work.RemoteSlots{{RemoteConnection: n.member.RemoteConnection, Group: name, Most: slots}},
		Types:  types, Queues: want.queues, Others: want.others, Reserve: wire.ReservationLife, Inline: wire.MaxInlineData,
	}}
	n.socket.spawn(c.run)
}

// answerWithin is when a claim is answered at the latest.
const answerWithin = 2 * time.Second

// run claims in the database, and answers in time whatever happens: what is claimed after
// that goes back at once.
func (c *claim) run() {
	late := time.AfterFunc(answerWithin, func() {
		if !c.answered.Swap(true) {
			c.answerEmpty("error")
		}
	})
	defer late.Stop()
	n, slots, started := c.n, c.wants.Groups[0], time.Now()
	claimed, err := n.srv.claimers.do(context.WithoutCancel(n.socket.ctx), c.wants) // as long as it takes: what it brings has to go back
	taken := claimed.Runs
	n.srv.metrics.claimSeconds.observe(time.Since(started))
	if c.answered.Swap(true) {
		n.held.unpend(slots.Group, slots.Most)
		c.giveBack(taken)
		n.log.WarnContext(n.socket.ctx, "a claim of a remote worker took too long; it was answered as empty", "returned", len(taken), "err", err)
		return
	}
	if err != nil {
		n.log.WarnContext(n.socket.ctx, "a claim of a remote worker failed; it is answered as empty", "err", err)
	}
	runs := n.held.reserve(c.id, slots, taken)
	switch {
	case err != nil:
		n.srv.metrics.claims("error")
	case len(taken) == 0:
		n.srv.metrics.claims("empty_query")
	default:
		n.srv.metrics.claims("runs")
	}
	more := err == nil && len(taken) == slots.Most
	if !c.answerClaim(runs, more) && len(taken) > 0 {
		c.giveBack(taken)
		return
	}
	switch {
	case more:
		for _, m := range c.seen { // there may be more than this worker takes
			n.srv.wakeSome(m.pair, 2)
		}
	case err == nil && !claimed.Stale: // a stale one says nothing of what waits
		c.recheck(len(taken) > 0)
	}
}

// recheck takes away the marks of what does not wait any more, after a claim that got
// less than it asked for: that alone does not say so, for others may have had the rest
// locked. With wake, workers are told of what is left.
func (c *claim) recheck(wake bool) {
	srv := c.n.srv
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.n.socket.ctx), statementLimit)
	defer cancel()
	waits, err := srv.waits.do(ctx, struct{}{})
	if err != nil {
		return // the marks stay, and the next claim asks again
	}
	var over []seenMark
	for _, m := range c.seen {
		switch {
		case !waits[m.pair]:
			over = append(over, m)
			continue
		case wake:
			srv.wakeSome(m.pair, 2)
		}
		srv.passedOver.Store(time.Now().UnixNano())
	}
	srv.marks.clear(over)
}

// giveBack releases reservations whose answer could not be sent.
func (c *claim) giveBack(taken []work.RemoteRun) {
	for _, t := range taken {
		_, _ = c.n.settle(work.RunOutcome{RunKey: t.RunKey, Status: work.StatusApproved, Outcome: work.RunReturned, ReservedOnly: true})
	}
}

// answerEmpty answers a claim with nothing, and counts why.
func (q request) answerEmpty(why string) {
	q.n.srv.metrics.claims(why)
	q.answerClaim(nil, false)
}

// answerClaim answers a claim in the form of the profile. It reports whether the answer
// was handed to the socket.
func (q request) answerClaim(runs []wire.Run, more bool) bool {
	n := q.n
	if n.socket.over() {
		return false
	}
	if n.member.extended() {
		if runs == nil {
			runs = []wire.Run{}
		}
		return q.reply(wire.ClaimAnswer{Runs: runs, More: more, ReserveMS: wire.Milliseconds(wire.ReservationLife)})
	}
	answer := wire.CompatClaimAnswer{Runs: []wire.CompatRun{}}
	for _, r := range runs {
		token, err := n.srv.runToken(r, n.member.WorkerID)
		if err != nil {
			n.log.ErrorContext(n.socket.ctx, "signing a run token failed", "job", r.ID, "err", err)
			continue
		}
		answer.Runs = append(answer.Runs, wire.CompatRun{ID: r.ID, Token: token})
	}
	return q.reply(answer)
}
