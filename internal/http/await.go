package http

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	// AwaitWithin is how long a request waits for the end of the job that it has submitted.
	AwaitWithin = 10 * time.Minute

	// AwaitingWithin is how long the answer of a route that awaits a job may take.
	AwaitingWithin = AwaitWithin + 30*time.Second

	rereadEvery = 2 * time.Second // of a job that is awaited, should no event of it arrive
)

// hub hands out the events of jobs as they are committed.
type hub interface {
	Subscribe() (work.Subscription, error)
}

// jobReader reads jobs. An unknown one is CodeNotFound.
type jobReader interface {
	Job(ctx context.Context, id string) (work.Job, error)
}

// Awaiter waits for jobs to end, for routes that answer with what a job has done.
type Awaiter struct {
	hub  hub
	jobs jobReader
}

// NewAwaiter returns an Awaiter.
func NewAwaiter(h hub, jobs jobReader) *Awaiter { return &Awaiter{h, jobs} }

// Await returns a job when it has completed. It returns a CodeConflict Error for one that
// was cancelled, a CodeUnavailable Error for one that failed and when the server stops,
// and a CodeTimeout Error after AwaitWithin. Only the waiting ends then, and when ctx does:
// the job goes on.
func (a *Awaiter) Await(ctx context.Context, id string) (work.Job, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, AwaitWithin, kappa.NewError(kappa.CodeTimeout, "The job has not ended yet and goes on; follow it with GET /jobs/"+id))
	defer cancel()
	for {
		sub, err := a.hub.Subscribe()
		if err != nil {
			return work.Job{}, err
		}
		job, ended, err := a.follow(ctx, sub, id)
		sub.Close()
		switch {
		case ctx.Err() != nil:
			return work.Job{}, context.Cause(ctx)
		case err != nil:
			return work.Job{}, err
		case ended:
			return outcome(job)
		}
	}
}

// follow reads the job until it has ended; it has not when the subscription ends before.
func (a *Awaiter) follow(ctx context.Context, sub work.Subscription, id string) (job work.Job, ended bool, err error) {
	if err := sub.Watch(ctx, id); err != nil {
		return job, false, err
	}
	reread := time.NewTicker(rereadEvery)
	defer reread.Stop()
	for {
		if job, err = a.jobs.Job(ctx, id); err != nil || job.Status.Terminal() {
			return job, true, err
		}
		for stirred := false; !stirred; {
			select {
			case <-ctx.Done():
				return job, false, nil
			case <-reread.C:
				stirred = true
			case <-sub.Ready():
				got := sub.Take()
				if got.Ended {
					return job, false, nil
				}
				stirred = isOver(got)
			}
		}
	}
}

// OnlyWhenAwaited says in the description of an answer that what the job has done is there
// only when it was awaited; the members of api.JobReply always are.
func OnlyWhenAwaited(s *huma.Schema) *huma.Schema {
	s.Required = []string{"job_id", "status", "message"}
	return s
}

// isOver reports whether a job has ended, or is no longer there.
func isOver(got work.Delivery) bool {
	for _, e := range got.Events {
		if e.Kind.Terminal() {
			return true
		}
	}
	return len(got.Gone) > 0
}

// outcome returns a job that has ended, or an Error that says why it has not completed.
func outcome(job work.Job) (work.Job, error) {
	switch job.Status {
	case work.StatusCompleted:
		return job, nil
	case work.StatusCancelled:
		return job, kappa.NewError(kappa.CodeConflict, "Job "+job.ID+" was cancelled")
	default:
		return job, kappa.NewError(kappa.CodeUnavailable, "Job "+job.ID+" failed: "+Or(job.Error, "no reason is known"))
	}
}
