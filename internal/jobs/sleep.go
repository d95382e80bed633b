package jobs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
)

// checkpointer stores progress and state under a claim; it returns
// kappa.ErrStale or kappa.ErrCancelled when the handler is to stop.
type checkpointer interface {
	Checkpoint(ctx context.Context, c kappa.Claim, p kappa.Checkpoint) error
}

// NewSleep returns the test type sleep: it sleeps data.ms milliseconds in
// data.steps steps, and stores progress and a checkpoint after each step with
// retry. Its handler returns a CodeInvalid Error for data out of range.
func NewSleep(store checkpointer, retry kappa.Retrying) kappa.JobType {
	return kappa.JobType{
		Name: kappa.TypeSleep, Summary: "Sleeps data.ms milliseconds in data.steps steps.", Lane: testLane,
		Schedulable: true, Retryable: true, Check: checkStepsData,
		Handler: func(ctx context.Context, c kappa.Claim) (json.RawMessage, error) {
			var emitted time.Time
			data, err := steps(ctx, c, "sleeping", func(ctx context.Context, _ string, p kappa.Checkpoint) error {
				if now := time.Now(); p.Progress.ItemsProcessed == p.Progress.ItemsTotal || now.Sub(emitted) >= time.Second/kappa.ProgressPerSecond {
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
