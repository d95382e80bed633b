package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
)

// executor does what was proposed, in steps; see postgres.AnnealingStore.ExecuteProposal.
type executor interface {
	ExecuteProposal(ctx context.Context, c kappa.Claim, id int, so kappa.ProposalStep, next func(kappa.ProposalStep) kappa.Checkpoint) (kappa.ProposalStep, error)
	FailProposal(ctx context.Context, c kappa.Claim, id int, reason string) error
}

type executionResult struct {
	Status     string `json:"status"`
	Success    bool   `json:"success"`
	ProposalID int    `json:"proposal_id"`
	kappa.ProposalStep
}

// NewProposalExecution returns the job type proposal_execution: it moves the documents of
// an accepted proposal, 200 in each transaction with its checkpoint, and yields after each.
// An attempt after one that was interrupted goes on with what is left. A proposal that
// cannot be executed is kept as failed with the reason, and so is the job.
func NewProposalExecution(store executor, retry kappa.Retrying) kappa.JobType {
	return typed(kappa.JobType{
		Name: kappa.TypeProposalExecution, Summary: "Joins or splits ontologies as an accepted proposal says.", Lane: "maintenance", Permission: kappa.OntologiesWrite,
		Retryable: true,
	}, dataOf(kappa.ProposalJob{}, `{"proposal_id": 1}`, checkProposalJob), func(ctx context.Context, c kappa.Claim, job kappa.ProposalJob) (any, error) {
		step, err := executeProposal(ctx, c, store, retry, job.ProposalID)
		return executionResult{"completed", true, job.ProposalID, step}, err
	})
}

func checkProposalJob(job kappa.ProposalJob) error {
	if job.ProposalID < 1 {
		return kappa.Invalid(dataField("proposal_id", "must be the number of an accepted proposal"))
	}
	return nil
}

func executeProposal(ctx context.Context, c kappa.Claim, store executor, retry kappa.Retrying, id int) (step kappa.ProposalStep, err error) {
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
func movingOn(s kappa.ProposalStep) kappa.Checkpoint {
	state, _ := json.Marshal(s) // always encodes
	return kappa.Checkpoint{State: state, Emit: true, Progress: kappa.Progress{
		Stage: "moving", Percent: kappa.PercentDone(s.Files, s.Files+s.Left), ItemsTotal: s.Files + s.Left, ItemsProcessed: s.Files,
	}}
}
