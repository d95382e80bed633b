package remote

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// complete ends a run. The first end counts.
func (c *channel) complete(q request, sink bool) {
	n := c.n
	var e wire.CompatComplete
	_ = json.Unmarshal(q.Payload, &e)
	first := c.run.compat.complete()
	if sink || !first {
		if first {
			n.late(c.run.key, e.Reason)
		}
		q.reply(nil)
		return
	}
	c.durable(q, func(ctx context.Context) error {
		status, err := n.srv.finish.do(ctx, c.outcome(ctx, q))
		switch {
		case err != nil && unavailable(err):
			return err
		case err != nil:
			_, _ = n.settle(work.RunOutcome{RunKey: c.run.key, Status: work.StatusFailed, Error: "the end of the run could not be stored"})
			return err
		case status == "":
			n.late(c.run.key, e.Reason)
		default:
			n.endings.count(status)
		}
		return nil
	})
	n.held.forget(c.run.key)
	q.reply(nil)
}

// outcome returns what a job becomes whose run ends so.
func (c *channel) outcome(ctx context.Context, q request) work.RunOutcome {
	var e struct {
		wire.CompatComplete
		Reason       json.RawMessage `json:"reason"`
		ErrorType    json.RawMessage `json:"error_type"`
		ErrorMessage json.RawMessage `json:"error_message"`
	}
	_ = json.Unmarshal(q.Payload, &e) // what cannot be read is left out
	reason := cut(textOf(e.Reason), 64)
	o := work.RunOutcome{RunKey: c.run.key, Error: failure(wire.RunError{Type: textOf(e.ErrorType), Message: textOf(e.ErrorMessage)})}
	switch reason {
	case "success":
		o.Status, o.Error = work.StatusCompleted, ""
	case "cancel":
		o.Status = work.StatusCancelled
	case "exception":
		o.Status, o.Outcome, o.Counted = work.StatusApproved, work.RunRetried, true
		o.Delay = c.n.srv.backoff(c.run, rand.Float64())
	case "fail", "crash", "kill":
		o.Status = work.StatusFailed
	default:
		o.Status = work.StatusFailed
		o.Error = "the run ended with: " + reason
	}
	if input := c.run.compat.known(); input != nil && input.hollow && o.Status == work.StatusCompleted {
		o.Status, o.Outcome, o.Counted, o.Error = work.StatusApproved, work.RunRetried, true, "its plan could not be read, and the worker ran an empty one"
		o.Delay = c.n.srv.backoff(c.run, rand.Float64())
	}
	if o.Status == work.StatusCompleted {
		o.Result = c.result(ctx, reason, e.FinalState, e.FinalDataclipID)
	}
	return o
}

// result is the result of a job of a run that succeeded.
func (c *channel) result(ctx context.Context, reason string, state json.RawMessage, dataclipID string) json.RawMessage {
	result := map[string]any{"reason": reason, "final_dataclip_id": cut(dataclipID, 128)}
	if len(state) > 0 && len(state) <= wire.MaxResult && check.Storable("the final state", state) == nil {
		result["final_state"] = state
	}
	if dataclipID != "" && len(state) > 0 && string(state) != "null" {
		body, isJSON := dataclip(state)
		_ = c.n.srv.cfg.Store.AddDataclip(ctx, c.run.key, cut(dataclipID, 128), body, isJSON) // the result says which; one that is known stays
	}
	if steps, err := c.n.srv.cfg.Store.Steps(ctx, c.run.key.JobID); err == nil {
		result["steps"] = steps
	}
	text, err := json.Marshal(result)
	if err != nil || len(text) > 2*wire.MaxResult {
		text, _ = json.Marshal(map[string]any{"reason": reason, "final_dataclip_id": cut(dataclipID, 128)})
	}
	return text
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if len(raw) > 0 && string(raw) != "null" {
		return string(raw)
	}
	return ""
}
