package http

import (
	"context"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// Submitted says what became of a new job.
func Submitted(job work.Job) api.JobReply {
	out := api.JobReply{JobID: job.ID, Status: job.Status, Message: "Job submitted."}
	switch job.Status {
	case work.StatusApproved:
		out.Message = "Job approved. It starts as soon as a slot is free."
	case work.StatusAwaitingApproval:
		out.Message = "Job submitted. Approve it with: kg job approve " + job.ID
	default: // on its way
	}
	return out
}

// Approved says that a new job was approved as it was submitted, whatever has become of
// it since: it may run already.
func Approved(job work.Job) api.JobReply {
	job.Status = work.StatusApproved
	return Submitted(job)
}

// PermittedJob reads a job with read and returns it when the principal of the request
// has a permission for it. It returns CodeNotFound for what cannot be an id and for
// a job that the principal may not read too, and CodeForbidden for one that it may read only.
func PermittedJob(ctx context.Context, permission access.Permission, id string, read func(ctx context.Context, id string) (work.Job, error)) (work.Job, error) {
	if !kappa.IsJobID(id) {
		return work.Job{}, JobNotFound(id)
	}
	job, err := read(ctx, id)
	if err != nil {
		return work.Job{}, err
	}
	if err := PrincipalOf(ctx).PermitFound(permission, job.Row(), JobNotFound(id)); err != nil {
		return work.Job{}, err
	}
	return job, nil
}

// PermitAutoApprove returns a CodeForbidden Error unless the principal of the request may
// approve jobs of their own: one that is submitted as approved takes that right too.
func PermitAutoApprove(ctx context.Context) error {
	p := PrincipalOf(ctx)
	if err := p.PermitRow(access.JobsApprove, access.Row{Owner: p.User.ID}); err != nil {
		return kappa.NewError(kappa.CodeForbidden, kappa.ErrorMessage(err)+"; submit it without auto_approve, for somebody else to approve")
	}
	return nil
}

// JobNotFound returns a CodeNotFound Error that names a job.
func JobNotFound(id string) error {
	return kappa.NewError(kappa.CodeNotFound, "Job not found: "+Printable(id))
}

// JobCount says a number of jobs in words.
func JobCount(n int) string {
	if n == 1 {
		return "1 job"
	}
	return strconv.Itoa(n) + " jobs"
}
