package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
)

// The limits of the sleep job's data.
const (
	maxSleep      = time.Hour
	maxSleepSteps = 10_000
)

// checkpointer stores progress and state under a claim; it returns
// kappa.ErrStale or kappa.ErrCancelled when the handler is to stop.
type checkpointer interface {
	Checkpoint(ctx context.Context, c kappa.Claim, p kappa.Checkpoint) error
}

// Noop is the handler of the test type noop: it does nothing.
func Noop(context.Context, kappa.Claim) (json.RawMessage, error) {
	return json.RawMessage(`{}`), nil
}

// Sleep is the handler of the test type sleep, which exercises lanes without
// documents: it sleeps data.ms milliseconds in data.steps steps, and stores
// progress and a checkpoint after each step.
type Sleep struct {
	Store checkpointer
	Retry kappa.Retrying // makes the calls to Store
}

// sleepData is the data of a sleep job.
type sleepData struct {
	MS    int `json:"ms"`
	Steps int `json:"steps"`
}

// sleepState is its checkpoint.
type sleepState struct {
	Done int `json:"done"` // steps
}

// Work sleeps the steps that the last attempt had not done. It returns a
// CodeInvalid Error for data out of range.
func (s Sleep) Work(ctx context.Context, c kappa.Claim) (json.RawMessage, error) {
	data, state, err := readSleep(c)
	if err != nil {
		return nil, err
	}
	step := time.Duration(data.MS) * time.Millisecond / time.Duration(data.Steps)
	var emitted time.Time
	for state.Done < data.Steps {
		if err := pause(ctx, step); err != nil {
			return nil, err
		}
		state.Done++
		raw, err := json.Marshal(state)
		if err != nil {
			return nil, fmt.Errorf("encode the checkpoint: %w", err)
		}
		p := kappa.Checkpoint{State: raw, Progress: kappa.Progress{
			Stage: "sleeping", Percent: 100 * float64(state.Done) / float64(data.Steps), ItemsTotal: data.Steps, ItemsProcessed: state.Done,
		}}
		if now := time.Now(); state.Done == data.Steps || now.Sub(emitted) >= time.Second/kappa.ProgressPerSecond {
			p.Emit, emitted = true, now
		}
		if err := s.Retry(ctx, "store a checkpoint", func(ctx context.Context) error { return s.Store.Checkpoint(ctx, c, p) }); err != nil {
			return nil, err
		}
	}
	return json.Marshal(map[string]int{"ms": data.MS, "steps": data.Steps})
}

func readSleep(c kappa.Claim) (data sleepData, state sleepState, err error) {
	data = sleepData{MS: 500, Steps: 10}
	if len(c.Data) > 0 {
		if err := json.Unmarshal(c.Data, &data); err != nil {
			return data, state, kappa.NewError(kappa.CodeInvalid, "data of the job must be {\"ms\": …, \"steps\": …}: "+err.Error())
		}
	}
	if data.MS < 0 || data.MS > int(maxSleep.Milliseconds()) || data.Steps < 1 || data.Steps > maxSleepSteps {
		return data, state, kappa.NewError(kappa.CodeInvalid, fmt.Sprintf("data of the job: ms must be 0 to %d and steps 1 to %d", maxSleep.Milliseconds(), maxSleepSteps))
	}
	if len(c.Checkpoint) > 0 {
		if err := json.Unmarshal(c.Checkpoint, &state); err != nil {
			return data, state, fmt.Errorf("decode the checkpoint: %w", err)
		}
	}
	return data, state, nil
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
