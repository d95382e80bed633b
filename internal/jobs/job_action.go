package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// tellEvery is after how many parts of an act there is an event: parts take some hundredths of
// a second.
const tellEvery = 5

// manyActor acts on many jobs, part by part; see postgres.JobStore.
type manyActor interface {
	ActFigures(ctx context.Context, jobID string) (work.ActFigures, error)
	ActPart(ctx context.Context, c work.Claim, a work.JobAct, so work.ActFigures, next func(work.ActFigures) work.Checkpoint) (now work.ActFigures, more bool, err error)
}

// jobActionResult is the result.
type jobActionResult struct {
	Act work.Act `json:"act"`
	work.ActFigures
}

// NewJobAction returns the job type job_action: it acts on the jobs that POST /jobs/actions has
// selected and stored, a part in a transaction with what became of each job. Between the parts
// it yields; an attempt after one that was interrupted goes on with the parts that are left,
// and a job that is cancelled leaves them as they are. barred says why an act cannot be done
// to jobs of a type, or "".
func NewJobAction(store manyActor, barred func(a work.JobAct, jobType string) string, retry work.Retrying) work.JobType {
	return work.JobType{
		Name: work.TypeJobAction, Summary: "Acts on many jobs at once: approves, cancels, retries or deletes them.", Lane: "actions", Priority: work.MaxPriority,
		Check: func(json.RawMessage) error {
			return kappa.Invalid(kappa.FieldError{In: "body", Name: "job_type", Rule: "must not be " + work.TypeJobAction + ": POST /jobs/actions makes such jobs"})
		},
		Handler: func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
			var a work.JobAct
			if err := json.Unmarshal(c.Data, &a); err != nil {
				return nil, kappa.Permanent(err)
			}
			a.Barred = func(jobType string) string { return barred(a, jobType) }
			figures, err := actOnAll(ctx, store, c, a, retry)
			if err != nil {
				return nil, ended(ctx, err)
			}
			return json.Marshal(jobActionResult{a.Act, figures})
		},
	}
}

// actOnAll does the parts that are left, and returns how many jobs that were in all.
func actOnAll(ctx context.Context, store manyActor, c work.Claim, a work.JobAct, retry work.Retrying) (figures work.ActFigures, err error) {
	read := func(ctx context.Context) (err error) {
		figures, err = store.ActFigures(ctx, c.JobID)
		return err
	}
	if err := retry(ctx, "read how far an act is", read); err != nil {
		return figures, err
	}
	parts := 0
	next := func(so work.ActFigures) work.Checkpoint {
		done := so.Done+so.Refused >= so.Selected
		return acting(so, parts%tellEvery == 0 || done)
	}
	for more := true; more; parts++ {
		if ctx.Err() != nil {
			return figures, context.Cause(ctx)
		}
		err := retry(ctx, "act on jobs", func(ctx context.Context) (err error) {
			figures, more, err = store.ActPart(ctx, c, a, figures, next)
			return err
		})
		if err != nil {
			return figures, err
		}
	}
	return figures, retry(ctx, "read how far an act is", read) // the answer to a part may have been lost
}

// acting is the checkpoint after a part.
func acting(so work.ActFigures, emit bool) work.Checkpoint {
	done := int(so.Done + so.Refused)
	return work.Checkpoint{Emit: emit, Progress: work.Progress{
		Stage: "acting", Percent: work.PercentDone(done, int(so.Selected)), ItemsTotal: int(so.Selected), ItemsProcessed: done,
		Counters: work.Counters{{Name: "done", Value: int(so.Done)}, {Name: "refused", Value: int(so.Refused)}},
	}}
}
