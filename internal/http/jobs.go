package http

import (
	"context"
	"strconv"

	"github.com/kappagraph/kappa"
)

// jobs keeps the jobs. Unknown ids are CodeNotFound, a state that does not allow
// what was asked is CodeConflict.
type jobs interface {
	Job(ctx context.Context, id string) (kappa.Job, error)
	Jobs(ctx context.Context, f kappa.JobFilter) ([]kappa.Job, error)
	SubmitJob(ctx context.Context, j kappa.NewJob) (kappa.Job, error)
	Approve(ctx context.Context, id, by string) error
	Cancel(ctx context.Context, id string) (running bool, err error)
}

type jobInput struct {
	ID string `path:"id" doc:"job_ and 12 hexadecimal digits"`
}

type jobListInput struct {
	Status   string `query:"status" doc:"One of the statuses; running means processing, queued means approved"`
	Ontology string `query:"ontology"`
	Type     string `query:"job_type"`
	User     string `query:"client_id" doc:"A user's id or name"`
	Limit    int    `query:"limit" default:"50" doc:"1 to 500"`
	Offset   int    `query:"offset" default:"0"`
}

type cancelInput struct {
	ID    string `path:"id" doc:"job_ and 12 hexadecimal digits"`
	Purge Flag   `query:"purge" doc:"Delete the job and its history for good"`
	Force Flag   `query:"force" doc:"With purge: also while it runs"`
}

type cancelAnswer struct {
	JobID     string `json:"job_id"`
	Cancelled bool   `json:"cancelled" doc:"Always true"`
	Message   string `json:"message"`
}

func (s *Server) registerJobs(r *Router) {
	Register(r, Route{Method: "GET", Path: "/jobs", Permission: kappa.JobsRead, ID: "jobs.list", Summary: "List jobs, newest first"}, s.listJobs)
	Register(r, Route{Method: "POST", Path: "/jobs", Permission: kappa.JobsWrite, ID: "jobs.submit", Summary: "Submit a job of any type but ingestion"}, s.submitJob)
	Register(r, Route{Method: "GET", Path: "/jobs/{id}", Permission: kappa.JobsRead, ID: "jobs.show", Summary: "Show a job"},
		func(ctx context.Context, in *jobInput) (kappa.Job, error) { return s.job(ctx, in.ID) })
	Register(r, Route{Method: "POST", Path: "/jobs/{id}/approve", Permission: kappa.JobsApprove, ID: "jobs.approve", Summary: "Approve a job that waits for it"}, s.approveJob)
	Register(r, Route{Method: "DELETE", Path: "/jobs/{id}", Permission: kappa.JobsCancel, ID: "jobs.cancel", Summary: "Cancel a job, or delete it for good"}, s.cancelJob)
}

// job returns a job that whoever asks may see; what cannot be an id is unknown.
func (s *Server) job(ctx context.Context, id string) (kappa.Job, error) {
	return PermittedJob(ctx, kappa.JobsRead, id, s.cfg.Jobs.Job)
}

func (s *Server) listJobs(ctx context.Context, in *jobListInput) ([]kappa.Job, error) {
	f := kappa.JobFilter{Ontology: in.Ontology, Type: in.Type, User: in.User, Limit: in.Limit, Offset: in.Offset}
	if in.Status != "" {
		status, err := kappa.ParseStatus(in.Status)
		if err != nil {
			return nil, err
		}
		f.Status = status
	}
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if !ownOnly(PrincipalOf(ctx), &f) {
		return []kappa.Job{}, nil
	}
	list, err := s.cfg.Jobs.Jobs(ctx, f)
	return NotNil(list), err
}

// ownOnly narrows f to the jobs that p may read. It reports false when they are
// none: f asks for those of somebody else.
func ownOnly(p kappa.Principal, f *kappa.JobFilter) bool {
	if p.Reach(kappa.JobsRead) == kappa.ReachAll {
		return true
	}
	own := strconv.Itoa(p.User.ID)
	if f.User != "" && f.User != own && f.User != p.User.Username {
		return false
	}
	f.User = own
	return true
}

func (s *Server) approveJob(ctx context.Context, in *jobInput) (DecisionAnswer, error) {
	if !kappa.IsJobID(in.ID) {
		return DecisionAnswer{}, JobNotFound(in.ID)
	}
	if err := s.cfg.Jobs.Approve(ctx, in.ID, PrincipalOf(ctx).User.Username); err != nil {
		return DecisionAnswer{}, err
	}
	return DecisionAnswer{JobID: in.ID, Status: kappa.StatusApproved, Message: "Job approved. It starts as soon as a slot is free."}, nil
}

func (s *Server) cancelJob(ctx context.Context, in *cancelInput) (out either[cancelAnswer, purgeAnswer], err error) {
	if !kappa.IsJobID(in.ID) {
		return out, JobNotFound(in.ID)
	}
	if in.Purge.On() {
		out.second, err = s.purgeJob(ctx, in.ID, in.Force.On())
		return out, err
	}
	running, err := s.cfg.Jobs.Cancel(ctx, in.ID)
	if err != nil {
		return out, err
	}
	out.first = &cancelAnswer{JobID: in.ID, Cancelled: true, Message: "Job cancelled successfully"}
	if running {
		out.first.Message = "Cancellation requested. The job stops at its next yield point."
	}
	return out, nil
}
