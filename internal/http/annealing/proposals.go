package annealing

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

type proposalsInput struct {
	Status   string `query:"status" doc:"pending, approved, rejected, executing, executed, failed, undone or expired; default: any"`
	Kind     string `query:"proposal_type" doc:"promotion, demotion, merge or reassignment; default: any"`
	Ontology string `query:"ontology" doc:"Only proposals about this one"`
	Limit    int    `query:"limit" default:"50" doc:"1 to 500"`
}

type ontologyProposalList struct {
	Proposals []kappa.OntologyProposal `json:"proposals"`
	Count     int                      `json:"count"`
}

func (a *API) listProposals(ctx context.Context, in *proposalsInput) (ontologyProposalList, error) {
	f := kappa.ProposalFilter{Status: in.Status, Kind: in.Kind, Ontology: in.Ontology, Limit: in.Limit}
	if err := f.Validate(); err != nil {
		return ontologyProposalList{}, err
	}
	list, err := a.cfg.Proposals.Proposals(ctx, f)
	return ontologyProposalList{http.NotNil(list), len(list)}, err
}

type proposalInput struct {
	ID int32 `path:"id"`
}

func (a *API) proposal(ctx context.Context, in *proposalInput) (kappa.OntologyProposal, error) {
	return a.cfg.Proposals.Proposal(ctx, int(in.ID))
}

type proposalReviewInput struct {
	ID   int32 `path:"id"`
	Body proposalReviewRequest
}

type proposalReviewRequest struct {
	Status string  `json:"status" doc:"approved, which executes it, or rejected: the same is not proposed again"`
	Notes  *string `json:"notes,omitempty" doc:"Why, up to 2,000 characters"`
}

func (a *API) review(ctx context.Context, in *proposalReviewInput) (kappa.OntologyProposal, error) {
	p := http.PrincipalOf(ctx)
	v := kappa.ProposalReview{ID: int(in.ID), Status: in.Body.Status, Notes: http.Or(in.Body.Notes, ""), By: p.User.Username}
	if v.Status == kappa.ProposalApproved {
		if err := p.Permit(kappa.JobsWrite); err != nil {
			return kappa.OntologyProposal{}, err
		}
	}
	return a.cfg.Reviewer.Review(ctx, v, p.User.ID)
}

func (a *API) undo(ctx context.Context, in *proposalInput) (kappa.OntologyProposal, error) {
	return a.cfg.Proposals.UndoProposal(ctx, int(in.ID), http.PrincipalOf(ctx).User.Username)
}

type annealInput struct{ Body annealRequest }

type annealRequest struct {
	DemotionThreshold   *float64 `json:"demotion_threshold,omitempty" default:"0.15" doc:"Of the protection: below it an ontology is to go, 0 to 1"`
	MergeThreshold      *float64 `json:"merge_threshold,omitempty" default:"0.6" doc:"The share of its concepts from which on an ontology is to become part of another one, 0.1 to 1"`
	PromotionMinDegree  *int     `json:"promotion_min_degree,omitempty" default:"10" doc:"Relationships that the concept of a new ontology has at least"`
	PromotionCentrality *float64 `json:"promotion_centrality,omitempty" default:"0.1" doc:"The share of the other concepts that it is related to at least, 0 to 1"`
	MaxProposals        *int     `json:"max_proposals,omitempty" default:"5" doc:"0 to 100"`
	DryRun              *bool    `json:"dry_run,omitempty" default:"false" doc:"Store nothing; the result says what would be proposed"`
	Automatic           *bool    `json:"automatic,omitempty" default:"false" doc:"Execute what is proposed without a person"`
}

func (a *API) anneal(ctx context.Context, in *annealInput) (http.DecisionAnswer, error) {
	b := in.Body
	o := kappa.Annealing{
		DemotionThreshold: *b.DemotionThreshold, MergeThreshold: *b.MergeThreshold, PromotionMinDegree: *b.PromotionMinDegree,
		PromotionCentrality: *b.PromotionCentrality, MaxProposals: *b.MaxProposals, DryRun: *b.DryRun, Automatic: *b.Automatic,
	}
	if err := o.Validate(""); err != nil {
		return http.DecisionAnswer{}, err
	}
	p := http.PrincipalOf(ctx)
	if err := p.Permit(kappa.JobsWrite); err != nil {
		return http.DecisionAnswer{}, err
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, kappa.NewJob{
		Type: kappa.TypeAnnealing, Queue: kappa.DefaultQueue, Data: http.EncodeJSON(o), AutoApprove: true, MaxRetries: kappa.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil {
		return http.DecisionAnswer{}, err
	}
	return http.Approved(job), nil
}
