package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/tracing"
)

// Why the context of a handler ends.
var (
	ErrCancelled = errors.New("the job was cancelled")
	ErrFenced    = errors.New("the lease cannot be known to hold")
	ErrLost      = errors.New("the run is another worker's, or over")
	ErrDrain     = errors.New("the worker stops")
	ErrDeadline  = errors.New("the deadline of the run has passed")
	errStopped   = errors.New("the worker has stopped")
)

// Handler works on a run, and returns its result. It returns soon after ctx has ended;
// context.Cause says why. A *Failure says whether another attempt can help; after any
// other error one is made.
type Handler func(ctx context.Context, r *Run) (json.RawMessage, error)

// Failure is how a handler fails.
type Failure struct {
	Type    string // one word, for people and programs
	Message string
	Retry   bool          // another attempt can help
	After   time.Duration // before it; 0: the server decides
}

// Error returns the type and the message.
func (f *Failure) Error() string { return f.Type + ": " + f.Message }

// Run is an attempt at a job, as its handler sees it. Its methods do not wait.
type Run struct {
	ID         string
	Type       string
	Queue      string
	Attempt    int
	Deadline   time.Duration // of this attempt
	Data       json.RawMessage
	Checkpoint json.RawMessage // null without one
	// Traceparent is that of this attempt, or of the job where this worker records no traces;
	// "" where the server records none.
	Traceparent string

	r *run
}

// Progress says how far the run is: a JSON object as in the answers about a job. The
// newest replaces one that was not sent yet, and some are lost.
func (r *Run) Progress(p json.RawMessage) error { return r.r.progress(p) }

// Save stores a checkpoint, from which the next attempt goes on. The error says that it
// is larger than the server takes.
func (r *Run) Save(checkpoint json.RawMessage) error { return r.r.checkpoint(checkpoint) }

// Log adds a line to the log of the run. Lines are lost while the connection is.
func (r *Run) Log(level, message string) { r.r.log(level, message) }

// Abandoned is closed when the process is about to end: nobody waits any more.
func (r *Run) Abandoned() <-chan struct{} { return r.r.w.over }

// run is an attempt that this worker holds. Worker.mu guards it, but for what never
// changes.
type run struct {
	w     *Worker
	key   wire.RunKey
	group *group
	job   wire.Run

	ctx    context.Context //nolint:containedctx // of the handler
	cancel context.CancelCauseFunc

	started   bool // the server has confirmed it, and the handler runs or has run
	returned  bool // the handler has, or never runs
	lost      bool // nothing more is sent for it
	fenced    bool
	cancelled bool
	ending    bool // its last event is in the outbox

	outbox
	light
}

func newRun(w *Worker, g *group, job wire.Run) *run {
	r := &run{w: w, key: job.RunKey, group: g, job: job}
	r.ctx, r.cancel = context.WithCancelCause(context.Background()) //nolint:forbidigo // it outlives connections, and ends with the worker
	return r
}

// startLocked starts the handler of a run that is confirmed.
func (w *Worker) startLocked(r *run) {
	r.started = true
	switch {
	case w.drain.on:
		r.cancel(ErrDrain)
		w.returnedLocked(r, nil, ErrDrain)
		return
	case r.cancelled:
		w.returnedLocked(r, nil, ErrCancelled)
		return
	}
	w.log.Info("run started", "job", r.key.ID, "type", r.job.Type, "queue", r.job.Queue, "attempt", r.job.Attempt, "group", r.group.name)
	w.handlers.Go(func() {
		result, err := w.handle(r)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.returnedLocked(r, result, err)
	})
}

// handle runs the handler of a run.
func (w *Worker) handle(r *run) (result json.RawMessage, err error) {
	ctx, span := tracing.Begin(r.ctx, w.cfg.Tracer, tracing.Beginning{
		Kind: tracing.Consumer, Operation: tracing.OperationProcess, Target: r.job.Type, Parent: r.job.Traceparent, Link: r.job.Traceparent,
	})
	span.Job(tracing.OperationProcess, tracing.TypeProcess, r.key.ID, r.job.Type)
	span.Int(tracing.JobAttempt, int64(r.job.Attempt))
	defer func() { span.End(err) }()
	if deadline := time.Duration(r.job.DeadlineMS) * time.Millisecond; deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, deadline, ErrDeadline)
		defer cancel()
	}
	defer func() {
		if v := recover(); v != nil {
			w.log.Error("a handler panicked", "job", r.key.ID, "err", fmt.Sprint(v), "stack", string(debug.Stack()))
			result, err = nil, &Failure{Type: "Panic", Message: fmt.Sprint(v), Retry: true}
		}
	}()
	data, err := w.input(ctx, r)
	if err == nil {
		job := r.job
		result, err = w.cfg.Handlers[job.Type](ctx, &Run{
			ID: job.ID, Type: job.Type, Queue: job.Queue, Attempt: job.Attempt, Deadline: time.Duration(job.DeadlineMS) * time.Millisecond,
			Data: data, Checkpoint: orNull(job.Checkpoint), Traceparent: cmp.Or(tracing.Traceparent(ctx), job.Traceparent), r: r,
		})
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return result, err
}

