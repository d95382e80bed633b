package worker

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// model is a server that keeps to the protocol: it hands out jobs as reservations, knows
// who holds what, and does each numbered event once.
type model struct {
	*fakeServer

	jobs   map[string]*modelJob
	order  []string
	tokens int64
	claims map[string][]wire.RunKey
}

// modelJob is a job of it.
type modelJob struct {
	wire.RunKey
	state   string // approved, reserved, held, or how it ended
	since   time.Time
	attempt int
	acked   int64
	effects []string // of its durable events, of all attempts
	group   string
}

const (
	modelApproved  = "approved"
	modelReserved  = "reserved"
	modelHeld      = "held"
	modelCompleted = "completed"
)

// behave has a fake server behave like the model, with so many jobs.
func behave(s *fakeServer, jobs int) *model {
	m := &model{fakeServer: s, jobs: map[string]*modelJob{}, claims: map[string][]wire.RunKey{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	for range jobs {
		m.addLocked()
	}
	s.answers[wire.EventClaim], s.answers[wire.EventClaimAck], s.answers[wire.EventExtend], s.answers[wire.EventJoin] = m.claim, m.ack, m.extend, m.join
	for _, event := range []string{wire.EventCheckpoint, wire.EventComplete, wire.EventFail, wire.EventRelease} {
		s.answers[event] = m.durable
	}
	return m
}

func (m *model) addLocked() {
	id := fmt.Sprintf("job_%d", len(m.order)+1)
	m.jobs[id] = &modelJob{RunKey: wire.RunKey{ID: id}, state: modelApproved}
	m.order = append(m.order, id)
}

// current returns the job whose current claim a key names.
func (m *model) current(key wire.RunKey) *modelJob {
	if j := m.jobs[key.ID]; j != nil && j.Token == key.Token && (j.state == modelReserved || j.state == modelHeld) {
		return j
	}
	return nil
}

// back makes a job approved again, with its attempt.
func (j *modelJob) back() {
	j.state = modelApproved
	j.attempt--
}

// modelLease is how long a held job is held without a word of its worker.
const modelLease = time.Minute

// expire takes back what nobody has confirmed in time, and what nobody has extended: the
// answer to a confirmation that came too late may have found the worker without the run.
func (m *model) expire() {
	for _, j := range m.jobs {
		if j.state == modelReserved && time.Since(j.since) > wire.ReservationLife || j.state == modelHeld && time.Since(j.since) > modelLease {
			j.back()
		}
	}
}

func (m *model) claim(f wire.Frame) any {
	m.expire()
	var c wire.Claim
	_ = json.Unmarshal(f.Payload, &c)
	answer := wire.ClaimAnswer{Runs: []wire.Run{}}
	hand := func(j *modelJob) {
		r := aRun(j.ID, j.Token)
		r.Attempt = j.attempt
		answer.Runs = append(answer.Runs, r)
	}
	if open, again := m.claims[c.ClaimID]; again {
		for _, key := range open {
			if j := m.current(key); j != nil && j.state == modelReserved {
				hand(j)
			}
		}
		return answer
	}
	for _, id := range m.order {
		j := m.jobs[id]
		if j.state != modelApproved || len(answer.Runs) == c.Demand {
			continue
		}
		m.tokens++
		j.Token, j.state, j.since, j.acked, j.group = fmt.Sprint(m.tokens), modelReserved, time.Now(), 0, c.Group
		j.attempt++
		m.claims[c.ClaimID] = append(m.claims[c.ClaimID], j.RunKey)
		hand(j)
	}
	answer.More = len(answer.Runs) == c.Demand
	return answer
}

func (m *model) ack(f wire.Frame) any {
	m.expire()
	var a wire.Ack
	_ = json.Unmarshal(f.Payload, &a)
	answer := wire.AckAnswer{}
	for _, key := range a.Accept {
		if j := m.current(key); j != nil {
			j.state, j.since = modelHeld, time.Now()
			answer.Confirmed = append(answer.Confirmed, key.ID)
		} else {
			answer.Lost = append(answer.Lost, key.ID)
		}
	}
	for _, r := range a.Reject {
		if j := m.current(r.RunKey); j != nil && j.state == modelReserved {
			j.back()
		}
	}
	return answer
}

func (m *model) extend(f wire.Frame) any {
	var e wire.Extend
	_ = json.Unmarshal(f.Payload, &e)
	answer := wire.ExtendAnswer{LeaseMS: modelLease.Milliseconds(), Lost: []string{}}
	for _, key := range e.Runs {
		if j := m.current(key); j != nil {
			j.since = time.Now()
		} else {
			answer.Lost = append(answer.Lost, key.ID)
		}
	}
	return answer
}

func (m *model) join(f wire.Frame) any {
	m.expire()
	answer, _ := m.usual(f).(wire.JoinAnswer)
	var j wire.Join
	_ = json.Unmarshal(f.Payload, &j)
	listed := map[string]bool{}
	for _, h := range j.Runs {
		listed[h.ID] = true
		kept := wire.RunKept{ID: h.ID, State: wire.RunLost}
		switch job := m.jobs[h.ID]; {
		case m.current(h.RunKey) != nil:
			job.state, job.since, kept.State, kept.Acked = modelHeld, time.Now(), wire.RunYours, job.acked
		case job.Token == h.Token && job.state != modelApproved:
			kept.State, kept.Outcome, kept.Acked = wire.RunEnded, job.state, job.acked
		}
		answer.Runs = append(answer.Runs, kept)
	}
	for _, job := range m.jobs {
		if !listed[job.ID] && m.current(job.RunKey) != nil {
			job.back()
		}
	}
	return answer
}

func (m *model) durable(f wire.Frame) any {
	var e struct {
		wire.RunEvent
		Checkpoint json.RawMessage `json:"checkpoint"`
	}
	_ = json.Unmarshal(f.Payload, &e)
	j := m.jobs[e.ID]
	switch {
	case j == nil || j.Token != e.Token:
		return wire.NewError(wire.CodeStaleClaim, "another claim is current")
	case e.Seq <= j.acked:
		return wire.RunAnswer{Acked: j.acked, State: m.stateFor(f.Event, j)}
	case j.state != modelHeld:
		return wire.NewError(wire.CodeAlreadyEnded, "it is %s", j.state)
	case e.Seq > j.acked+1:
		out := wire.NewError(wire.CodeOutOfOrder, "event %d is next", j.acked+1)
		out.Acked, out.RetryMS = &j.acked, 100
		return out
	}
	j.acked = e.Seq
	j.effects = append(j.effects, f.Event+string(e.Checkpoint))
	switch f.Event {
	case wire.EventComplete:
		j.state = modelCompleted
	case wire.EventFail:
		j.state = "failed" // nothing is tried again here
	case wire.EventRelease:
		j.back()
	}
	return wire.RunAnswer{Acked: j.acked, State: m.stateFor(f.Event, j)}
}

// stateFor is what the answer to an event says of the job.
func (*model) stateFor(event string, j *modelJob) string {
	if event == wire.EventCheckpoint {
		return ""
	}
	return j.state
}

// wantCompleted checks that each job has completed once, at its first attempt, and that
// nothing took effect twice.
func (m *model) wantCompleted(t *testing.T, context string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		sorted := slices.Clone(j.effects)
		slices.Sort(sorted)
		if j.state != modelCompleted || j.attempt != 1 || len(slices.Compact(sorted)) != len(j.effects) || j.effects[len(j.effects)-1] != wire.EventComplete {
			t.Errorf("%s: %s is %s at attempt %d, and had the effects %q", context, j.ID, j.state, j.attempt, j.effects)
		}
	}
}

// wantFree checks that no group holds anything, and no event waits.
func wantFree(t *testing.T, w *Worker, context string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range w.groups {
		if len(g.active) != 0 {
			t.Errorf("%s: group %s holds %d runs", context, g.name, len(g.active))
		}
	}
	if len(w.runs) != 0 || w.inFlight != 0 {
		t.Errorf("%s: %d runs are held, and %d events are on their way", context, len(w.runs), w.inFlight)
	}
}
