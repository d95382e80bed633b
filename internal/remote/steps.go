package remote

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// step stores that a step of a run begins or ends. It is answered after the commit, or
// when the database has been away for too long.
func (c *channel) step(q request, sink bool) {
	var e wire.StepComplete
	_ = json.Unmarshal(q.Payload, &e) // what cannot be read is left out
	id := storable(cut(e.StepID, 128))
	if sink {
		q.reply(wire.StepAnswer{StepID: id})
		return
	}
	if id == "" && q.Event == wire.EventStepStart {
		id = newStepID(c.run.key, e.JobID)
	}
	var known atomic.Pointer[string] // it may be stored after the answer
	known.Store(&id)
	c.durable(q, func(ctx context.Context) error {
		stored, err := c.storeStep(ctx, q, *known.Load())
		known.Store(&stored)
		return err
	})
	q.reply(wire.StepAnswer{StepID: *known.Load()})
}

func newStepID(key work.RunKey, planJob string) string {
	return uuidOf(key.JobID+" step "+planJob, time.Now())
}

// storeStep stores a step, and returns its id: one that ends and has none is the open
// one of that part of the plan, if there is one.
func (c *channel) storeStep(ctx context.Context, q request, id string) (string, error) {
	n, key := c.n, c.run.key
	if q.Event == wire.EventStepStart {
		var e wire.StepStart
		_ = json.Unmarshal(q.Payload, &e)
		return id, n.srv.cfg.Store.StartStep(ctx, key, work.RunStep{StepID: id, PlanJob: cut(e.JobID, 128), InputDataclipID: cut(e.InputDataclipID, 128)})
	}
	var e wire.StepComplete
	_ = json.Unmarshal(q.Payload, &e)
	if id == "" {
		open, err := n.srv.cfg.Store.OpenStep(ctx, key, cut(e.JobID, 128))
		if err != nil {
			return "", err
		}
		if id = open; id == "" {
			id = newStepID(key, e.JobID)
		}
	}
	return id, c.completeStep(ctx, id, e)
}

func (c *channel) completeStep(ctx context.Context, id string, e wire.StepComplete) error {
	store, key := c.n.srv.cfg.Store, c.run.key
	if e.OutputDataclipID != "" && len(e.OutputDataclip) > 0 && string(e.OutputDataclip) != "null" {
		body, isJSON := dataclip(e.OutputDataclip)
		if err := store.AddDataclip(ctx, key, cut(e.OutputDataclipID, 128), body, isJSON); err != nil {
			return err
		}
	}
	step := work.RunStep{StepID: id, PlanJob: cut(e.JobID, 128), OutputDataclipID: cut(e.OutputDataclipID, 128)}
	reason, kind, message := cut(e.Reason, 64), cut(e.ErrorType, 128), cut(e.ErrorMessage, 4096)
	step.Reason = &reason
	if kind != "" {
		step.ErrorType = &kind
	}
	if message != "" {
		step.ErrorMessage = &message
	}
	return store.CompleteStep(ctx, key, step)
}
