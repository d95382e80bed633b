package schedule

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// Condition says whether a schedule may run now; reason says why not. An error
// is a reason too.
type Condition func(ctx context.Context, s work.Schedule) (ok bool, reason string, err error)

// conditionStore is what the built-in conditions ask.
type conditionStore interface {
	WaitingJobs(ctx context.Context) (int, error)
	Job(ctx context.Context, id string) (work.Job, error)
}

// BuiltinConditions returns the conditions that every server has: queue_idle
// holds while no job waits for a slot, previous_done when the schedule's last
// job is over.
func BuiltinConditions(store conditionStore) map[string]Condition {
	return map[string]Condition{
		"queue_idle": func(ctx context.Context, _ work.Schedule) (bool, string, error) {
			waiting, err := store.WaitingJobs(ctx)
			reason := fmt.Sprintf("%d jobs wait for a slot", waiting)
			if waiting == 1 {
				reason = "1 job waits for a slot"
			}
			return waiting == 0, reason, err
		},
		"previous_done": func(ctx context.Context, s work.Schedule) (bool, string, error) {
			if s.LastJobID == nil {
				return true, "", nil
			}
			job, err := store.Job(ctx, *s.LastJobID)
			if kappa.ErrorCode(err) == kappa.CodeNotFound {
				return true, "", nil
			}
			return job.Status.Terminal(), fmt.Sprintf("the last job %s is %s", *s.LastJobID, job.Status), err
		},
	}
}
