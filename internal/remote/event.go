package remote

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// event is an event of a run, extended profile.
type event struct {
	request
	run *run
	seq int64 // of a durable one
}

// runEvent handles an event of a run: in order for the run, beside everything else.
func (n *session) runEvent(q request) {
	var said wire.RunEvent
	if err := json.Unmarshal(q.Payload, &said); err != nil {
		q.fail(wire.NewError(wire.CodeBadPayload, "the event cannot be read"))
		return
	}
	key, ok := n.member.key(said.RunKey)
	if !ok {
		q.fail(wire.NewError(wire.CodeUnknownRun, "id and tok name no run"))
		return
	}
	e := event{q, n.held.find(key), said.Seq}
	if e.run == nil {
		e.run = &run{key: key, ended: true} // it may be one that has ended
	}
	e.run.events.do(n.socket.spawn, func() { q.guard(e.handle) })
}

func (e event) handle() {
	switch e.Event {
	case wire.EventProgress, wire.EventLog, wire.EventFetch:
		e.light()
	default:
		e.durable()
	}
}

// light handles an event that may be lost.
func (e event) light() {
	n, r := e.n, e.run
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.socket.ctx), statementLimit)
	defer cancel()
	var err error
	switch e.Event {
	case wire.EventProgress:
		var said wire.RunProgress
		var p work.Progress
		if json.Unmarshal(e.Payload, &said) != nil || json.Unmarshal(said.Progress, &p) != nil {
			e.fail(wire.NewError(wire.CodeBadPayload, "progress: cannot be read"))
			return
		}
		if !r.progressDue(time.Now()) {
			break
		}
		err = n.srv.cfg.Store.Progress(ctx, r.key, r.never(p))
	case wire.EventLog:
		var said wire.RunLog
		if json.Unmarshal(e.Payload, &said) != nil {
			e.fail(wire.NewError(wire.CodeBadPayload, "lines: cannot be read"))
			return
		}
		lines := make([]work.RunLogLine, len(said.Lines))
		for i, l := range said.Lines {
			lines[i] = work.RunLogLine{Level: l.Level, Message: l.Message}
		}
		err = r.addLog(ctx, n.srv.cfg.Store, lines)
	case wire.EventFetch:
		input, ferr := n.srv.cfg.Store.Input(ctx, r.key)
		if ferr == nil {
			e.reply(wire.RunData{Data: input.Data})
			return
		}
		err = ferr
	}
	e.answerLight(err)
}

