package worker

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

const (
	backoffFactor = 1.15
	mostHighest   = 10_000 // jobs whose last token is remembered
	forever       = time.Duration(1<<63 - 1)
)

// group is a slot group with its workloop. What it holds and what it asks for together
// are never more than its slots. Worker.mu guards it, but for what never changes.
type group struct {
	name   string
	queues []string
	wake   chan struct{} // of its workloop, and of no other

	max     int
	active  map[*run]bool
	pending int           // demand of the open claim
	again   bool          // something happened during the open claim
	claimID string        // of a claim that was not answered; "" otherwise
	empty   bool          // the last claim found nothing, and nothing has ended since
	delay   time.Duration // after the next claim that finds nothing
}

func newGroup(name string, g wire.Group, delay time.Duration) *group {
	return &group{name: name, queues: uniqueQueues(g), max: g.Slots, wake: make(chan struct{}, 1), active: map[*run]bool{}, delay: delay}
}

// uniqueQueues returns the queues of a group: of a name given twice, the first position
// counts.
func uniqueQueues(g wire.Group) []string {
	var queues []string
	for _, q := range g.Queues {
		if !slices.Contains(queues, q) {
			queues = append(queues, q)
		}
	}
	return queues
}

func (g *group) freeLocked() int { return g.max - len(g.active) - g.pending }

// matches reports whether a hint about queues concerns the group.
func (g *group) matches(queues []string) bool {
	return len(queues) == 0 || slices.Contains(g.queues, wire.AnyQueue) ||
		slices.ContainsFunc(queues, func(q string) bool { return slices.Contains(g.queues, q) })
}

// wakeLocked has the group claim at once, if it has room.
func (g *group) wakeLocked(draining bool) {
	switch {
	case draining:
	case g.pending > 0:
		g.again = true
	case g.freeLocked() > 0:
		select {
		case g.wake <- struct{}{}:
		default:
		}
	}
}

// claims is the workloop of a group: it claims, waits, and claims, until the connection
// ends. With no free slot it waits for one; nothing that another group does concerns it.
func (w *Worker) claims(s *session, g *group) {
	for s.ctx.Err() == nil {
		wait := forever // for a slot to come free
		if c, ok := w.beginClaim(s, g); ok {
			wait = w.claim(s, g, c)
		}
		g.sleep(s, wait)
	}
}

// sleep waits, unless the group is woken or the connection ends before.
func (g *group) sleep(s *session, wait time.Duration) {
	if wait == 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-s.ctx.Done():
	case <-g.wake:
	case <-timer.C:
	}
}

// beginClaim returns the claim that the group makes now, if it has room.
func (w *Worker) beginClaim(s *session, g *group) (wire.Claim, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-g.wake: // what it is for happens now
	default:
	}
	free := g.freeLocked()
	if w.session != s || w.drain.on || free < 1 {
		return wire.Claim{}, false
	}
	most := 1
	if w.hasLocked(wire.CapBatch) && w.answer.MaxDemand > 0 {
		most = w.answer.MaxDemand
	}
	if g.claimID == "" {
		g.claimID = newID()
	}
	g.pending, g.again = min(free, most), false
	return wire.Claim{ClaimID: g.claimID, Group: g.name, Queues: g.queues, Types: w.types, Demand: g.pending, WorkerName: w.cfg.Name}, true
}

