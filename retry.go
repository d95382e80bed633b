package kappa

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Backoff between the attempts of a failed job: 1 s, 2 s, 4 s … up to
// BackoffMost, each ±20 %, so that jobs that failed together do not return
// together.
const (
	BackoffFirst = time.Second
	BackoffMost  = 60 * time.Second
	backoffShare = 0.2
)

// Backoff returns how long to wait before retry n, counted from 1. random is in
// [0, 1); use rand.Float64.
func Backoff(n int, random float64) time.Duration {
	wait := BackoffMost
	if shift := n - 1; shift < 6 {
		wait = min(BackoffFirst<<max(shift, 0), BackoffMost)
	}
	return time.Duration(float64(wait) * (1 - backoffShare + 2*backoffShare*random))
}

// fencedText is what a watcher reads of an attempt that was given up, and not
// counted, because its worker could not renew its lease.
const fencedText = "handed back: the worker could not renew its lease in time"

// permanentError marks a failure that a retry cannot help.
type permanentError struct{ err error }

func (p permanentError) Error() string { return p.err.Error() }
func (p permanentError) Unwrap() error { return p.err }

// Permanent marks err as one that a retry cannot help: the job fails at once.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanentError{err}
}

// postponedError marks a failure of something that a job needs and that is away.
type postponedError struct {
	err  error
	wait time.Duration
}

func (p postponedError) Error() string { return p.err.Error() }
func (p postponedError) Unwrap() error { return p.err }

// Postpone marks err as one that is not the job's: what it needs is away, such as the
// API of a model. The job goes back to those that wait, is not claimed again before
// wait is over, and no attempt and no retry is counted.
func Postpone(err error, wait time.Duration) error {
	if err == nil {
		return nil
	}
	return postponedError{err, wait}
}

// Postponed returns how long a job is to wait that ended with err, and whether err is
// one that Postpone marked.
func Postponed(err error) (wait time.Duration, ok bool) {
	p, ok := errors.AsType[postponedError](err)
	return p.wait, ok
}

// pausedError marks a failure that people decide about.
type pausedError struct{ err error }

func (p pausedError) Error() string { return p.err.Error() }
func (p pausedError) Unwrap() error { return p.err }

// Pause marks err as the reason why a job is not to go on before somebody approves that,
// such as a budget that is reached. The job goes back to those that await approval, with
// what it has stored, and no attempt and no retry is counted.
func Pause(err error) error {
	if err == nil {
		return nil
	}
	return pausedError{err}
}

// Paused reports whether err is one that Pause marked.
func Paused(err error) bool {
	_, ok := errors.AsType[pausedError](err)
	return ok
}

// Retryable reports whether another attempt can help. Cancellation, bad input
// and errors marked Permanent cannot be helped; everything else may pass.
func Retryable(err error) bool {
	var permanent permanentError
	if errors.As(err, &permanent) || errors.Is(err, ErrCancelled) || errors.Is(err, ErrStale) {
		return false
	}
	switch ErrorCode(err) {
	case CodeInvalid, CodeMalformed, CodeNotFound, CodeTooLarge, CodeUnsupported, CodeForbidden, CodeNotImplemented:
		return false
	}
	return true
}

// mostErrorBytes is how long the error of a job may be: people read it.
const mostErrorBytes = 64 << 10

// Conclude says how an attempt ends that returned err. The cause of ctx decides
// first: a job that was asked to stop is cancelled, one that the server gives
// up is released. What comes of it can be stored, whatever the handler had from
// outside: a result that cannot is a failure. random is in [0, 1); use rand.Float64.
func Conclude(ctx context.Context, claim Claim, result []byte, err error, random float64) Outcome {
	return conclude(ctx, claim, result, err, random).storable()
}

// storable returns an outcome that the database does not refuse for its data.
func (o Outcome) storable() Outcome {
	o.Error = StorableText(o.Error, mostErrorBytes)
	switch err := CheckStorable("the result", o.Result); {
	case err == nil:
	case o.Status == StatusCompleted:
		return Outcome{Claim: o.Claim, Status: StatusFailed, Error: "The result could not be stored: " + ErrorMessage(err)}
	default:
		o.Result = nil
	}
	return o
}

func conclude(ctx context.Context, claim Claim, result []byte, err error, random float64) Outcome {
	o := Outcome{Claim: claim, Result: result}
	cause := context.Cause(ctx)
	wait, postponed := Postponed(err)
	switch {
	case err == nil:
		o.Status = StatusCompleted
	case errors.Is(err, ErrCancelled) || errors.Is(cause, ErrCancelled):
		o.Status = StatusCancelled
	case errors.Is(cause, ErrShutdown):
		o.Status = StatusApproved
	case errors.Is(cause, ErrLeaseLost):
		o.Status, o.Error = StatusApproved, fencedText
	case Paused(err):
		o.Status, o.Error = StatusAwaitingApproval, failureText(err)
	case postponed && Retryable(err):
		o.Status, o.RunAt = StatusApproved, wait
		o.Error = failureText(err)
	case Retryable(err) && claim.Retries < claim.MaxRetries:
		o.Status, o.CountRetry = StatusApproved, true
		o.RunAt = Backoff(claim.Retries+1, random)
		o.Error = failureText(err)
	default:
		o.Status = StatusFailed
		o.Error = failureText(err)
	}
	return o
}

// failureText is what a job's watcher reads: the message meant for callers, or
// the whole error. A handler's errors name no secrets.
func failureText(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// Sleep waits d, and reports whether ctx has not ended before that.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// Jitter returns d ±10 %, so that periodic work of many servers spreads out.
func Jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.9 + 0.2*rand.Float64()))
}
