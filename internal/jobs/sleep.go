package jobs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa/work"
)

// checkpointer stores progress and state under a claim; it returns
// kappa.ErrStale or kappa.ErrCancelled when the handler is to stop.
type checkpointer interface {
	Checkpoint(ctx context.Context, c work.Claim, p work.Checkpoint) error
}

// NewSleep returns the test type sleep: it sleeps data.ms milliseconds in
// data.steps steps, and stores progress and a checkpoint after each step with
// retry. Its handler returns a CodeInvalid Error for data out of range.
func NewSleep(store checkpointer, retry work.Retrying) work.JobType {
	return work.JobType{
		Name: work.TypeSleep, Summary: "Sleeps data.ms milliseconds in data.steps steps.", Lane: testLane,
		Schedulable: true, Retryable: true, Resumable: true, Check: checkStepsData,
		Handler: func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
			var emitted time.Time
			data, err := steps(ctx, c, "sleeping", func(ctx context.Context, _ string, p work.Checkpoint) error {
				if now := time.Now(); p.Progress.ItemsProcessed == p.Progress.ItemsTotal || now.Sub(emitted) >= time.Second/work.ProgressPerSecond {
					p.Emit, emitted = true, now
				}
				return retry(ctx, "store a checkpoint", func(ctx context.Context) error { return store.Checkpoint(ctx, c, p) })
			})
			if err != nil {
				return nil, err
			}
			return json.Marshal(map[string]int{"ms": data.MS, "steps": data.Steps})
		},
	}
}
