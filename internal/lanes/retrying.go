package lanes

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	retryTimeout    = 10 * time.Second // of the first call; doubled each time, so that a slow call gets the time that it needs
	retryTimeoutMax = 80 * time.Second
	retryPause      = 100 * time.Millisecond // after a call that failed; doubled each time
	retryPauseMax   = time.Second
	diskRetry       = 5 * time.Second // while the database's disk is full
)

// Retrying returns what handlers call the database with: it repeats a call while
// the database is away, busy or full, so that the handler waits instead of failing.
// How long is up to the context: a job's context ends when the worker has to give
// the job up. It logs once that a job waits.
func Retrying(log *slog.Logger) work.Retrying {
	return func(ctx context.Context, what string, call func(ctx context.Context) error) error {
		timeout, pause := retryTimeout, retryPause
		for first := true; ; first = false {
			callCtx, cancel := context.WithTimeout(ctx, timeout)
			err := call(callCtx)
			cancel()
			if kappa.ErrorCode(err) != kappa.CodeUnavailable || ctx.Err() != nil {
				return err
			}
			if first {
				log.WarnContext(ctx, "a job waits for the database", "what", what, "err", err)
			}
			if errors.Is(err, kappa.ErrDiskFull) {
				pause = diskRetry
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(kappa.Jitter(pause)):
			}
			timeout, pause = min(2*timeout, retryTimeoutMax), min(2*pause, retryPauseMax)
		}
	}
}
