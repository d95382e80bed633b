package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/curation"
)

// Proposals are changes of ontologies that the server proposes.
type Proposals struct{ c *Client }

// List returns proposals to join or to split ontologies, newest first.
func (s Proposals) List(ctx context.Context, f curation.ProposalFilter) ([]curation.Proposal, error) {
	query := url.Values{}
	setTexts(query, map[string]string{"status": f.Status, "proposal_type": f.Kind, "ontology": f.Ontology})
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	out, err := fetch[api.ProposalList](ctx, s.c, get("/ontology/proposals", query))
	return out.Proposals, err
}

// Get returns a proposal.
func (s Proposals) Get(ctx context.Context, id int) (curation.Proposal, error) {
	return fetch[curation.Proposal](ctx, s.c, get(proposalPath(id), nil))
}

// Review accepts a proposal, which a job then executes, or rejects it. Its Error has
// kappa.CodeConflict for one that is decided.
func (s Proposals) Review(ctx context.Context, id int, approve bool, notes string) (curation.Proposal, error) {
	status := curation.ProposalRejected
	if approve {
		status = curation.ProposalApproved
	}
	return fetchJSON[curation.Proposal](ctx, s.c, http.MethodPost, proposalPath(id)+"/review", map[string]string{"status": status, "notes": notes})
}

// Undo undoes what a proposal has changed. Its Error has kappa.CodeConflict for one
// that a later one builds on.
func (s Proposals) Undo(ctx context.Context, id int) (curation.Proposal, error) {
	return fetch[curation.Proposal](ctx, s.c, withForm(proposalPath(id)+"/undo", nil))
}
