package lanes

import (
	"context"
	"log/slog"
	"time"
)

// roundRetry is how long after a round that failed the next one begins at the latest.
const roundRetry = 10 * time.Second

// every runs rounds until ctx ends: one now, and the next an interval after each, or
// sooner after one that failed, which it logs. what names them. It returns nil.
func every(ctx context.Context, interval time.Duration, log *slog.Logger, what string, round func(ctx context.Context) error) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		wait := interval
		if err := round(ctx); err != nil && ctx.Err() == nil {
			wait = min(interval, roundRetry)
			log.WarnContext(ctx, what+" failed", "err", err, "retry_in", wait) //nolint:sloglint // what is one of a few constants
		}
		timer.Reset(wait)
	}
}

// batches calls a batch, each within a limit, until there is no more, and returns the
// sum of what they did.
func batches(ctx context.Context, limit time.Duration, batch func(ctx context.Context) (done int, more bool, err error)) (total int, err error) {
	for more := true; more; {
		batchCtx, cancel := context.WithTimeout(ctx, limit)
		var done int
		done, more, err = batch(batchCtx)
		cancel()
		total += done
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
