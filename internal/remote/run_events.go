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

// retryLimit is how long the answer to a durable event may wait for the database.
const retryLimit = 20 * time.Second

// runOf returns the run that an event names; one that is not known here may be one
// that has ended.
func (n *session) runOf(key work.RunKey) *run {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r := n.runs[key.JobID]; r != nil && r.key.Token == key.Token {
		return r
	}
	return &run{key: key, ended: true}
}

// runEvent handles an event of a run: in order for the run, beside everything else.
func (n *session) runEvent(f wire.Frame) {
	var e wire.RunEvent
	if err := json.Unmarshal(f.Payload, &e); err != nil {
		n.fail(f, wire.NewError(wire.CodeBadPayload, "the event cannot be read"))
		return
	}
	key, ok := n.key(e.RunKey)
	if !ok {
		n.fail(f, wire.NewError(wire.CodeUnknownRun, "id and tok name no run"))
		return
	}
	r := n.runOf(key)
	r.events.do(n.spawn, func() {
		defer func() {
			if v := recover(); v != nil {
				n.panicked(f, v)
			}
		}()
		if f.Event == wire.EventProgress || f.Event == wire.EventLog || f.Event == wire.EventFetch {
			n.lightEvent(f, r)
			return
		}
		n.durableEvent(f, r, e.Seq)
	})
}

// lightEvent handles an event that may be lost.
func (n *session) lightEvent(f wire.Frame, r *run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
	defer cancel()
	var err error
	switch f.Event {
	case wire.EventProgress:
		var e wire.RunProgress
		var p work.Progress
		if json.Unmarshal(f.Payload, &e) != nil || json.Unmarshal(e.Progress, &p) != nil {
			n.fail(f, wire.NewError(wire.CodeBadPayload, "progress: cannot be read"))
			return
		}
		if !r.progressDue(time.Now()) {
			break
		}
		err = n.srv.cfg.Store.Progress(ctx, r.key, r.never(p))
	case wire.EventLog:
		var e wire.RunLog
		if json.Unmarshal(f.Payload, &e) != nil {
			n.fail(f, wire.NewError(wire.CodeBadPayload, "lines: cannot be read"))
			return
		}
		lines := make([]work.RunLogLine, len(e.Lines))
		for i, l := range e.Lines {
			lines[i] = work.RunLogLine{Level: l.Level, Message: l.Message}
		}
		err = n.addLog(ctx, r, lines)
	case wire.EventFetch:
		input, ferr := n.srv.cfg.Store.Input(ctx, r.key)
		if ferr == nil {
			n.reply(f, wire.RunData{Data: input.Data})
			return
		}
		err = ferr
	}
	n.answerLight(f, err)
}

