package annealing

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// awaiter waits for the end of jobs; see http.Awaiter.
type awaiter interface {
	Await(ctx context.Context, id string) (work.Job, error)
}

// annealInput takes some of the settings in the query too, where another client sends them.
type annealInput struct {
	DemotionThreshold  http.Number `query:"demotion_threshold" doc:"Instead of that in the body"`
	PromotionMinDegree http.Whole  `query:"promotion_min_degree" doc:"Instead of that in the body; promotion_centrality is 0 then, unless it is given"`
	MaxProposals       http.Whole  `query:"max_proposals" doc:"Instead of that in the body"`
	DryRun             http.Flag   `query:"dry_run" doc:"Instead of that in the body"`
	Body               *annealRequest
}

type annealRequest struct {
	DemotionThreshold   *float64 `json:"demotion_threshold,omitempty" doc:"Of the protection: below it an ontology is to go, 0 to 1; default: 0.15"`
	MergeThreshold      *float64 `json:"merge_threshold,omitempty" doc:"The share of its concepts from which on an ontology is to become part of another one, 0.1 to 1; default: 0.6"`
	PromotionMinDegree  *int     `json:"promotion_min_degree,omitempty" doc:"Relationships that the concept of a new ontology has at least; default: 10"`
	PromotionCentrality *float64 `json:"promotion_centrality,omitempty" doc:"The share of the other concepts that it is related to at least, 0 to 1; default: 0.1"`
	MaxProposals        *int     `json:"max_proposals,omitempty" doc:"0 to 100; default: 5"`
	DryRun              *bool    `json:"dry_run,omitempty" doc:"Store nothing; the result says what would be proposed; default: false"`
	Automatic           *bool    `json:"automatic,omitempty" doc:"Execute what is proposed without a person; default: false"`
	Wait                *bool    `json:"wait,omitempty" doc:"Answer when the job has ended, with what it has found; otherwise at once, without it; default: true"`
}

// settings returns what is asked for. Who sets in the query how many relationships a concept
// has at least means that alone: the share of the other concepts does not count then.
func (in *annealInput) settings() (o curation.Annealing, wait bool) {
	b := annealRequest{}
	if in.Body != nil {
		b = *in.Body
	}
	o = curation.NewAnnealing()
	if in.PromotionMinDegree.Given() {
		o.PromotionCentrality = 0
	}
	o.DemotionThreshold = in.DemotionThreshold.Unless(http.Or(b.DemotionThreshold, o.DemotionThreshold))
	o.MergeThreshold = http.Or(b.MergeThreshold, o.MergeThreshold)
	o.PromotionMinDegree = in.PromotionMinDegree.Unless(http.Or(b.PromotionMinDegree, o.PromotionMinDegree))
	o.PromotionCentrality = http.Or(b.PromotionCentrality, o.PromotionCentrality)
	o.MaxProposals = in.MaxProposals.Unless(http.Or(b.MaxProposals, o.MaxProposals))
	o.DryRun = in.DryRun.Unless(http.Or(b.DryRun, false))
	o.Automatic = http.Or(b.Automatic, false)
	return o, http.Or(b.Wait, true)
}

// annealed is the job, and what it has found when that was awaited.
type annealed struct {
	api.JobReply
	*curation.AnnealingOutcome
	Status work.Status `json:"status" doc:"Of the job"`
}

// TransformSchema completes the description of the answer.
func (annealed) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return http.OnlyWhenAwaited(s)
}

func (a *API) anneal(ctx context.Context, in *annealInput) (annealed, error) {
	o, wait := in.settings()
	if err := o.Validate(""); err != nil {
		return annealed{}, err
	}
	p := http.PrincipalOf(ctx)
	if err := p.Permit(access.JobsWrite); err != nil {
		return annealed{}, err
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: curation.TypeAnnealing, Queue: work.DefaultQueue, Data: http.EncodeJSON(o), AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil {
		return annealed{}, err
	}
	if !wait {
		answer := http.Approved(job)
		return annealed{JobReply: answer, Status: answer.Status}, nil
	}
	if job, err = a.cfg.Ends.Await(ctx, job.ID); err != nil {
		return annealed{}, err
	}
	found := new(curation.AnnealingOutcome)
	if err := json.Unmarshal(job.Result, found); err != nil {
		return annealed{}, fmt.Errorf("decode the result of %s: %w", job.ID, err)
	}
	return annealed{JobReply: api.JobReply{JobID: job.ID, Status: job.Status, Message: found.Message()}, AnnealingOutcome: found, Status: job.Status}, nil
}
