package lanes

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/tracing"
	"github.com/kappagraph/kappa/work"
)

// slot is room for one job at a time: of a lane here, and of whoever else works on
// claimed jobs.
type slot interface {
	free() // the job has left it; called once for each job
	Wake() // the slots that are free by now may be used
}

// The states of a run. It leaves the first one once.
const (
	runWorking int32 = iota // its handler has not returned
	runEnded                // its handler has returned
	runGivenUp              // its claim was gone before its handler returned: whatever that returns, nothing is stored
)

// run is one attempt at a job, from its claim until its outcome is stored or it is
// given up. All that time it takes up a slot, unless its claim is gone before.
type run struct {
	claim  work.Claim
	began  time.Time
	slot   slot
	ctx    context.Context //nolint:containedctx // the handler's
	cancel context.CancelCauseFunc
	policy *work.Policies // nil: the program's own
	span   *tracing.Span  // of the attempt, until the handler returns or the run is given up
	place  int            // in Runner.running, whose mutex guards it

	state  atomic.Int32
	freed  atomic.Bool           // the slot
	caller atomic.Pointer[label] // of the goroutine that calls the handler

	// What the handler has returned.
	result json.RawMessage
	err    error
}

// newRun returns a run that has not begun. The end of ctx stops it.
func newRun(ctx context.Context, c work.Claim, s slot) *run {
	r := &run{claim: c, slot: s, began: time.Now()}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	return r
}

// ended takes what the handler has returned. Only the first cause of a context
// counts, so what would stop the job from now on does not change its outcome. It
// reports false when the run was given up before.
func (r *run) ended(result json.RawMessage, err error) bool {
	r.result, r.err = result, err
	first := r.state.CompareAndSwap(runWorking, runEnded)
	if first {
		r.span.End(err)
	}
	r.cancel(nil)
	return first
}

// giveUp stops a run whose claim is gone. It reports false when the handler has
// returned before.
func (r *run) giveUp() bool {
	first := r.state.CompareAndSwap(runWorking, runGivenUp)
	if first {
		r.span.End(kappa.ErrStale)
	}
	r.cancel(kappa.ErrStale)
	return first
}

// working reports whether the handler has not returned.
func (r *run) working() bool { return r.state.Load() == runWorking }

// freeSlot frees the slot, once.
func (r *run) freeSlot() {
	if r.freed.CompareAndSwap(false, true) {
		r.slot.free()
	}
}

// stale reports that the job has stopped because its claim is another's by now:
// nothing is to be stored.
func (r *run) stale() bool {
	return r.err != nil && (errors.Is(r.err, kappa.ErrStale) || errors.Is(context.Cause(r.ctx), kappa.ErrStale))
}

// leaseLost reports whether it was stopped because its worker's lease was lost.
func (r *run) leaseLost() bool { return errors.Is(context.Cause(r.ctx), kappa.ErrLeaseLost) }

// stack returns where the handler is; see label.stack.
func (r *run) stack() string {
	caller := r.caller.Load()
	if caller == nil {
		return ""
	}
	return caller.stack()
}

// outcome says how it has ended. random is in [0, 1).
func (r *run) outcome(random float64) work.Outcome {
	return r.policy.Of(r.claim.JobType).Conclude(r.ctx, r.claim, r.result, r.err, random)
}

// about says in a log which attempt is meant.
func (r *run) about() []any {
	return []any{"job", r.claim.JobID, "type", r.claim.JobType, "lane", r.claim.Lane, "attempt", r.claim.Attempt}
}

// wakeSlots has the free slots used that runs have left.
func wakeSlots(runs []*run) {
	for i, r := range runs {
		if i == 0 || r.slot != runs[i-1].slot {
			r.slot.Wake()
		}
	}
}
