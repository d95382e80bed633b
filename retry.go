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
	BackoffShare = 0.2
)

// Backoff returns how long to wait before retry n, counted from 1. random is in
// [0, 1); use rand.Float64.
func Backoff(n int, random float64) time.Duration {
	wait := BackoffMost
	if shift := n - 1; shift < 6 {
		wait = min(BackoffFirst<<max(shift, 0), BackoffMost)
	}
	return time.Duration(float64(wait) * (1 - BackoffShare + 2*BackoffShare*random))
}

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