// claim makes a claim, and returns how long the group waits before the next one.
func (w *Worker) claim(s *session, g *group, c wire.Claim) time.Duration {
	response, err := s.call(wire.EventClaim, c, wire.ClaimTimeout)
	var answer wire.ClaimAnswer
	if err == nil {
		err = json.Unmarshal(response, &answer)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != s || errors.Is(err, errClosed) {
		g.pending = 0
		return 0
	}
	again := g.again
	g.pending, g.again = 0, false
	if !errors.Is(err, errTimeout) {
		g.claimID = "" // with the same one, the server answers the same
	}
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Kind == wire.KindFatal {
		w.refuseLocked(s, e)
		return 0
	}
	g.empty = err == nil && len(answer.Runs) == 0
	if err == nil && len(answer.Runs) > 0 {
		w.reservedLocked(s, g, c, answer)
		w.idleLocked()
		g.delay = w.cfg.MinBackoff
		if answer.More || again {
			return 0
		}
		return g.delay
	}
	if err != nil {
		w.log.WarnContext(s.ctx, "a claim failed", "group", g.name, "err", err)
	}
	w.idleLocked()
	if again {
		return 0
	}
	wait := kappa.Jitter(g.delay)
	g.delay = min(w.cfg.MaxBackoff, time.Duration(float64(g.delay)*backoffFactor))
	return wait
}

// reservedLocked takes the runs of a claim, and confirms them. What cannot be taken is
// handed back.
func (w *Worker) reservedLocked(s *session, g *group, c wire.Claim, answer wire.ClaimAnswer) {
	a := &ack{Ack: wire.Ack{ClaimID: c.ClaimID, Accept: []wire.RunKey{}, Reject: []wire.RejectedRun{}}, until: time.Now().Add(reserveTime(answer.ReserveMS))}
	for _, job := range answer.Runs {
		reason := w.unwantedLocked(job)
		if reason == "" && len(a.Accept) >= c.Demand {
			reason = "more than was asked for"
		}
		if reason != "" {
			w.log.WarnContext(s.ctx, "run handed back", "job", job.ID, "reason", reason)
			a.Reject = append(a.Reject, wire.RejectedRun{RunKey: job.RunKey, Reason: reason})
			continue
		}
		r := newRun(w, g, job)
		g.active[r] = true
		w.runs[job.ID] = r
		a.runs, a.Accept = append(a.runs, r), append(a.Accept, job.RunKey)
	}
	w.ackLocked(s, a)
}

func reserveTime(ms int64) time.Duration {
	if ms <= 0 {
		return wire.ReservationLife
	}
	return time.Duration(ms) * time.Millisecond
}

// unwantedLocked says why a run is not taken; "" when it is.
func (w *Worker) unwantedLocked(job wire.Run) string {
	token, err := strconv.ParseInt(job.Token, 10, 64)
	switch {
	case err != nil:
		return "the claim token is no number"
	case w.drain.on:
		return "draining"
	case w.cfg.Handlers[job.Type] == nil:
		return "the type is not taken"
	case token <= w.highest[job.ID], w.runs[job.ID] != nil:
		return "a newer claim of the job was held already"
	}
	if len(w.highest) >= mostHighest {
		clear(w.highest)
	}
	w.highest[job.ID] = token
	return ""
}

// ack is a confirmation that is on its way.
type ack struct {
	wire.Ack
	runs  []*run
	until time.Time // the reservations hold
}

// ackLocked confirms reservations, again and again until they are over.
func (w *Worker) ackLocked(s *session, a *ack) {
	s.send(wire.EventClaimAck, a.Ack, wire.ClaimTimeout, func(response json.RawMessage, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.session == s {
			w.ackedLocked(s, a, response, err)
		}
	})
}

func (w *Worker) ackedLocked(s *session, a *ack, response json.RawMessage, err error) {
	var answer wire.AckAnswer
	if err == nil {
		err = json.Unmarshal(response, &answer)
	}
	e, isReply := errors.AsType[*wire.Error](err)
	switch {
	case isReply && e.Kind == wire.KindFatal:
		w.refuseLocked(s, e)
	case err != nil && (!isReply || e.Kind == wire.KindRetryable) && time.Now().Before(a.until):
		wait := time.Duration(0)
		if isReply {
			wait = kappa.Jitter(max(time.Duration(e.RetryMS)*time.Millisecond, LeastBackoff))
		}
		time.AfterFunc(wait, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.session == s {
				w.ackLocked(s, a)
			}
		})
	default:
		for _, r := range a.runs {
			switch {
			case w.runs[r.key.ID] != r || r.started || r.returned:
			case slices.Contains(answer.Confirmed, r.key.ID):
				w.startLocked(r)
			default:
				w.loseLocked(r, "the reservation was not confirmed")
			}
		}
	}
}
