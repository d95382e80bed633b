package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// annealer scores ontologies and proposes changes; see annealing.Annealing.Cycle.
type annealer interface {
	Cycle(ctx context.Context, c work.Claim, o curation.Annealing, next func(curation.Annealed) work.Checkpoint, each func(done, of int) error) (curation.Annealed, error)
}

// proposalReviewer accepts proposals; see annealing.Reviewer.
type proposalReviewer interface {
	Review(ctx context.Context, v curation.ProposalReview, userID int) (curation.Proposal, error)
}

// NewAnnealing returns the job type ontology_annealing: it scores every ontology, and
// proposes promotions, demotions and merges. It yields after every ontology, whose scores
// are stored at once; proposals are stored together at the end. An attempt after one that
// was interrupted begins anew, one after one that has stored its proposals goes on with
// executing them, when that is automatic.
func NewAnnealing(a annealer, review proposalReviewer, claims checkpointer, retry work.Retrying) work.JobType {
	read := dataOf(curation.NewAnnealing(), `{"max_proposals": 5, "dry_run": true}`, func(o curation.Annealing) error { return o.Validate("data.") })
	return typed(work.JobType{
		Name: curation.TypeAnnealing, Summary: "Scores ontologies, and proposes which to join and which to split.", Lane: "maintenance", Permission: access.OntologiesWrite,
		Schedulable: true, Retryable: true,
	}, read, func(ctx context.Context, c work.Claim, o curation.Annealing) (any, error) {
		result := curation.NewAnnealingOutcome(curation.Annealed{})
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

func anneal(ctx context.Context, c work.Claim, a annealer, o curation.Annealing, result *curation.AnnealingOutcome, yield func(done, of int) error) error {
	found, err := a.Cycle(ctx, c, o, func(now curation.Annealed) work.Checkpoint {
		state, _ := json.Marshal(curation.NewAnnealingOutcome(now)) // always encodes
		return work.Checkpoint{State: state, Emit: true, Progress: work.Progress{Stage: "proposing", Percent: 99, ItemsProcessed: now.Generated}}
	}, yield)
	*result = curation.NewAnnealingOutcome(found)
	return err
}

// dispatch accepts what was proposed. What somebody has decided meanwhile stays so.
func dispatch(ctx context.Context, c work.Claim, review proposalReviewer, result *curation.AnnealingOutcome) error {
	for _, id := range result.IDs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := review.Review(ctx, curation.ProposalReview{ID: id, Status: curation.ProposalApproved, By: c.JobID}, access.SystemUserID)
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
