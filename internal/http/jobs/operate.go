package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// operator changes jobs on behalf of whoever runs Kappa. Unknown ids are
// CodeNotFound, a state that does not allow what was asked is CodeConflict.
type operator interface {
	CancelRunning(ctx context.Context, id string) error
	Reprioritize(ctx context.Context, id string, priority int) (was, is int, err error)
	Purge(ctx context.Context, id string, force bool) error
	BulkDelete(ctx context.Context, sel work.JobSelection, dryRun bool) (work.JobDeletion, error)
	RetryJob(ctx context.Context, r work.Retry) (work.Job, error)
}

// actor acts on many jobs; see postgres.JobStore.
type actor interface {
	Act(ctx context.Context, a work.JobAct) (work.ActReport, error)
	Preview(ctx context.Context, a work.JobAct) (work.ActReport, error)
	ActFigures(ctx context.Context, jobID string) (work.ActFigures, error)
	ActOutcomes(ctx context.Context, jobID string, kind work.OutcomeKind, cursor string, limit int) (page []work.ActOutcome, next string, err error)
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

func (a *API) registerOperate(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/jobs/{id}/retry", Submits: true, Permission: access.JobsWrite, ByRow: true, ID: "jobs.retry", Summary: "Submit a failed or cancelled job again, as a new job"}, a.retryJob)
	http.Register(r, http.Route{Method: "DELETE", Path: "/jobs", Permission: access.JobsDelete, ID: "jobs.prune", Summary: "Delete many jobs for good, but never one that runs"}, a.deleteJobs)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/workers/jobs/{id}/cancel", Permission: access.WorkersManage, ID: "workers.cancel-job", Summary: "Stop a job that runs"}, a.cancelRunning)
	http.Register(r, http.Route{Method: "PATCH", Path: "/admin/workers/jobs/{id}/priority", Permission: access.WorkersManage, ID: "workers.reprioritize-job", Summary: "Change the priority of a job that waits for a slot"}, a.reprioritize)
}

type retryInput struct {
	ID   string    `path:"id" doc:"job_ and 12 hexadecimal digits"`
	Key  string    `header:"Idempotency-Key" doc:"As with POST /jobs"`
	Gaps http.Flag `query:"gaps" doc:"Also an ingestion that completed with chunks that could not be read; only those are read again"`
	From string    `query:"from" doc:"checkpoint: go on where the old job ended, where its type can; start: begin anew, and read a document again. Default: checkpoint for documents, start for others"`
	Body *retrySettings
}

type retrySettings struct {
	_    struct{}        `additionalProperties:"false"`
	Data json.RawMessage `json:"data,omitempty" doc:"What the new job takes instead of the old one's data; not of a document"`
}

func (a *API) retryJob(ctx context.Context, in *retryInput) (api.JobReply, error) {
	p := http.PrincipalOf(ctx)
	retry := work.Retry{JobID: in.ID, UserID: p.User.ID, Key: in.Key, Gaps: in.Gaps.On(), From: work.RetryFrom(in.From)}
	if in.Body != nil {
		retry.Data = http.NotNull(in.Body.Data)
	}
	old, err := http.PermittedJob(ctx, access.JobsWrite, in.ID, a.cfg.Jobs.Job)
	if err != nil {
		return api.JobReply{}, err
	}
	if err := retry.Validate(); err != nil {
		return api.JobReply{}, err
	}
	if err := a.cfg.Types.CheckRetry(old.Type, retry); err != nil {
		return api.JobReply{}, err
	}
	if t, _ := a.cfg.Types.Find(old.Type); retry.Data != nil && t.Permission != "" {
		if err := p.Permit(t.Permission); err != nil {
			return api.JobReply{}, err
		}
	}
	job, err := a.cfg.Operator.RetryJob(ctx, retry)
	if err != nil {
		return api.JobReply{}, err
	}
	return http.Submitted(job), nil
}

// purgeJob removes a job for good. It takes a permission beyond that of the
// route, which cancels.
func (a *API) purgeJob(ctx context.Context, id string, force bool) (*purgeAnswer, error) {
	if err := a.permit(ctx, access.JobsDelete, id); err != nil {
		return nil, err
	}
	if err := a.cfg.Operator.Purge(ctx, id, force); err != nil {
		return nil, err
	}
	return &purgeAnswer{JobID: id, Deleted: true, Message: "Job permanently deleted"}, nil
}

// cancelRunning takes the permission to cancel besides that of the route.
func (a *API) cancelRunning(ctx context.Context, in *jobInput) (cancelAnswer, error) {
	if err := a.permit(ctx, access.WorkersManage, in.ID); err != nil {
		return cancelAnswer{}, err
	}
	if err := a.permit(ctx, access.JobsCancel, in.ID); err != nil {
		return cancelAnswer{}, err
	}
	if err := a.cfg.Operator.CancelRunning(ctx, in.ID); err != nil {
		return cancelAnswer{}, err
	}
	return cancelAnswer{JobID: in.ID, Cancelled: true, Message: "Cancellation flag set. Worker will stop at next yield point."}, nil
}

func (a *API) reprioritize(ctx context.Context, in *priorityInput) (api.PriorityReply, error) {
	place, priority := "query", in.Priority.value
	if in.Body != nil && in.Body.Priority != nil {
		if priority != nil {
			return api.PriorityReply{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "priority", Rule: "must be given once: in the query or in the body"})
		}
		place, priority = "body", in.Body.Priority
	}
	if priority == nil {
		return api.PriorityReply{}, kappa.Invalid(kappa.FieldError{In: place, Name: "priority", Rule: "is required"})
	}
	if err := work.CheckPriority(place, *priority); err != nil {
		return api.PriorityReply{}, err
	}
	if err := a.permit(ctx, access.WorkersManage, in.ID); err != nil {
		return api.PriorityReply{}, err
	}
	was, is, err := a.cfg.Operator.Reprioritize(ctx, in.ID, *priority)
	return api.PriorityReply{JobID: in.ID, Old: was, New: is}, err
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
