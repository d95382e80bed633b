package lanes

import (
	"context"
	"time"
)

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
