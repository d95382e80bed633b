package annealing

import (
	"context"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/curation"
)

type reassignInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
	Body reassignRequest
}

type reassignRequest struct {
	Target    string   `json:"target_ontology" doc:"An ontology that exists"`
	SourceIDs []string `json:"source_ids" doc:"1 to 10,000 chunks"`
	DryRun    *bool    `json:"dry_run,omitempty" default:"false" doc:"Only say what would be moved"`
}

type reassignAnswer struct {
	From       string  `json:"from_ontology"`
	To         string  `json:"to_ontology"`
	Reassigned int     `json:"sources_reassigned"`
	Success    bool    `json:"success" doc:"Always true"`
	Error      *string `json:"error" doc:"Always null"`
	ProposalID int     `json:"proposal_id" doc:"What undoes it; 0 for a dry run"`
	DryRun     bool    `json:"dry_run"`
}

func (a *API) reassign(ctx context.Context, in *reassignInput) (reassignAnswer, error) {
	b := in.Body
	step, id, err := a.move(ctx, curation.Reassignment{From: in.Name, To: b.Target, SourceIDs: http.NotNil(b.SourceIDs), DryRun: *b.DryRun})
	return reassignAnswer{From: step.From, To: step.To, Reassigned: step.Moved, Success: true, ProposalID: id, DryRun: *b.DryRun}, err
}

func (a *API) move(ctx context.Context, r curation.Reassignment) (curation.ProposalStep, int, error) {
	r.By = http.PrincipalOf(ctx).User.Username
	if err := r.Validate(); err != nil {
		return curation.ProposalStep{}, 0, err
	}
	return a.cfg.Mover.Reassign(ctx, r)
}

type dissolveInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
	Body dissolveRequest
}

type dissolveRequest struct {
	Target string `json:"target_ontology" doc:"An ontology that exists"`
	DryRun *bool  `json:"dry_run,omitempty" default:"false" doc:"Only say what would be moved"`
}

type dissolveAnswer struct {
	Dissolved  string   `json:"dissolved_ontology"`
	Reassigned int      `json:"sources_reassigned"`
	Deleted    bool     `json:"ontology_node_deleted"`
	Targets    []string `json:"reassignment_targets"`
	Success    bool     `json:"success" doc:"Always true"`
	Error      *string  `json:"error" doc:"Always null"`
	ProposalID int      `json:"proposal_id" doc:"What undoes it; 0 for a dry run"`
	DryRun     bool     `json:"dry_run"`
}

func (a *API) dissolve(ctx context.Context, in *dissolveInput) (dissolveAnswer, error) {
	dry := *in.Body.DryRun
	step, id, err := a.move(ctx, curation.Reassignment{From: in.Name, To: in.Body.Target, DryRun: dry})
	return dissolveAnswer{
		Dissolved: step.From, Reassigned: step.Moved, Deleted: step.Removed && !dry, Targets: []string{step.To}, Success: true, ProposalID: id, DryRun: dry,
	}, err
}
