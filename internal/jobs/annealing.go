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

type annealingResult struct {
	Status string `json:"status"`
	kappa.Annealed
	Proposed []proposedChange `json:"proposals"`
}

// proposedChange is a proposal as a result shows it.
type proposedChange struct {
	ID        int     `json:"id"` // 0: of a dry run
	Kind      string  `json:"proposal_type"`
	Ontology  string  `json:"ontology_name"`
	Target    *string `json:"target_ontology"`
	Suggested *string `json:"suggested_name"`
	Reasoning string  `json:"reasoning"`
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
		result := annealingResult{Status: "completed", Proposed: []proposedChange{}}
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

func anneal(ctx context.Context, c kappa.Claim, a annealer, o kappa.Annealing, result *annealingResult, yield func(done, of int) error) error {
	found, err := a.Cycle(ctx, c, o, func(now kappa.Annealed) kappa.Checkpoint {
		state, _ := json.Marshal(shownAnnealed(now)) // always encodes
		return kappa.Checkpoint{State: state, Emit: true, Progress: kappa.Progress{Stage: "proposing", Percent: 99, ItemsProcessed: now.Generated}}
	}, yield)
	*result = shownAnnealed(found)
	return err
}

func shownAnnealed(found kappa.Annealed) annealingResult {
	result := annealingResult{Status: "completed", Annealed: found, Proposed: []proposedChange{}}
	for _, p := range found.Proposals {
		result.Proposed = append(result.Proposed, proposedChange{p.ID, p.Kind, p.Ontology, p.Target, p.SuggestedName, p.Reasoning})
	}
	return result
}

// dispatch accepts what was proposed. What somebody has decided meanwhile stays so.
func dispatch(ctx context.Context, c kappa.Claim, review proposalReviewer, result *annealingResult) error {
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