func (e event) answerLight(err error) {
	switch {
	case err == nil:
		e.reply(nil)
	case errors.Is(err, kappa.ErrStale):
		e.fail(wire.NewError(wire.CodeStaleClaim, "the run is another worker's, or over"))
	case kappa.ErrorCode(err) == kappa.CodeInvalid:
		e.fail(wire.NewError(wire.CodeBadPayload, "%s", kappa.ErrorMessage(err)))
	default:
		e.fail(wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
	}
}

// durable handles a numbered event: it is stored once, in its turn.
func (e event) durable() {
	n, seq := e.n, e.seq
	if seq < 1 {
		e.fail(wire.NewError(wire.CodeBadPayload, "seq: must be at least 1"))
		return
	}
	var err error
	var done bool
	state := ""
	switch e.Event {
	case wire.EventCheckpoint:
		done, err = e.checkpoint()
	default:
		o, bad := e.outcome()
		if bad != nil {
			e.fail(bad)
			return
		}
		var status work.Status
		status, err = n.settle(o)
		state, done = string(status), status != ""
		if err != nil && !unavailable(err) { // it is refused for what it says, and would be again
			e.badResult(err)
			return
		}
		if done {
			n.endings.count(work.Status(state))
		}
	}
	switch {
	case errors.Is(err, errBadPayload):
		e.fail(wire.NewError(wire.CodeBadPayload, "the event cannot be read"))
	case errors.Is(err, errTooLarge):
		e.fail(wire.NewError(wire.CodeTooLarge, "a checkpoint may have %d bytes", wire.MaxCheckpoint))
	case kappa.ErrorCode(err) == kappa.CodeInvalid && err != nil:
		e.fail(wire.NewError(wire.CodeBadPayload, "%s", kappa.ErrorMessage(err)))
	case err != nil:
		e.fail(wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
	case done:
		e.reply(wire.RunAnswer{Acked: seq, State: state})
	default:
		e.unchanged()
	}
}

var (
	errBadPayload = errors.New("it cannot be read")
	errTooLarge   = errors.New("it is too large")
)

// checkpoint stores a checkpoint. It reports false when the event is not the next one,
// or the run another's.
func (e event) checkpoint() (bool, error) {
	n, r := e.n, e.run
	var said wire.RunCheckpoint
	if json.Unmarshal(e.Payload, &said) != nil {
		return false, errBadPayload
	}
	if len(said.Checkpoint) > wire.MaxCheckpoint {
		return false, errTooLarge
	}
	p := work.Checkpoint{State: said.Checkpoint, Progress: r.shown}
	if len(said.Progress) > 0 {
		var progress work.Progress
		if json.Unmarshal(said.Progress, &progress) != nil {
			return false, errBadPayload
		}
		p.Progress, p.Emit = r.never(progress), r.progressDue(time.Now())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.socket.ctx), statementLimit)
	defer cancel()
	err := n.srv.cfg.Store.Checkpoint(ctx, r.key, e.seq, p)
	if errors.Is(err, kappa.ErrStale) {
		return false, nil
	}
	return err == nil, err
}

// outcome reads an event that ends a run.
func (e event) outcome() (work.RunOutcome, *wire.Error) {
	o := work.RunOutcome{RunKey: e.run.key, Seq: e.seq}
	bad := wire.NewError(wire.CodeBadPayload, "the event cannot be read")
	switch e.Event {
	case wire.EventComplete:
		var said wire.RunComplete
		if json.Unmarshal(e.Payload, &said) != nil {
			return o, bad
		}
		if len(said.Result) > wire.MaxResult {
			return o, wire.NewError(wire.CodeTooLarge, "a result may have %d bytes", wire.MaxResult)
		}
		o.Status, o.Result = work.StatusCompleted, said.Result
	case wire.EventFail:
		var said wire.RunFail
		if json.Unmarshal(e.Payload, &said) != nil {
			return o, bad
		}
		o.Status, o.Error = work.StatusFailed, failure(said.Error)
		switch {
		case said.Cancelled:
			o.Status = work.StatusCancelled
		case said.Retry:
			o.Status, o.Counted, o.Outcome = work.StatusApproved, true, work.RunRetried
			o.Delay = max(e.n.srv.backoff(e.run, rand.Float64()), time.Duration(said.RetryMS)*time.Millisecond)
		}
	case wire.EventRelease:
		var said wire.RunRelease
		if json.Unmarshal(e.Payload, &said) != nil {
			return o, bad
		}
		if len(said.Checkpoint) > wire.MaxCheckpoint {
			return o, wire.NewError(wire.CodeTooLarge, "a checkpoint may have %d bytes", wire.MaxCheckpoint)
		}
		o.Status, o.Outcome, o.Error, o.Checkpoint = work.StatusApproved, work.RunReleased, "handed back: "+cut(said.Reason, 256), said.Checkpoint
		if string(said.Checkpoint) == "null" {
			o.Checkpoint = nil
		}
	}
	return o, nil
}

// failure is what a watcher of a job reads of a failed run.
func failure(e wire.RunError) string {
	text := cut(e.Message, 4096)
	switch {
	case e.Type != "" && text != "":
		return cut(e.Type, 128) + ": " + text
	case text == "":
		text = cut(e.Type, 128)
	}
	if text == "" {
		return "the worker gave no reason"
	}
	return text
}

// badResult fails a run whose result cannot be stored, and says so to the worker.
func (e event) badResult(cause error) {
	_, err := e.n.settle(work.RunOutcome{RunKey: e.run.key, Seq: e.seq, Status: work.StatusFailed, Error: "bad_result: " + kappa.ErrorMessage(cause)})
	if err != nil {
		e.fail(wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	}
	e.n.endings.count(work.StatusFailed)
	e.fail(wire.NewError(wire.CodeBadResult, "%s", kappa.ErrorMessage(cause)))
}

// unchanged answers a durable event that has changed nothing: it is stored already, or
// one before it is missing, or the run is another's.
func (e event) unchanged() {
	n, key := e.n, e.run.key
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.socket.ctx), statementLimit)
	defer cancel()
	state, err := n.srv.cfg.Store.RunState(ctx, n.member.hello.Identity, key.JobID, key.Token)
	switch {
	case err != nil && kappa.ErrorCode(err) == kappa.CodeNotFound:
		e.fail(wire.NewError(wire.CodeUnknownRun, "there was no such run"))
	case err != nil:
		e.fail(wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
	case e.seq <= state.Seq:
		answer := wire.RunAnswer{Acked: state.Seq}
		if state.Outcome != "" && state.Outcome != work.RunFenced && e.Event != wire.EventCheckpoint {
			answer.State = statusOf(state.Outcome)
		}
		e.reply(answer)
	case state.Outcome != "" && state.Outcome != work.RunFenced:
		e.fail(wire.NewError(wire.CodeAlreadyEnded, "the run has ended: %s", state.Outcome))
	case !state.Held:
		n.late(key, e.Event)
		n.held.forget(key)
		e.fail(wire.NewError(wire.CodeStaleClaim, "the run is another worker's, or over"))
	default:
		early := wire.NewError(wire.CodeOutOfOrder, "event %d is the next one", state.Seq+1)
		early.Acked, early.RetryMS = &state.Seq, 100
		e.fail(early)
	}
}