func (n *session) answerLight(f wire.Frame, err error) {
	switch {
	case err == nil:
		n.reply(f, nil)
	case errors.Is(err, kappa.ErrStale):
		n.fail(f, wire.NewError(wire.CodeStaleClaim, "the run is another worker's, or over"))
	case kappa.ErrorCode(err) == kappa.CodeInvalid:
		n.fail(f, wire.NewError(wire.CodeBadPayload, "%s", kappa.ErrorMessage(err)))
	default:
		n.fail(f, wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
	}
}

// durableEvent handles a numbered event: it is stored once, in its turn.
func (n *session) durableEvent(f wire.Frame, r *run, seq int64) {
	if seq < 1 {
		n.fail(f, wire.NewError(wire.CodeBadPayload, "seq: must be at least 1"))
		return
	}
	var err error
	var done bool
	state := ""
	switch f.Event {
	case wire.EventCheckpoint:
		done, err = n.checkpoint(f, r, seq)
	default:
		o, bad := n.outcome(f, r, seq)
		if bad != nil {
			n.fail(f, bad)
			return
		}
		var status work.Status
		status, err = n.settle(o)
		state, done = string(status), status != ""
		if err != nil && !unavailable(err) { // it is refused for what it says, and would be again
			n.badResult(f, r, seq, err)
			return
		}
		if done {
			n.count(work.Status(state))
		}
	}
	switch {
	case errors.Is(err, errBadPayload):
		n.fail(f, wire.NewError(wire.CodeBadPayload, "the event cannot be read"))
	case errors.Is(err, errTooLarge):
		n.fail(f, wire.NewError(wire.CodeTooLarge, "a checkpoint may have %d bytes", wire.MaxCheckpoint))
	case kappa.ErrorCode(err) == kappa.CodeInvalid && err != nil:
		n.fail(f, wire.NewError(wire.CodeBadPayload, "%s", kappa.ErrorMessage(err)))
	case err != nil:
		n.fail(f, wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
	case done:
		n.reply(f, wire.RunAnswer{Acked: seq, State: state})
	default:
		n.unchanged(f, r, seq)
	}
}

var (
	errBadPayload = errors.New("it cannot be read")
	errTooLarge   = errors.New("it is too large")
)

// checkpoint stores a checkpoint. It reports false when the event is not the next one,
// or the run another's.
func (n *session) checkpoint(f wire.Frame, r *run, seq int64) (bool, error) {
	var e wire.RunCheckpoint
	if json.Unmarshal(f.Payload, &e) != nil {
		return false, errBadPayload
	}
	if len(e.Checkpoint) > wire.MaxCheckpoint {
		return false, errTooLarge
	}
	p := work.Checkpoint{State: e.Checkpoint, Progress: r.shown}
	if len(e.Progress) > 0 {
		var progress work.Progress
		if json.Unmarshal(e.Progress, &progress) != nil {
			return false, errBadPayload
		}
		p.Progress, p.Emit = r.never(progress), r.progressDue(time.Now())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
	defer cancel()
	err := n.srv.cfg.Store.Checkpoint(ctx, r.key, seq, p)
	if errors.Is(err, kappa.ErrStale) {
		return false, nil
	}
	return err == nil, err
}

// outcome reads an event that ends a run.
func (n *session) outcome(f wire.Frame, r *run, seq int64) (work.RunOutcome, *wire.Error) {
	o := work.RunOutcome{RunKey: r.key, Seq: seq}
	bad := wire.NewError(wire.CodeBadPayload, "the event cannot be read")
	switch f.Event {
	case wire.EventComplete:
		var e wire.RunComplete
		if json.Unmarshal(f.Payload, &e) != nil {
			return o, bad
		}
		if len(e.Result) > wire.MaxResult {
			return o, wire.NewError(wire.CodeTooLarge, "a result may have %d bytes", wire.MaxResult)
		}
		o.Status, o.Result = work.StatusCompleted, e.Result
	case wire.EventFail:
		var e wire.RunFail
		if json.Unmarshal(f.Payload, &e) != nil {
			return o, bad
		}
		o.Status, o.Error = work.StatusFailed, failure(e.Error)
		switch {
		case e.Cancelled:
			o.Status = work.StatusCancelled
		case e.Retry:
			o.Status, o.Counted, o.Outcome = work.StatusApproved, true, work.RunRetried
			o.Delay = max(kappa.Backoff(max(1, r.attempt), rand.Float64()), time.Duration(e.RetryMS)*time.Millisecond)
		}
	case wire.EventRelease:
		var e wire.RunRelease
		if json.Unmarshal(f.Payload, &e) != nil {
			return o, bad
		}
		if len(e.Checkpoint) > wire.MaxCheckpoint {
			return o, wire.NewError(wire.CodeTooLarge, "a checkpoint may have %d bytes", wire.MaxCheckpoint)
		}
		o.Status, o.Outcome, o.Error, o.Checkpoint = work.StatusApproved, work.RunReleased, "handed back: "+cut(e.Reason, 256), e.Checkpoint
		if string(e.Checkpoint) == "null" {
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
func (n *session) badResult(f wire.Frame, r *run, seq int64, cause error) {
	_, err := n.settle(work.RunOutcome{RunKey: r.key, Seq: seq, Status: work.StatusFailed, Error: "bad_result: " + kappa.ErrorMessage(cause)})
	if err != nil {
		n.fail(f, wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
		return
	}
	n.count(work.StatusFailed)
	n.fail(f, wire.NewError(wire.CodeBadResult, "%s", kappa.ErrorMessage(cause)))
}

// unchanged answers a durable event that has changed nothing: it is stored already, or
// one before it is missing, or the run is another's.
func (n *session) unchanged(f wire.Frame, r *run, seq int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
	defer cancel()
	state, err := n.srv.cfg.Store.RunState(ctx, n.hello.Identity, r.key.JobID, r.key.Token)
	switch {
	case err != nil && kappa.ErrorCode(err) == kappa.CodeNotFound:
		n.fail(f, wire.NewError(wire.CodeUnknownRun, "there was no such run"))
	case err != nil:
		n.fail(f, wire.NewError(wire.CodeUnavailable, "%s", kappa.ErrorMessage(err)))
	case seq <= state.Seq:
		answer := wire.RunAnswer{Acked: state.Seq}
		if state.Outcome != "" && state.Outcome != work.RunFenced && f.Event != wire.EventCheckpoint {
			answer.State = statusOf(state.Outcome)
		}
		n.reply(f, answer)
	case state.Outcome != "" && state.Outcome != work.RunFenced:
		n.fail(f, wire.NewError(wire.CodeAlreadyEnded, "the run has ended: %s", state.Outcome))
	case !state.Held:
		n.late(r, f.Event)
		n.forget(r.key)
		n.fail(f, wire.NewError(wire.CodeStaleClaim, "the run is another worker's, or over"))
	default:
		e := wire.NewError(wire.CodeOutOfOrder, "event %d is the next one", state.Seq+1)
		e.Acked, e.RetryMS = &state.Seq, 100
		n.fail(f, e)
	}
}

// late keeps what a worker said of a run that is not its own any more.
func (n *session) late(r *run, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
	defer cancel()
	if n.endedItself(ctx, r.key) {
		return // its end was stored, and the answer to that was lost
	}
	n.srv.metrics.late.Add(1)
	n.mu.Lock()
	n.done.Late++
	n.mu.Unlock()
	n.log.InfoContext(n.ctx, "a run that is another's has ended here", "job", r.key.JobID, "reason", cut(reason, 64))
	if err := n.srv.cfg.Store.Late(ctx, r.key.Token, cut(reason, 64)); err != nil {
		n.log.WarnContext(n.ctx, "keeping the end of a late run failed", "job", r.key.JobID, "err", err)
	}
}

// endedItself reports whether an attempt has ended as its worker said.
func (n *session) endedItself(ctx context.Context, key work.RunKey) bool {
	state, err := n.srv.cfg.Store.RunState(ctx, n.hello.Identity, key.JobID, key.Token)
	if err != nil {
		return false
	}
	switch state.Outcome {
	case string(work.StatusCompleted), string(work.StatusFailed), work.RunRetried:
		return true
	}
	return false
}

func (n *session) count(status work.Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch status {
	case work.StatusCompleted:
		n.done.Completed++
	case work.StatusFailed:
		n.done.Failed++
	default: // cancelled, or tried again
	}
}

// progressDue reports whether another progress of the run may be stored now.
func (r *run) progressDue(now time.Time) bool {
	if now.Sub(r.lastShown) < time.Second/work.ProgressPerSecond {
		return false
	}
	r.lastShown = now
	return true
}

// never returns the progress with a percentage that does not fall.
func (r *run) never(p work.Progress) work.Progress {
	p.Percent = min(max(p.Percent, r.shown.Percent), 100)
	r.shown = p
	return p
}

// runLogs number the lines of a run's log.
type runLogs struct {
	begun bool
	last  int
}

const cutMark = " … (cut)"

// addLog adds lines to the log of a run, up to its limit.
func (n *session) addLog(ctx context.Context, r *run, lines []work.RunLogLine) error {
	if !r.logs.begun {
		last, err := n.srv.cfg.Store.LastLogLine(ctx, r.key)
		if err != nil {
			return err
		}
		r.logs.begun, r.logs.last = true, last
	}
	kept := lines[:0:0]
	for _, l := range lines {
		if r.logs.last >= wire.MaxLogLines {
			break
		}
		r.logs.last++
		l.Line = r.logs.last
		l.Level, l.Source, l.StepID, l.WorkerTime = cut(l.Level, 16), cut(l.Source, 16), cut(l.StepID, 64), cut(l.WorkerTime, 64)
		l.Message = storable(l.Message)
		if r.logs.last == wire.MaxLogLines {
			l.Message = "the log is full: what comes after this line is left out"
		}
		kept = append(kept, l)
	}
	if len(kept) == 0 {
		return nil
	}
	return n.srv.cfg.Store.AddLog(ctx, r.key, kept)
}
