package annealing

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/curation"
)

type proposalsInput struct {
	Status   string `query:"status" doc:"pending, approved, rejected, executing, executed, failed, undone or expired; default: any"`
	Kind     string `query:"proposal_type" doc:"promotion, demotion, merge or reassignment; default: any"`
	Ontology string `query:"ontology" doc:"Only proposals about this one"`
	Limit    int    `query:"limit" default:"50" doc:"1 to 500"`
}

func (a *API) listProposals(ctx context.Context, in *proposalsInput) (api.ProposalList, error) {
	f := curation.ProposalFilter{Status: in.Status, Kind: in.Kind, Ontology: in.Ontology, Limit: in.Limit}
	if err := f.Validate(); err != nil {
		return api.ProposalList{}, err
	}
	list, err := a.cfg.Proposals.Proposals(ctx, f)
	return api.ProposalList{Proposals: list, Count: len(list)}, err
}

type proposalInput struct {
	ID int32 `path:"id" doc:"The number of a proposal"`
}

func (a *API) proposal(ctx context.Context, in *proposalInput) (curation.Proposal, error) {
	return a.cfg.Proposals.Proposal(ctx, int(in.ID))
}

type proposalReviewInput struct {
	ID   int32 `path:"id" doc:"The number of a proposal"`
	Body proposalReviewRequest
}

type proposalReviewRequest struct {
	Status string  `json:"status" doc:"approved, which executes it, or rejected: the same is not proposed again"`
	Notes  *string `json:"notes,omitempty" doc:"Why, up to 2,000 characters"`
}

func (a *API) review(ctx context.Context, in *proposalReviewInput) (curation.Proposal, error) {
	p := http.PrincipalOf(ctx)
	v := curation.ProposalReview{ID: int(in.ID), Status: in.Body.Status, Notes: http.Or(in.Body.Notes, ""), By: p.User.Username}
	if v.Status == curation.ProposalApproved {
		if err := p.Permit(access.JobsWrite); err != nil {
			return curation.Proposal{}, err
		}
	}
	return a.cfg.Reviewer.Review(ctx, v, p.User.ID)
}

func (a *API) undo(ctx context.Context, in *proposalInput) (curation.Proposal, error) {
	return a.cfg.Proposals.UndoProposal(ctx, int(in.ID), http.PrincipalOf(ctx).User.Username)
}
