package jobs

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// jobs keeps the jobs. Unknown ids are CodeNotFound, a state that does not allow
// what was asked is CodeConflict.
type jobs interface {
	Job(ctx context.Context, id string) (work.Job, error)
	JobPage(ctx context.Context, f work.JobFilter) (work.JobPage, error)
	JobErrors(ctx context.Context, f work.JobFilter) (work.JobErrors, error)
	histories
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
	ApproveWithin(ctx context.Context, id, by string, budget *corpus.Budget) error
	Cancel(ctx context.Context, id string) (running bool, err error)
}

// histories say what became of a job, and why it does not run.
type histories interface {
	RetriedAs(ctx context.Context, id string) (*work.JobLink, error)
	WaitFacts(ctx context.Context, job work.Job) (work.WaitFacts, error)
	Attempts(ctx context.Context, job work.Job) (work.JobAttempts, error)
}

type jobInput struct {
	ID string `path:"id" doc:"job_ and 12 hexadecimal digits"`
}

type approveInput struct {
	ID     string `path:"id" doc:"job_ and 12 hexadecimal digits"`
	Budget string `query:"budget" doc:"What the job may spend on models from now on: 2.50 are US dollars, 50000tokens tokens, with a comma both, none sets no limit; without it the job keeps its budget"`
}

type cancelInput struct {
	ID    string    `path:"id" doc:"job_ and 12 hexadecimal digits"`
	Purge http.Flag `query:"purge" doc:"Delete the job and its history for good"`
	Force http.Flag `query:"force" doc:"With purge: also while it runs"`
}

type cancelAnswer struct {
	JobID     string `json:"job_id"`
	Cancelled bool   `json:"cancelled" doc:"Always true"`
	Message   string `json:"message"`
}

func (a *API) registerJobs(r *http.Router) {
	a.registerLists(r)
	http.Register(r, http.Route{Method: "POST", Path: "/jobs", Submits: true, Permission: access.JobsWrite, ID: "jobs.submit", Summary: "Submit a job of any type but ingestion"}, a.submitJob)
	http.Register(r, http.Route{Method: "GET", Path: "/jobs/{id}", Permission: access.JobsRead, ByRow: true, ID: "jobs.show", Summary: "Show a job"},
		a.showJob)
	http.Register(r, http.Route{Method: "GET", Path: "/jobs/{id}/wait", Permission: access.JobsRead, ByRow: true, ID: "jobs.wait", Summary: "Say why a job does not run"}, a.explainWait)
	http.Register(r, http.Route{Method: "GET", Path: "/jobs/{id}/attempts", Permission: access.JobsRead, ByRow: true, ID: "jobs.attempts", Summary: "Show each attempt at a job"}, a.attempts)
	http.Register(r, http.Route{Method: "POST", Path: "/jobs/{id}/approve", Permission: access.JobsApprove, ByRow: true, ID: "jobs.approve", Summary: "Approve a job that waits for it, or that has paused"}, a.approveJob)
	http.Register(r, http.Route{Method: "DELETE", Path: "/jobs/{id}", Permission: access.JobsCancel, ByRow: true, ID: "jobs.cancel", Summary: "Cancel a job, or delete it for good"}, a.cancelJob)
}

// showJob shows a job, with the last retry of it as far as that may be seen.
func (a *API) showJob(ctx context.Context, in *jobInput) (work.Job, error) {
	job, err := http.PermittedJob(ctx, access.JobsRead, in.ID, a.cfg.Jobs.Job)
	if err != nil || !job.Status.Terminal() {
		return job, err
	}
	retried, err := a.cfg.Jobs.RetriedAs(ctx, job.ID)
	if retried != nil && http.PrincipalOf(ctx).PermitRow(access.JobsRead, retried.Of) == nil {
		job.RetriedAs = retried
	}
	return job, err
}

func (a *API) approveJob(ctx context.Context, in *approveInput) (api.JobReply, error) {
	if err := a.permit(ctx, access.JobsApprove, in.ID); err != nil {
		return api.JobReply{}, err
	}
	var budget *corpus.Budget
	if in.Budget != "" {
		b, err := corpus.ParseBudget(in.Budget)
		if err != nil {
			return api.JobReply{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "budget", Rule: err.Error()})
		}
		budget = &b
	}
	if err := a.cfg.Jobs.ApproveWithin(ctx, in.ID, http.PrincipalOf(ctx).User.Username, budget); err != nil {
		return api.JobReply{}, err
	}
	return api.JobReply{JobID: in.ID, Status: work.StatusApproved, Message: "Job approved. It starts as soon as a slot is free."}, nil
}

func (a *API) cancelJob(ctx context.Context, in *cancelInput) (out either[cancelAnswer, purgeAnswer], err error) {
	if in.Purge.On() {
		out.second, err = a.purgeJob(ctx, in.ID, in.Force.On())
		return out, err
	}
	if err := a.permit(ctx, access.JobsCancel, in.ID); err != nil {
		return out, err
	}
	running, err := a.cfg.Jobs.Cancel(ctx, in.ID)
	if err != nil {
		return out, err
	}
	out.first = &cancelAnswer{JobID: in.ID, Cancelled: true, Message: "Job cancelled successfully"}
	if running {
		out.first.Message = "Cancellation requested. The job stops at its next yield point."
	}
	return out, nil
}
