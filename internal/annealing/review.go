package annealing

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// ProposalStore keeps the decisions about proposals.
type ProposalStore interface {
	Proposal(ctx context.Context, id int) (curation.Proposal, error)
	ReviewProposal(ctx context.Context, v curation.ProposalReview) (curation.Proposal, error)
	ProposalJob(ctx context.Context, id int, jobID string) error
	// UnsentProposals returns those that were accepted longer ago than age and have no job.
	UnsentProposals(ctx context.Context, age time.Duration) ([]curation.ProposalJob, error)
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Reviewer decides about proposals, and has those executed that are accepted.
type Reviewer struct {
	store ProposalStore
	jobs  submitter
	log   *slog.Logger
}

// NewReviewer returns a Reviewer.
func NewReviewer(store ProposalStore, jobs submitter, log *slog.Logger) *Reviewer {
	return &Reviewer{store, jobs, log}
}

// Review stores a decision. An accepted proposal gets a job of the user, which executes
// it; one whose job failed gets another one when it is accepted again. It returns CodeNotFound for an unknown proposal, and CodeConflict for one that is decided.
func (r *Reviewer) Review(ctx context.Context, v curation.ProposalReview, userID int) (curation.Proposal, error) {
	if err := v.Validate(); err != nil {
		return curation.Proposal{}, err
	}
	p, err := r.store.ReviewProposal(ctx, v)
	if err != nil || v.Status != curation.ProposalApproved {
		return p, err
	}
	id, err := r.submit(ctx, curation.ProposalJob{ProposalID: p.ID, TriggeredBy: v.By}, userID)
	if err != nil {
		return p, err
	}
	p.JobID = &id
	return p, nil
}

// submit has a job execute an accepted proposal.
func (r *Reviewer) submit(ctx context.Context, j curation.ProposalJob, userID int) (id string, err error) {
	data, err := json.Marshal(j)
	if err != nil {
		return "", err
	}
	job, err := r.jobs.SubmitJob(ctx, work.NewJob{
		Type: curation.TypeProposalExecution, Queue: work.DefaultQueue, Data: data, AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: userID,
	})
	if err != nil {
		return "", err
	}
	return job.ID, r.store.ProposalJob(ctx, j.ProposalID, job.ID)
}

const (
	unsentEvery = time.Minute
	unsentAge   = time.Minute // longer than it takes to submit a job
)

// Run submits the jobs that accepted proposals were left without, when whoever accepted
// them was interrupted before, until ctx ends; it returns nil.
func (r *Reviewer) Run(ctx context.Context) error {
	return kappa.Loop{Name: "submitting the jobs of accepted proposals", Every: unsentEvery, Log: r.log}.Run(ctx, r.submitUnsent)
}

// submitUnsent submits them now.
func (r *Reviewer) submitUnsent(ctx context.Context) error {
	list, err := r.store.UnsentProposals(ctx, unsentAge)
	if err != nil {
		return err
	}
	for _, j := range list {
		id, err := r.submit(ctx, j, access.SystemUserID)
		if err != nil {
			return err
		}
		r.log.InfoContext(ctx, "an accepted proposal had no job", "proposal", j.ProposalID, "job", id)
	}
	return nil
}
