package remote

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

func parseToken(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

// step stores that a step of a run begins or ends. It is answered after the commit, or
// when the database has been away for too long.
func (n *session) step(f wire.Frame, c *channel, sink bool) {
	var e wire.StepComplete
	_ = json.Unmarshal(f.Payload, &e) // what cannot be read is left out
	id := storable(cut(e.StepID, 128))
	if sink {
		n.reply(f, wire.StepAnswer{StepID: id})
		return
	}
	if id == "" && f.Event == wire.EventStepStart {
		id = newStepID(c.run.key, e.JobID)
	}
	var known atomic.Pointer[string] // it may be stored after the answer
	known.Store(&id)
	n.durable(f, c, func(ctx context.Context) error {
		stored, err := n.storeStep(ctx, f, c.run.key, *known.Load())
		known.Store(&stored)
		return err
	})
	n.reply(f, wire.StepAnswer{StepID: *known.Load()})
}

func newStepID(key work.RunKey, planJob string) string {
	return uuidOf(key.JobID+" step "+planJob, time.Now())
}

// storeStep stores a step, and returns its id: one that ends and has none is the open
// one of that part of the plan, if there is one.
func (n *session) storeStep(ctx context.Context, f wire.Frame, key work.RunKey, id string) (string, error) {
	if f.Event == wire.EventStepStart {
		var e wire.StepStart
		_ = json.Unmarshal(f.Payload, &e)
		return id, n.srv.cfg.Store.StartStep(ctx, key, work.RunStep{StepID: id, PlanJob: cut(e.JobID, 128), InputDataclipID: cut(e.InputDataclipID, 128)})
	}
	var e wire.StepComplete
	_ = json.Unmarshal(f.Payload, &e)
	if id == "" {
		open, err := n.srv.cfg.Store.OpenStep(ctx, key, cut(e.JobID, 128))
		if err != nil {
			return "", err
		}
		if id = open; id == "" {
			id = newStepID(key, e.JobID)
		}
	}
	return id, n.completeStep(ctx, key, id, e)
}

// durable stores an event of a run, while an answer may wait for the database. Beyond
// that the event is stored when the database is back: an error would lose it for
// certain. What comes after an event that waits, waits behind it.
func (n *session) durable(f wire.Frame, c *channel, store func(ctx context.Context) error) {
	if !c.retry.idle() {
		n.later(c, f, store)
		return
	}
	switch err := n.persist(len(f.Payload), store); {
	case err == nil:
	case unavailable(err):
		n.log.WarnContext(n.ctx, "an event of a run waits for the database", "event", f.Event, "job", c.run.key.JobID, "err", err)
		n.later(c, f, store)
	default:
		n.log.ErrorContext(n.ctx, "an event of a run could not be stored", "event", f.Event, "job", c.run.key.JobID, "err", err)
	}
}

func (n *session) completeStep(ctx context.Context, key work.RunKey, id string, e wire.StepComplete) error {
	if e.OutputDataclipID != "" && len(e.OutputDataclip) > 0 && string(e.OutputDataclip) != "null" {
		body, isJSON := dataclip(e.OutputDataclip)
		if err := n.srv.cfg.Store.AddDataclip(ctx, key, cut(e.OutputDataclipID, 128), body, isJSON); err != nil {
			return err
		}
	}
	step := work.RunStep{StepID: id, PlanJob: cut(e.JobID, 128), OutputDataclipID: cut(e.OutputDataclipID, 128)}
	reason, kind, message := cut(e.Reason, 64), cut(e.ErrorType, 128), cut(e.ErrorMessage, 4096)
	step.Reason = &reason
	if kind != "" {
		step.ErrorType = &kind
	}
	if message != "" {
		step.ErrorMessage = &message
	}
	return n.srv.cfg.Store.CompleteStep(ctx, key, step)
}

// dataclip returns the body of a dataclip, which travels as JSON in a string, and
// whether it is JSON.
func dataclip(raw json.RawMessage) (string, bool) {
	body := string(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		body = text
	}
	return storableBody(body), json.Valid([]byte(body))
}

// storableBody returns a text without what the database cannot store.
func storableBody(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s // as nearly all are, and some have megabytes
	}
	clean := make([]byte, 0, len(s))
	for _, r := range s { // what is no UTF-8 becomes the replacement character
		if r != 0 {
			clean = append(clean, string(r)...)
		}
	}
	return string(clean)
}

