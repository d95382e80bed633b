package lanes

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/kappagraph/kappa"
)

// run is one attempt at a job, from its claim until its end is stored or it is
// given up. All that time it takes up a slot of its lane.
type run struct {
	claim  kappa.Claim
	lane   *Lane
	ctx    context.Context // the handler's
	cancel context.CancelCauseFunc
	place  int // in Runner.running, whose mutex guards it

	// What the handler has returned.
	result json.RawMessage
	err    error
}

// newRun returns a run that has not begun. The end of ctx stops it.
func newRun(ctx context.Context, c kappa.Claim, l *Lane) *run {
	r := &run{claim: c, lane: l}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	return r
}

// ended notes what the handler has returned. Only the first cause of a context
// counts, so what would stop the job from now on does not change how it ended.
func (r *run) ended(result json.RawMessage, err error) {
	r.result, r.err = result, err
	r.cancel(nil)
}

// stale reports that the job has stopped because its claim is another's by now:
// nothing is to be stored.
func (r *run) stale() bool {
	return r.err != nil && (errors.Is(r.err, kappa.ErrStale) || errors.Is(context.Cause(r.ctx), kappa.ErrStale))
}

// outcome says how it has ended. random is in [0, 1).
func (r *run) outcome(random float64) kappa.Outcome {
	return kappa.Conclude(r.ctx, r.claim, r.result, r.err, random)
}

// about says in a log which attempt is meant.
func (r *run) about() []any {
	return []any{"job", r.claim.JobID, "type", r.claim.JobType, "lane", r.claim.Lane, "attempt", r.claim.Attempt}
}
