package jobs

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/work"
)

// yieldEvery is the least time between two checkpoints of a job whose steps are short.
const yieldEvery = 150 * time.Millisecond

// yielder returns what a job calls between its steps, with how many of how many are done:
// it returns the cause of ctx's end at once, and stores a checkpoint with the progress,
// the first and the last one always.
func yielder(ctx context.Context, c work.Claim, claims checkpointer, retry work.Retrying, stage string) func(done, of int) error {
	var last time.Time
	most := 0 // the percentage never decreases
	return func(done, of int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Since(last) < yieldEvery && done < of {
			return nil
		}
		last = time.Now()
		most = max(most, work.PercentDone(done, of))
		p := work.Progress{Stage: stage, Percent: most, ItemsTotal: of, ItemsProcessed: done}
		return retry(ctx, "store a checkpoint", func(ctx context.Context) error {
			return claims.Checkpoint(ctx, c, work.Checkpoint{Progress: p, Emit: true})
		})
	}
}
