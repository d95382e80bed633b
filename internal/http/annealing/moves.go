package annealing

import (
	"context"

	"github.com/kappagraph/kappa/api"
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

func (a *API) reassign(ctx context.Context, in *reassignInput) (api.Reassigned, error) {
	b := in.Body
	step, id, err := a.move(ctx, curation.Reassignment{From: in.Name, To: b.Target, SourceIDs: b.SourceIDs, DryRun: *b.DryRun})
	return api.Reassigned{From: step.From, To: step.To, Sources: step.Moved, Success: true, ProposalID: id, DryRun: *b.DryRun}, err
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

func (a *API) dissolve(ctx context.Context, in *dissolveInput) (api.Dissolved, error) {
	dry := *in.Body.DryRun
	step, id, err := a.move(ctx, curation.Reassignment{From: in.Name, To: in.Body.Target, DryRun: dry})
	return api.Dissolved{
		Ontology: step.From, Sources: step.Moved, Deleted: step.Removed && !dry, Targets: []string{step.To}, Success: true, ProposalID: id, DryRun: dry,
	}, err
}
