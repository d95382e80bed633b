package work

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa"
)

// fencedText is what a watcher reads of an attempt that was given up, and not
// counted, because its worker could not renew its lease.
const fencedText = "handed back: the worker could not renew its lease in time"

// mostErrorBytes is how long the error of a job may be: people read it.
const mostErrorBytes = 64 << 10

// Conclude says how an attempt ends that returned err. The cause of ctx decides
// first: a job that was asked to stop is cancelled, one that the server gives
// up is released. What comes of it can be stored, whatever the handler had from
// outside: a result that cannot is a failure. random is in [0, 1); use rand.Float64.
func Conclude(ctx context.Context, claim Claim, result []byte, err error, random float64) Outcome {
	return DefaultPolicy().Conclude(ctx, claim, result, err, random)
}

// Conclude is the function Conclude for a job of a type with the policy p.
func (p Policy) Conclude(ctx context.Context, claim Claim, result []byte, err error, random float64) Outcome {
	if late, ok := errors.AsType[DeadlineError](context.Cause(ctx)); ok && err != nil {
		err = late
	}
	return p.conclude(ctx, claim, result, err, random).storable()
}

func (p Policy) conclude(ctx context.Context, claim Claim, result []byte, err error, random float64) Outcome {
	o := Outcome{Claim: claim, Result: result}
	cause := context.Cause(ctx)
	wait, postponed := kappa.Postponed(err)
	switch {
	case err == nil:
		o.Status = StatusCompleted
	case errors.Is(err, kappa.ErrCancelled) || errors.Is(cause, kappa.ErrCancelled):
		o.Status = StatusCancelled
	case errors.Is(cause, kappa.ErrShutdown):
		o.Status = StatusApproved
	case errors.Is(cause, kappa.ErrLeaseLost):
		o.Status, o.Error = StatusApproved, fencedText
	case kappa.Paused(err):
		o.Status, o.Error = StatusAwaitingApproval, failureText(err)
	case postponed && kappa.Retryable(err):
		o.Status, o.RunAt = StatusApproved, wait
		o.Error = failureText(err)
	case kappa.Retryable(err) && claim.Retries < p.Retries(claim.MaxRetries, claim.RetriesAsked):
		o.Status, o.CountRetry = StatusApproved, true
		o.RunAt = p.Backoff(claim.Retries+1, random)
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
	if e, ok := errors.AsType[*kappa.Error](err); ok {
		return e.Message
	}
	return err.Error()
}
