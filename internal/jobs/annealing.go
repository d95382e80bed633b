package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
)

// annealer scores ontologies and proposes changes; see annealing.Annealing.Cycle.
type annealer interface {
	Cycle(ctx context.Context, c kappa.Claim, o kappa.Annealing, next func(kappa.Annealed) kappa.Checkpoint, each func(done, of int) error) (kappa.Annealed, error)
}

// proposalReviewer accepts proposals; see annealing.Reviewer.
type proposalReviewer interface {
	Review(ctx context.Context, v kappa.ProposalReview, userID int) (kappa.OntologyProposal, error)
}

// NewAnnealing returns the job type ontology_annealing: it scores every ontology, and
// proposes promotions, demotions and merges. It yields after every ontology, whose scores
// are stored at once; proposals are stored together at the end. An attempt after one that
// was interrupted begins anew, one after one that has stored its proposals goes on with
// executing them, when that is automatic.
func NewAnnealing(a annealer, review proposalReviewer, claims checkpointer, retry kappa.Retrying) kappa.JobType {
	read := dataOf(kappa.NewAnnealing(), `{"max_proposals": 5, "dry_run": true}`, func(o kappa.Annealing) error { return o.Validate("data.") })
	return typed(kappa.JobType{
		Name: kappa.TypeAnnealing, Summary: "Scores ontologies, and proposes which to join and which to split.", Lane: "maintenance", Permission: kappa.OntologiesWrite,
		Schedulable: true, Retryable: true,
	}, read, func(ctx context.Context, c kappa.Claim, o kappa.Annealing) (any, error) {
		result := kappa.NewAnnealingOutcome(kappa.Annealed{})
		found, err := resume(c, &result)
		if err == nil && !found {
			err = anneal(ctx, c, a, o, &result, yielder(ctx, c, claims, retry, "scoring"))
		}
		if err == nil && o.Automatic && !o.DryRun {
			err = dispatch(ctx, c, review, &result)
		}
		return result, err
	})
}

func anneal(ctx context.Context, c kappa.Claim, a annealer, o kappa.Annealing, result *kappa.AnnealingOutcome, yield func(done, of int) error) error {
	found, err := a.Cycle(ctx, c, o, func(now kappa.Annealed) kappa.Checkpoint {
		state, _ := json.Marshal(kappa.NewAnnealingOutcome(now)) // always encodes
		return kappa.Checkpoint{State: state, Emit: true, Progress: kappa.Progress{Stage: "proposing", Percent: 99, ItemsProcessed: now.Generated}}
	}, yield)
	*result = kappa.NewAnnealingOutcome(found)
	return err
}

// dispatch accepts what was proposed. What somebody has decided meanwhile stays so.
func dispatch(ctx context.Context, c kappa.Claim, review proposalReviewer, result *kappa.AnnealingOutcome) error {
	for _, id := range result.IDs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := review.Review(ctx, kappa.ProposalReview{ID: id, Status: kappa.ProposalApproved, By: c.JobID}, kappa.SystemUserID)
		switch kappa.ErrorCode(err) {
		case "":
			result.Dispatched++
		case kappa.CodeConflict, kappa.CodeNotFound:
		default:
			return err
		}
	}
	return nil
}
