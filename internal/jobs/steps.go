package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// The limits of stepsData.
const (
	maxSleep = time.Hour
	maxSteps = 10_000
)

// stepsData is the data of a job that takes MS milliseconds, in Steps steps.
type stepsData struct {
	MS    int `json:"ms"`
	Steps int `json:"steps"`
}

// stepsState is the checkpoint of such a job.
type stepsState struct {
	Done int `json:"done"` // steps
}

// readStepsData returns the data of a job with its defaults filled in, and a
// CodeInvalid Error that names every member out of range.
func readStepsData(raw json.RawMessage) (stepsData, error) {
	data := stepsData{MS: 500, Steps: 10}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &data); err != nil {
			return data, kappa.Invalid(unreadable(err))
		}
	}
	var broken []kappa.FieldError
	check := func(name string, value, least, most int) {
		switch {
		case value < least:
			broken = append(broken, dataField(name, fmt.Sprintf("must be at least %d, got %d", least, value)))
		case value > most:
			broken = append(broken, dataField(name, fmt.Sprintf("must be at most %d, got %d", most, value)))
		}
	}
	check("ms", data.MS, 0, int(maxSleep.Milliseconds()))
	check("steps", data.Steps, 1, maxSteps)
	return data, kappa.Invalid(broken...)
}

// unreadable is the rule that data breaks which does not decode.
func unreadable(err error) kappa.FieldError {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return dataField(wrong.Field, "must be a whole number, got "+wrong.Value)
	}
	return kappa.FieldError{In: "body", Name: "data", Rule: `must be an object such as {"ms": 500, "steps": 10}`}
}

func dataField(name, rule string) kappa.FieldError {
	return kappa.FieldError{In: "body", Name: "data." + name, Rule: rule}
}

// checkStepsData is the Check of the types that take stepsData.
func checkStepsData(raw json.RawMessage) error {
	_, err := readStepsData(raw)
	return err
}

// steps does the steps of a claimed job that the last attempt had not done: it
// waits for each one's time, and then calls do with the checkpoint after it.
func steps(ctx context.Context, c work.Claim, stage string, do func(ctx context.Context, step string, p work.Checkpoint) error) (stepsData, error) {
	data, err := readStepsData(c.Data)
	if err != nil {
		return data, err
	}
	var state stepsState
	if len(c.Checkpoint) > 0 {
		if err := json.Unmarshal(c.Checkpoint, &state); err != nil {
			return data, fmt.Errorf("decode the checkpoint: %w", err)
		}
	}
	each := time.Duration(data.MS) * time.Millisecond / time.Duration(data.Steps)
	for state.Done < data.Steps {
		if err := pause(ctx, each); err != nil {
			return data, err
		}
		state.Done++
		raw, err := json.Marshal(state)
		if err != nil {
			return data, fmt.Errorf("encode the checkpoint: %w", err)
		}
		if err := do(ctx, strconv.Itoa(state.Done), work.Checkpoint{State: raw, Progress: work.Progress{
			Stage: stage, Percent: work.PercentDone(state.Done, data.Steps), ItemsTotal: data.Steps, ItemsProcessed: state.Done,
		}}); err != nil {
			return data, err
		}
	}
	return data, nil
}

// pause waits d, or returns the cause of ctx's end.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