// later stores an event when the database is back, also when the connection has ended
// by then. An event for which there is no room is lost.
func (n *session) later(c *channel, f wire.Frame, store func(ctx context.Context) error) {
	size := int64(len(f.Payload))
	if !n.srv.retry.tryTake(size) {
		n.log.ErrorContext(n.ctx, "an event of a run is lost: too much waits for the database", "event", f.Event, "job", c.run.key.JobID)
		return
	}
	ctx := context.WithoutCancel(n.ctx)
	c.retry.do(n.srv.spawn, func() {
		defer n.srv.retry.give(size)
		for {
			callCtx, cancel := context.WithTimeout(ctx, limitFor(len(f.Payload)))
			err := store(callCtx)
			cancel()
			if !unavailable(err) {
				if err != nil {
					n.log.ErrorContext(ctx, "an event of a run could not be stored", "event", f.Event, "job", c.run.key.JobID, "err", err)
				}
				return
			}
			if n.srv.stopping.Load() {
				n.log.ErrorContext(ctx, "an event of a run is lost: the server stops while the database is away", "event", f.Event, "job", c.run.key.JobID)
				return
			}
			n.srv.pause(retryEvery)
		}
	})
}

// limitFor is how long a statement may take that stores an event of so many bytes.
func limitFor(size int) time.Duration {
	return statementLimit + time.Duration(size>>20)*time.Second
}

// retryEvery is how often an event that waits for the database is tried.
const retryEvery = 500 * time.Millisecond

// completeCompat ends a run. The first end counts.
func (n *session) completeCompat(f wire.Frame, c *channel, sink bool) {
	var e wire.CompatComplete
	_ = json.Unmarshal(f.Payload, &e)
	first := c.run.compat.complete()
	if sink || !first {
		if first {
			n.late(c.run, e.Reason)
		}
		n.reply(f, nil)
		return
	}
	n.durable(f, c, func(ctx context.Context) error {
		status, err := n.srv.finish.do(ctx, n.compatOutcome(ctx, f, c))
		switch {
		case err != nil && unavailable(err):
			return err
		case err != nil:
			_, _ = n.settle(work.RunOutcome{RunKey: c.run.key, Status: work.StatusFailed, Error: "the end of the run could not be stored"})
			return err
		case status == "":
			n.late(c.run, e.Reason)
		default:
			n.count(status)
		}
		return nil
	})
	n.forget(c.run.key)
	n.reply(f, nil)
}

// compatOutcome returns what a job becomes whose run ends so.
func (n *session) compatOutcome(ctx context.Context, f wire.Frame, c *channel) work.RunOutcome {
	var e struct {
		wire.CompatComplete
		Reason       json.RawMessage `json:"reason"`
		ErrorType    json.RawMessage `json:"error_type"`
		ErrorMessage json.RawMessage `json:"error_message"`
	}
	_ = json.Unmarshal(f.Payload, &e) // what cannot be read is left out
	reason := cut(textOf(e.Reason), 64)
	o := work.RunOutcome{RunKey: c.run.key, Error: failure(wire.RunError{Type: textOf(e.ErrorType), Message: textOf(e.ErrorMessage)})}
	switch reason {
	case "success":
		o.Status, o.Error = work.StatusCompleted, ""
	case "cancel":
		o.Status = work.StatusCancelled
	case "exception":
		o.Status, o.Outcome, o.Counted = work.StatusApproved, work.RunRetried, true
		o.Delay = kappa.Backoff(max(1, c.run.attempt), rand.Float64())
	case "fail", "crash", "kill":
		o.Status = work.StatusFailed
	default:
		o.Status = work.StatusFailed
		o.Error = "the run ended with: " + reason
	}
	if input := c.run.compat.known(); input != nil && input.hollow && o.Status == work.StatusCompleted {
		o.Status, o.Outcome, o.Counted, o.Error = work.StatusApproved, work.RunRetried, true, "its plan could not be read, and the worker ran an empty one"
		o.Delay = kappa.Backoff(max(1, c.run.attempt), rand.Float64())
	}
	if o.Status == work.StatusCompleted {
		o.Result = n.compatResult(ctx, c, reason, e.FinalState, e.FinalDataclipID)
	}
	return o
}

// compatResult is the result of a job of a run that succeeded.
func (n *session) compatResult(ctx context.Context, c *channel, reason string, state json.RawMessage, dataclipID string) json.RawMessage {
	result := map[string]any{"reason": reason, "final_dataclip_id": cut(dataclipID, 128)}
	if len(state) > 0 && len(state) <= wire.MaxResult && check.Storable("the final state", state) == nil {
		result["final_state"] = state
	}
	if dataclipID != "" && len(state) > 0 && string(state) != "null" {
		body, isJSON := dataclip(state)
		_ = n.srv.cfg.Store.AddDataclip(ctx, c.run.key, cut(dataclipID, 128), body, isJSON) // the result says which; one that is known stays
	}
	if steps, err := n.srv.cfg.Store.Steps(ctx, c.run.key.JobID); err == nil {
		result["steps"] = steps
	}
	text, err := json.Marshal(result)
	if err != nil || len(text) > 2*wire.MaxResult {
		text, _ = json.Marshal(map[string]any{"reason": reason, "final_dataclip_id": cut(dataclipID, 128)})
	}
	return text
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if len(raw) > 0 && string(raw) != "null" {
		return string(raw)
	}
	return ""
}
