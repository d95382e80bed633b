package worker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
)

// Noop is a handler that does nothing, for tests and measurements.
func Noop(context.Context, *Run) (json.RawMessage, error) { return json.RawMessage("{}"), nil }

// Sleep is a handler that sleeps for data.ms milliseconds in data.steps steps, for tests.
// It goes on after the last step that was saved.
func Sleep(ctx context.Context, r *Run) (json.RawMessage, error) {
	var in, done struct {
		MS    int `json:"ms"`
		Steps int `json:"steps"`
		Step  int `json:"step"`
	}
	if json.Unmarshal(r.Data, &in) != nil || json.Unmarshal(r.Checkpoint, &done) != nil {
		return nil, &Failure{Type: "BadData", Message: "data: ms and steps must be numbers"}
	}
	steps := max(in.Steps, 1)
	for step := done.Step; step < steps; step++ {
		if !kappa.Sleep(ctx, time.Duration(in.MS)*time.Millisecond/time.Duration(steps)) {
			return nil, context.Cause(ctx)
		}
		saved, _ := json.Marshal(map[string]int{"step": step + 1})
		if err := r.Save(saved); err != nil {
			return nil, err
		}
		shown, _ := json.Marshal(map[string]any{"stage": "sleeping", "percent": (step + 1) * 100 / steps})
		if err := r.Progress(shown); err != nil {
			return nil, err
		}
	}
	return json.Marshal(map[string]int{"slept_from": done.Step, "steps": steps})
}
