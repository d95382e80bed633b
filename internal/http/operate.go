package http

import (
	"context"
	"errors"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa"
)

// operator changes jobs on behalf of whoever runs Kappa. Unknown ids are
// CodeNotFound, a state that does not allow what was asked is CodeConflict.
type operator interface {
	CancelRunning(ctx context.Context, id string) error
	Reprioritize(ctx context.Context, id string, priority int) (was, is int, err error)
	Purge(ctx context.Context, id string, force bool) error
	BulkDelete(ctx context.Context, sel kappa.JobSelection, dryRun bool) (kappa.JobDeletion, error)
	RetryJob(ctx context.Context, r kappa.Retry) (kappa.Job, error)
}

type purgeAnswer struct {
	JobID   string `json:"job_id"`
	Deleted bool   `json:"deleted" doc:"Always true"`
	Message string `json:"message"`
}

type priorityInput struct {
	ID       string `path:"id" doc:"job_ and 12 hexadecimal digits"`
	Priority whole  `query:"priority" doc:"-100 to 100; in the query or in the body"`
	Body     *prioritySettings
}

type prioritySettings struct {
	_        struct{} `additionalProperties:"false"`
	Priority *int     `json:"priority,omitempty" doc:"-100 to 100; in the query or in the body"`
}

type priorityAnswer struct {
	JobID string `json:"job_id"`
	Old   int    `json:"old_priority"`
	New   int    `json:"new_priority"`
}

func (s *Server) registerOperate(r *Router) {
	Register(r, Route{Method: "POST", Path: "/jobs/{id}/retry", Permission: kappa.JobsWrite, ID: "jobs.retry", Summary: "Submit a failed or cancelled job again, as a new job"}, s.retryJob)
	Register(r, Route{Method: "DELETE", Path: "/jobs", Permission: kappa.JobsDelete, ID: "jobs.prune", Summary: "Delete many jobs for good, but never one that runs"}, s.deleteJobs)
	Register(r, Route{Method: "POST", Path: "/admin/workers/jobs/{id}/cancel", Permission: kappa.WorkersManage, ID: "workers.cancel-job", Summary: "Stop a job that runs"}, s.cancelRunning)
	Register(r, Route{Method: "PATCH", Path: "/admin/workers/jobs/{id}/priority", Permission: kappa.WorkersManage, ID: "workers.reprioritize-job", Summary: "Change the priority of a job that waits for a slot"}, s.reprioritize)
}

type retryInput struct {
	ID  string `path:"id" doc:"job_ and 12 hexadecimal digits"`
	Key string `header:"Idempotency-Key" doc:"As with POST /jobs"`
}

func (s *Server) retryJob(ctx context.Context, in *retryInput) (DecisionAnswer, error) {
	if !kappa.IsJobID(in.ID) {
		return DecisionAnswer{}, JobNotFound(in.ID)
	}
	retry := kappa.Retry{JobID: in.ID, UserID: PrincipalOf(ctx).User.ID, Key: in.Key}
	if err := retry.Validate(); err != nil {
		return DecisionAnswer{}, err
	}
	job, err := s.cfg.Operator.RetryJob(ctx, retry)
	if err != nil {
		return DecisionAnswer{}, err
	}
	return Submitted(job), nil
}

// purgeJob removes a job for good. It takes a permission beyond that of the
// route, which cancels.
func (s *Server) purgeJob(ctx context.Context, id string, force bool) (*purgeAnswer, error) {
	if err := PrincipalOf(ctx).Permit(kappa.JobsDelete); err != nil {
		return nil, err
	}
	if err := s.cfg.Operator.Purge(ctx, id, force); err != nil {
		return nil, err
	}
	return &purgeAnswer{JobID: id, Deleted: true, Message: "Job permanently deleted"}, nil
}

func (s *Server) cancelRunning(ctx context.Context, in *jobInput) (cancelAnswer, error) {
	if !kappa.IsJobID(in.ID) {
		return cancelAnswer{}, JobNotFound(in.ID)
	}
	if err := PrincipalOf(ctx).Permit(kappa.JobsCancel); err != nil {
		return cancelAnswer{}, err
	}
	if err := s.cfg.Operator.CancelRunning(ctx, in.ID); err != nil {
		return cancelAnswer{}, err
	}
	return cancelAnswer{JobID: in.ID, Cancelled: true, Message: "Cancellation flag set. Worker will stop at next yield point."}, nil
}

func (s *Server) reprioritize(ctx context.Context, in *priorityInput) (priorityAnswer, error) {
	place, priority := "query", in.Priority.value
	if in.Body != nil && in.Body.Priority != nil {
		if priority != nil {
			return priorityAnswer{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "priority", Rule: "must be given once: in the query or in the body"})
		}
		place, priority = "body", in.Body.Priority
	}
	if priority == nil {
		return priorityAnswer{}, kappa.Invalid(kappa.FieldError{In: place, Name: "priority", Rule: "is required"})
	}
	if err := kappa.CheckPriority(place, *priority); err != nil {
		return priorityAnswer{}, err
	}
	if !kappa.IsJobID(in.ID) {
		return priorityAnswer{}, JobNotFound(in.ID)
	}
	was, is, err := s.cfg.Operator.Reprioritize(ctx, in.ID, *priority)
	return priorityAnswer{JobID: in.ID, Old: was, New: is}, err
}

// whole is a whole number of a query that may be absent.
type whole struct{ value *int }

// UnmarshalText reads a whole number.
func (w *whole) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return errors.New("must be a whole number")
	}
	w.value = &n
	return nil
}

// Schema documents it as the number that it is.
func (whole) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }
