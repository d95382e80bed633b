package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// outbox has the durable events of a run that the server has not stored, in order.
type outbox struct {
	seq      int64 // of the last event
	acked    int64 // the highest that the server has stored
	events   []*event
	inFlight *event
	last     json.RawMessage // checkpoint
}

// event is a durable event of a run.
type event struct {
	name    string
	seq     int64
	payload any
	sent    bool // the server may have it
	end     bool
}

// message returns the event as it travels.
func (e *event) message(key wire.RunKey) any {
	head := wire.RunEvent{RunKey: key, Seq: e.seq}
	switch p := e.payload.(type) {
	case wire.RunCheckpoint:
		p.RunEvent = head
		return p
	case wire.RunComplete:
		p.RunEvent = head
		return p
	case wire.RunFail:
		p.RunEvent = head
		return p
	case wire.RunRelease:
		p.RunEvent = head
		return p
	}
	return head
}

// checkpoint stores a checkpoint. One that was not sent yet is replaced.
func (r *run) checkpoint(state json.RawMessage) error {
	if len(state) > wire.MaxCheckpoint {
		return fmt.Errorf("a checkpoint may have %d bytes, got %d", wire.MaxCheckpoint, len(state))
	}
	if !json.Valid(state) {
		return errors.New("the checkpoint is not JSON")
	}
	w := r.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.lost || r.fenced || r.ending {
		return nil
	}
	r.last = slices.Clone(state)
	if !w.hasLocked(wire.CapCheckpoint) {
		return nil
	}
	if n := len(r.events); n > 0 && !r.events[n-1].sent {
		r.events[n-1].payload = wire.RunCheckpoint{Checkpoint: r.last}
		return nil
	}
	r.pushLocked(&event{name: wire.EventCheckpoint, payload: wire.RunCheckpoint{Checkpoint: r.last}})
	return nil
}

// endLocked queues the event that ends a run.
func (r *run) endLocked(name string, payload any) {
	if r.lost || r.ending {
		return
	}
	r.ending = true
	r.flushLightLocked()
	r.pushLocked(&event{name: name, payload: payload, end: true})
}

func (r *run) pushLocked(e *event) {
	r.seq++
	e.seq = r.seq
	r.events = append(r.events, e)
	r.w.flushLocked(r)
}

// ackedLocked drops what the server has stored, and numbers what is left after it.
func (r *run) ackedLocked(acked int64) {
	r.acked = max(r.acked, acked)
	for len(r.events) > 0 && r.events[0].seq <= r.acked && !r.events[0].end {
		r.events = r.events[1:]
	}
	r.seq = r.acked
	for _, e := range r.events {
		if e.end && e.seq <= r.acked && !r.fenced {
			r.seq = max(r.seq, e.seq) // stored: the same number again brings the answer
			continue
		}
		r.seq++
		e.seq = r.seq
	}
}

func (r *run) clearLocked() { r.events, r.inFlight = nil, nil }

// flushAllLocked sends what waits, of all runs.
func (w *Worker) flushAllLocked() {
	for _, r := range w.runs {
		w.flushLocked(r)
	}
}

// flushLocked sends the next durable event of a run, unless one is on its way. While the
// lease cannot be known to hold, nothing is sent.
func (w *Worker) flushLocked(r *run) {
	s := w.session
	most := w.answer.MaxInFlight
	if most <= 0 {
		most = wire.MaxInFlight
	}
	if s == nil || r.lost || r.inFlight != nil || len(r.events) == 0 || w.inFlight >= most {
		return
	}
	if !w.lease.holds(time.Now()) {
		w.fenceLocked()
		return
	}
	e := r.events[0]
	e.sent, r.inFlight = true, e
	w.inFlight++
	s.send(e.name, e.message(r.key), wire.ReplyTimeout, func(response json.RawMessage, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.session != s {
			return // the next join says what is stored
		}
		w.inFlight--
		if r.inFlight == e {
			r.inFlight = nil
			w.storedLocked(s, r, e, response, err)
		}
		w.flushAllLocked()
	})
}

// storedLocked handles the answer to a durable event.
func (w *Worker) storedLocked(s *session, r *run, e *event, response json.RawMessage, err error) {
	var answer wire.RunAnswer
	if err == nil {
		err = json.Unmarshal(response, &answer)
	}
	refused, isReply := errors.AsType[*wire.Error](err)
	switch {
	case err == nil && e.end && answer.State != "":
		w.log.Info("run ended", "job", r.key.ID, "attempt", r.job.Attempt, "event", e.name, "state", answer.State)
		w.freeLocked(r)
	case err == nil:
		acked := max(answer.Acked, e.seq)
		if e.end { // the number was used for something else: the event comes after it
			r.acked, e.seq, r.seq = acked, acked+1, acked+1
			return
		}
		r.ackedLocked(acked)
	case !isReply: // no answer: the same again
	case refused.Kind == wire.KindFatal:
		w.refuseLocked(s, refused)
	case refused.Kind == wire.KindTerminal:
		w.loseLocked(r, refused.Error())
	default:
		if refused.Acked != nil {
			r.ackedLocked(*refused.Acked)
		}
		w.laterLocked(s, r, time.Duration(refused.RetryMS)*time.Millisecond)
	}
}

// laterLocked holds the events of a run back, and sends them again.
func (w *Worker) laterLocked(s *session, r *run, wait time.Duration) {
	held := &event{}
	r.inFlight = held
	time.AfterFunc(kappa.Jitter(max(wait, LeastBackoff)), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.session == s && r.inFlight == held {
			r.inFlight = nil
			w.flushLocked(r)
		}
	})
}
