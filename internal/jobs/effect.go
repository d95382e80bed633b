package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa/work"
)

// ledger records a step of a job and the checkpoint after it, both or neither;
// see postgres.ClaimStore.Effect.
type ledger interface {
	Effect(ctx context.Context, c work.Claim, step string, p work.Checkpoint) error
}

// Witness stands for a target outside the database: it hears of each step of a
// job before the step is recorded, also of a step that is done again.
type Witness func(ctx context.Context, c work.Claim, step string) error

// NewEffect returns the test type effect: it works like sleep, and records its
// steps 1, 2, 3 … in the ledger of effects with retry. There each step counts once,
// however often it was begun. A nil witness hears of nothing.
func NewEffect(store ledger, retry work.Retrying, witness Witness) work.JobType {
	return work.JobType{
		Name: work.TypeEffect, Summary: "Sleeps like sleep, and records each step once.", Lane: testLane,
		Schedulable: true, Retryable: true, Check: checkStepsData,
		Handler: func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
			data, err := steps(ctx, c, "effects", func(ctx context.Context, step string, p work.Checkpoint) error {
				if witness != nil {
					if err := witness(ctx, c, step); err != nil {
						return fmt.Errorf("notify the witness of step %s: %w", step, err)
					}
				}
				return retry(ctx, "record an effect", func(ctx context.Context) error { return store.Effect(ctx, c, step, p) })
			})
			if err != nil {
				return nil, err
			}
			return json.Marshal(map[string]int{"steps": data.Steps})
		},
	}
}
