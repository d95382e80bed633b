package projection

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/work"
)

type regenerateInput struct {
	Ontology string `path:"ontology" doc:"Its name, or __all__"`
	Body     regenerateProjectionRequest
}

type regenerateProjectionRequest struct {
	Force            *bool    `json:"force,omitempty" default:"false" doc:"Also when the one that is kept is of the same input, and without beginning where that has its items"`
	Algorithm        *string  `json:"algorithm,omitempty" default:"tsne" doc:"tsne or pca"`
	Components       *int     `json:"n_components,omitempty" default:"3" doc:"2 or 3"`
	Perplexity       *float64 `json:"perplexity,omitempty" default:"30" doc:"How many neighbours of each item count, 2 to 100"`
	Neighbors        *int     `json:"n_neighbors,omitempty" default:"15" doc:"Accepted, and changes nothing: only UMAP uses it. 2 to 200"`
	MinDist          *float64 `json:"min_dist,omitempty" default:"0.1" doc:"Accepted, and changes nothing: only UMAP uses it"`
	Spread           *float64 `json:"spread,omitempty" default:"1" doc:"Accepted, and changes nothing: only UMAP uses it. 0.5 to 5"`
	Metric           *string  `json:"metric,omitempty" default:"cosine" doc:"cosine or euclidean"`
	NormalizeL2      *bool    `json:"normalize_l2,omitempty" default:"true" doc:"Give every embedding the length 1"`
	Center           *bool    `json:"center,omitempty" default:"true" doc:"Subtract the mean of the embeddings"`
	IncludeGrounding *bool    `json:"include_grounding,omitempty" default:"true"`
	RefreshGrounding *bool    `json:"refresh_grounding,omitempty" default:"false" doc:"Accepted; groundings are always those of the graph as it is"`
	IncludeDiversity *bool    `json:"include_diversity,omitempty" default:"false" doc:"Must be false: searches measure diversity"`
	IncludeDegree    *bool    `json:"include_degree,omitempty" default:"true"`
	Source           *string  `json:"embedding_source,omitempty" default:"concepts" doc:"concepts, sources, vocabulary or combined"`
	CreateArtifact   *bool    `json:"create_artifact,omitempty" default:"false" doc:"Keep the projection as an artifact too"`
}

func (r regenerateProjectionRequest) query(ontology string) projection.Query {
	return projection.Query{
		Ontology: ontology, Source: *r.Source,
		Parameters: projection.Parameters{
			Algorithm: *r.Algorithm, Components: *r.Components, Perplexity: *r.Perplexity, Neighbors: *r.Neighbors,
			MinDist: *r.MinDist, Spread: *r.Spread, Metric: *r.Metric, NormalizeL2: *r.NormalizeL2, Center: *r.Center,
		},
		IncludeGrounding: *r.IncludeGrounding, RefreshGrounding: *r.RefreshGrounding, IncludeDiversity: *r.IncludeDiversity,
		IncludeDegree: *r.IncludeDegree, CreateArtifact: *r.CreateArtifact, Force: *r.Force,
	}
}

// regenerate has a projection made, unless the one that is kept is of the same input.
func (a *API) regenerate(ctx context.Context, in *regenerateInput) (api.ProjectionReply, error) {
	p := http.PrincipalOf(ctx)
	if err := p.Permit(access.JobsWrite); err != nil {
		return api.ProjectionReply{}, err
	}
	q := in.Body.query(in.Ontology)
	if err := q.Validate("body", ""); err != nil {
		return api.ProjectionReply{}, unknownUnless(in.Ontology, err)
	}
	changelist, items, err := a.cfg.Projections.State(ctx, q)
	switch {
	case err != nil:
		return api.ProjectionReply{}, err
	case items == 0:
		return api.ProjectionReply{}, kappa.NewError(kappa.CodeNotFound, "Ontology '"+q.Ontology+"' has no "+q.Source+" with an embedding")
	case items < projection.MinItems:
		return api.ProjectionReply{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "embedding_source", Rule: fmt.Sprintf("must have at least %d items to project, got %d", projection.MinItems, items)})
	}
	if !q.Force && !q.CreateArtifact {
		kept, err := a.cfg.Projections.Kept(ctx, q.Ontology, q.Source)
		if err == nil && kept.Changelist == changelist {
			return api.ProjectionReply{Status: "skipped", Message: "The projection is up to date. Use force to make it again.", Changelist: &changelist}, nil
		}
		if err != nil && kappa.ErrorCode(err) != kappa.CodeNotFound {
			return api.ProjectionReply{}, err
		}
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: projection.TypeProjection, Queue: work.DefaultQueue, Data: http.EncodeJSON(q), AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil {
		return api.ProjectionReply{}, err
	}
	return api.ProjectionReply{Status: "queued", JobID: &job.ID, Message: fmt.Sprintf("Projecting %d items. Poll /jobs/%s for its progress.", items, job.ID), Changelist: &changelist}, nil
}
