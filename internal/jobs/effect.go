package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
)

// ledger records a step of a job and the checkpoint after it, both or neither;
// see postgres.Store.Effect.
type ledger interface {
	Effect(ctx context.Context, c kappa.Claim, step string, p kappa.Checkpoint) error
}

// Effect is the handler of the test type effect: it works like sleep, and
// records each step in the ledger of effects, where each counts once however
// often it was begun.
type Effect struct {
	Store ledger
	Retry kappa.Retrying // makes the calls to Store
	// Witness, unless nil, is told of each step before it is recorded, also of
	// those that are done again: it stands for a target outside the database.
	Witness func(ctx context.Context, c kappa.Claim, step string) error
}

// Work does the steps that the last attempt had not recorded; they are called
// 1, 2, 3 …. It returns a CodeInvalid Error for data out of range.
func (e Effect) Work(ctx context.Context, c kappa.Claim) (json.RawMessage, error) {
	data, state, err := readSleep(c)
	if err != nil {
		return nil, err
	}
	each := time.Duration(data.MS) * time.Millisecond / time.Duration(data.Steps)
	for state.Done < data.Steps {
		if err := pause(ctx, each); err != nil {
			return nil, err
		}
		state.Done++
		if err := e.do(ctx, c, data, state); err != nil {
			return nil, err
		}
	}
	return json.Marshal(map[string]int{"steps": data.Steps})
}

// do does the step that state counts as done.
func (e Effect) do(ctx context.Context, c kappa.Claim, data sleepData, state sleepState) error {
	step := strconv.Itoa(state.Done)
	if e.Witness != nil {
		if err := e.Witness(ctx, c, step); err != nil {
			return fmt.Errorf("tell the witness of step %s: %w", step, err)
		}
	}
	raw, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("encode the checkpoint: %w", err)
	}
	p := kappa.Checkpoint{State: raw, Progress: kappa.Progress{
		Stage: "effects", Percent: 100 * float64(state.Done) / float64(data.Steps), ItemsTotal: data.Steps, ItemsProcessed: state.Done,
	}}
	return e.Retry(ctx, "record an effect", func(ctx context.Context) error { return e.Store.Effect(ctx, c, step, p) })
}