func orNull(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("null")
	}
	return text
}

// input returns the data of a run, which is fetched when it was too large for the claim.
func (w *Worker) input(ctx context.Context, r *run) (json.RawMessage, error) {
	if string(orNull(r.job.Data)) != "null" {
		return r.job.Data, nil
	}
	for {
		s, err := w.sessionNow(ctx)
		if err != nil {
			return nil, err
		}
		var answer wire.RunData
		response, err := s.call(wire.EventFetch, wire.RunFetch{RunKey: r.key}, wire.ReplyTimeout)
		if err == nil {
			err = json.Unmarshal(response, &answer)
			return orNull(answer.Data), err
		}
		e, ok := errors.AsType[*wire.Error](err)
		if ok && e.Kind != wire.KindRetryable {
			w.mu.Lock()
			w.loseLocked(r, e.Error())
			w.mu.Unlock()
			return nil, ErrLost
		}
		if !kappa.Sleep(ctx, firstRetry) {
			return nil, context.Cause(ctx)
		}
	}
}

// returnedLocked says how a run ends whose handler has returned.
func (w *Worker) returnedLocked(r *run, result json.RawMessage, err error) {
	r.returned = true
	r.cancel(errStopped)
	switch {
	case r.lost:
		w.freeLocked(r)
	case r.fenced:
		w.releaseLocked(r, "fenced")
	case r.cancelled:
		r.endLocked(wire.EventFail, wire.RunFail{Error: wire.RunError{Type: "Cancelled", Message: ErrCancelled.Error()}, Cancelled: true})
	case err == nil && len(result) > wire.MaxResult:
		err = &Failure{Type: "ResultTooLarge", Message: fmt.Sprintf("the result has %d bytes, at most %d are stored", len(result), wire.MaxResult)}
		fallthrough
	case err != nil:
		w.failedLocked(r, err)
	default:
		r.endLocked(wire.EventComplete, wire.RunComplete{Result: orNull(result)})
	}
}

// failedLocked says how a run ends whose handler returned an error.
func (w *Worker) failedLocked(r *run, err error) {
	f, ok := errors.AsType[*Failure](err)
	switch {
	case errors.Is(err, ErrDrain), errors.Is(err, errStopped):
		w.releaseLocked(r, "drain")
		return
	case errors.Is(err, ErrDeadline):
		f = &Failure{Type: "DeadlineExceeded", Message: err.Error(), Retry: true}
	case !ok:
		f = &Failure{Type: "Error", Message: err.Error(), Retry: true}
	}
	r.endLocked(wire.EventFail, wire.RunFail{Error: wire.RunError{Type: f.Type, Message: f.Message}, Retry: f.Retry, RetryMS: wire.Milliseconds(f.After)})
}

// releaseLocked hands a run back, with its last checkpoint.
func (w *Worker) releaseLocked(r *run, reason string) {
	if !w.hasLocked(wire.CapRelease) {
		r.endLocked(wire.EventFail, wire.RunFail{Error: wire.RunError{Type: "Released", Message: reason}, Retry: true})
		return
	}
	r.endLocked(wire.EventRelease, wire.RunRelease{Reason: reason, Checkpoint: r.last})
}

// cancelLocked has a run stop, as the server asks.
func (w *Worker) cancelLocked(r *run, reason string) {
	if r.cancelled || r.ending || r.lost {
		return
	}
	w.log.Info("run is to stop", "job", r.key.ID, "attempt", r.job.Attempt, "reason", reason)
	r.cancelled = true
	r.cancel(ErrCancelled)
	if !r.started && !r.returned {
		w.returnedLocked(r, nil, ErrCancelled)
	}
}

// loseLocked drops a run that the server does not take as ours. Its slot is free when
// its handler has returned.
func (w *Worker) loseLocked(r *run, reason string) {
	if r.lost {
		return
	}
	w.log.Warn("run dropped", "job", r.key.ID, "attempt", r.job.Attempt, "reason", reason)
	r.lost = true
	r.cancel(ErrLost)
	w.freeLocked(r)
}

// freeLocked forgets a run. Its slot comes free when its handler has returned, and its
// group, and no other, claims at once.
func (w *Worker) freeLocked(r *run) {
	r.clearLocked()
	r.stopLight()
	if w.runs[r.key.ID] == r {
		delete(w.runs, r.key.ID)
	}
	if r.started && !r.returned {
		return
	}
	if r.group.active[r] {
		delete(r.group.active, r)
		r.group.empty = false
		r.group.wakeLocked(w.drain.on)
	}
	w.idleLocked()
}
