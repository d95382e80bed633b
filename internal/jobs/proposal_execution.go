package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// executor does what was proposed, in steps; see postgres.AnnealingStore.ExecuteProposal.
type executor interface {
	ExecuteProposal(ctx context.Context, c work.Claim, id int, so curation.ProposalStep, next func(curation.ProposalStep) work.Checkpoint) (curation.ProposalStep, error)
	FailProposal(ctx context.Context, c work.Claim, id int, reason string) error
}

type executionResult struct {
	Status     string `json:"status"`
	Success    bool   `json:"success"`
	ProposalID int    `json:"proposal_id"`
	curation.ProposalStep
}

// NewProposalExecution returns the job type proposal_execution: it moves the documents of
// an accepted proposal, 200 in each transaction with its checkpoint, and yields after each.
// An attempt after one that was interrupted goes on with what is left. A proposal that
// cannot be executed is kept as failed with the reason, and so is the job.
func NewProposalExecution(store executor, retry work.Retrying) work.JobType {
	return typed(work.JobType{
		Name: curation.TypeProposalExecution, Summary: "Joins or splits ontologies as an accepted proposal says.", Lane: "maintenance", Permission: access.OntologiesWrite,
		Retryable: true,
	}, dataOf(curation.ProposalJob{}, `{"proposal_id": 1}`, checkProposalJob), func(ctx context.Context, c work.Claim, job curation.ProposalJob) (any, error) {
		step, err := executeProposal(ctx, c, store, retry, job.ProposalID)
		return executionResult{"completed", true, job.ProposalID, step}, err
	})
}

func checkProposalJob(job curation.ProposalJob) error {
	if job.ProposalID < 1 {
		return kappa.Invalid(dataField("proposal_id", "must be the number of an accepted proposal"))
	}
	return nil
}

func executeProposal(ctx context.Context, c work.Claim, store executor, retry work.Retrying, id int) (step curation.ProposalStep, err error) {
	if _, err := resume(c, &step); err != nil {
		return step, err
	}
	for !step.Finished {
		if ctx.Err() != nil {
			return step, context.Cause(ctx)
		}
		err := retry(ctx, "execute a proposal", func(ctx context.Context) (err error) {
			step, err = store.ExecuteProposal(ctx, c, id, step, movingOn)
			return err
		})
		if err == nil {
			continue
		}
		switch kappa.ErrorCode(err) {
		case kappa.CodeConflict, kappa.CodeForbidden, kappa.CodeNotFound:
			if failed := store.FailProposal(ctx, c, id, kappa.ErrorMessage(err)); failed != nil && kappa.ErrorCode(failed) != kappa.CodeNotFound {
				return step, failed
			}
			return step, kappa.Permanent(err)
		}
		return step, err
	}
	return step, nil
}

// movingOn is the checkpoint after a part.
func movingOn(s curation.ProposalStep) work.Checkpoint {
	state, _ := json.Marshal(s) // always encodes
	return work.Checkpoint{State: state, Emit: true, Progress: work.Progress{
		Stage: "moving", Percent: work.PercentDone(s.Files, s.Files+s.Left), ItemsTotal: s.Files + s.Left, ItemsProcessed: s.Files,
	}}
}
